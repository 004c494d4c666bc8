import PulseTypes

/// What a server had stored about the place of a stream before the session moved it.
struct StreamPlaceMemory {
  /// The key of its program or role.
  let name: String
  /// The stored device; nil if such streams follow the default.
  let former: String?
  /// The device to which the session moved the stream.
  let made: String
  /// The stream when its former device was last stored.
  var seen: PulseTypes.Stream?

  /// Whether a stored device is there because of the session's move. Of a move to the default the server
  /// stores none.
  func isOwn(_ saved: SavedStream, in snapshot: ServerSnapshot) -> Bool {
    guard let device = saved.device else {
      return saved.direction.flatMap(snapshot.server.defaultName) == made
    }
    return device == made
  }
}
