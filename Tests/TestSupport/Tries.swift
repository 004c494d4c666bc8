/// Prints that a test tries again what a late machine may have spoilt.
///
/// - Parameter number: the number of the try, from 1, of which nothing is printed.
package func noteTry(_ number: Int, of most: Int, in test: String = #function) {
  if number > 1 { print("\(test): try \(number) of at most \(most)") }
}
