import CPulseStream

/// Events of a stream, apart from its sound (libpulse: the stream's callbacks).
struct StreamEvents: OptionSet, Sendable, Hashable {
  let rawValue: UInt32

  static let moved = StreamEvents(PS_MOVED)
  static let suspended = StreamEvents(PS_SUSPENDED)
  static let resumed = StreamEvents(PS_RESUMED)
  static let drained = StreamEvents(PS_DRAINED)
  static let timed = StreamEvents(PS_TIMED)

  init(rawValue: UInt32) { self.rawValue = rawValue }
  private init(_ event: ps_event) { self.init(rawValue: event.rawValue) }
}
