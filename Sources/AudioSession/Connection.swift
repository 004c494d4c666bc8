import SessionCore

/// The way to the server.
enum Connection {
  typealias Attempt = Task<Result<LiveServer, SessionError>, Never>

  case none
  case connecting(Attempt)
  /// Connected, until the loss is noticed.
  case live(LiveServer)
}
