/// What the store keeps in addition to a mode.
package struct StoredSession: Sendable, Hashable {
  /// The profile from which the mode came.
  package var profile: String?
  /// Numbers by key, such as `generation`.
  package var numbers: [String: Int] = [:]
}
