import SessionCore

/// What entitles a session to write.
enum Hold {
  case server(SessionLock)
  /// The claim on this program's own streams.
  case application(ApplicationClaim)
}
