import SessionCore

/// The way to the server.
enum Connection {
  typealias Attempt = Task<Result<LiveServer, SessionError>, Never>

  case none
  case connecting(Attempt)
  /// Connected, until the loss is noticed.
  case live(LiveServer)
}

/// What entitles a session to write.
enum Hold {
  case server(SessionLock)
  /// The claim on this program's own streams.
  case application(ApplicationClaim)
}
