/// Whether a preference is in force.
public enum Verdict: String, Sendable, Hashable, Codable {
  /// Read back as wished.
  case applied
  /// Not in force yet; the report says what it waits for.
  case pending
  /// The machine cannot.
  case unreachable
  /// The server said no.
  case refused
  /// Somebody else's choice stands.
  case overridden
  /// There is no wish.
  case unset
}

/// What a pending preference waits for; `stream`: for one of the program's own.
public enum WaitingFor: String, Sendable, Hashable, Codable {
  case device, holder, idle, profile, stream
}
