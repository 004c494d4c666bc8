/// Prints what a test has measured in a line of its own, with its sign, so that many runs can be compared:
/// `late(): untold +0.0123 s, beside 0.5 s of zeros`.
///
/// - Parameter remark: what the figure depends on.
package func noteFigure(
  _ name: String, _ seconds: Double, _ remark: String? = nil, in test: String = #function
) {
  let shown = (seconds * 10_000).rounded() / 10_000
  let sign = shown < 0 ? "-" : "+"
  print("\(test): \(name) \(sign)\(shown.magnitude) s" + (remark.map { ", \($0)" } ?? ""))
}
