/// A mistake in a value of a file.
package struct Mistake: Sendable {
  package var message: String
  package var position: Position?
  /// The property that the key sets, or the key where it sets none.
  package var property: String?
  /// The value that was wrong.
  package var value: String?
  package var code: SessionError.Code
}
