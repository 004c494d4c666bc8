/// Whether a preference is in effect.
public enum Verdict: String, Sendable, Hashable, Codable {
  /// Read back with the preferred value.
  case applied
  /// Not in effect yet; the report has what it waits for.
  case pending
  /// This machine cannot do it.
  case unreachable
  /// The server refused it.
  case refused
  /// The server has another value, and the session leaves it: in general another program's or the
  /// user's choice.
  case overridden
  /// There is no preference.
  case unset
}
