/// Prints that a test tries again what a late machine may have spoilt.
///
/// - Parameters:
///   - number: the number of the try, from 1, of which nothing is printed.
///   - fault: what was wrong with the last one.
package func noteTry(
  _ number: Int, of most: Int, after fault: String? = nil, in test: String = #function
) {
  guard number > 1 else { return }
  print("\(test): try \(number) of at most \(most)" + (fault.map { ", after \($0)" } ?? ""))
}

/// The same of a loop in a script, which writes a line `try` for each.
package func noteTries(_ output: String, of most: Int, in test: String = #function) {
  noteTry(output.split(separator: "\n").count { $0 == "try" }, of: most, in: test)
}
