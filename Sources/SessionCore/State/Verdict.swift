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

/// What a pending preference waits for; `stream`: for one of the program's own streams, or on PipeWire for
/// one that uses the device; `sessionManager`: for WirePlumber, without which PipeWire connects nothing;
/// `server`: for a server that answers.
public enum WaitingFor: String, Sendable, Hashable, Codable {
  case device, holder, idle, profile, server, stream, sessionManager
}
