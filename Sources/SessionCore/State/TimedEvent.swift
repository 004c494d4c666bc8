/// An event with the time at which it was noticed.
package struct TimedEvent: Sendable, Hashable {
  /// The time in ISO 8601, UTC, with milliseconds.
  package var time: String
  /// What happened.
  package var event: SessionEvent

  package init(time: String, event: SessionEvent) {
    self.time = time
    self.event = event
  }
}
