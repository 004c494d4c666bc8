/// What a pending preference waits for; `stream`: for one of the program's own streams, or on PipeWire for
/// one that uses the device; `sessionManager`: for WirePlumber, without which PipeWire connects nothing;
/// `server`: for a server that answers.
public enum WaitingFor: String, Sendable, Hashable, Codable {
  case device, holder, idle, profile, server, stream, sessionManager
}
