/// Something that happened to a session; the names are those of `watch --json`.
///
/// All are found by comparing what was with what is, so a change that was undone before it was seen
/// is no event.
public enum SessionEvent: Sendable, Hashable {
  /// A wish was made so and read back.
  case applied
  /// Other inputs or outputs are in use (AVAudioSession: `routeChangeNotification`).
  case routeChanged(RouteChangeReason, previous: Route, current: Route)
  /// Devices, ports or profiles came or went.
  case devicesChanged
  /// These properties are no longer as wished.
  case drift([Property])
  /// The wish was made so again, in this time.
  case reapplied(Duration)
  /// The wish could not be made so again; it is tried again.
  case reapplyFailed(SessionError)
  /// These properties wait for something: a device that is away, a stream that plays on.
  case pending([Unmet])
  /// The server is gone (AVAudioSession: `mediaServicesWereLostNotification`).
  case serverLost
  /// The server is back, and everything is as wished again after this time (AVAudioSession:
  /// `mediaServicesWereResetNotification`).
  case serverReset(Duration)
  /// The session gives way; nothing is put back until it ends (AVAudioSession:
  /// `interruptionNotification`).
  case interruptionBegan(InterruptionReason)
  /// The interruption is over, and with `shouldResume` the whole mode is in force again.
  case interruptionEnded(shouldResume: Bool)
  /// Somebody keeps changing this setting: it is left alone for a while.
  case conflict(String, opponents: [String])
  /// The session was closed.
  case stopped
}

/// An event with the moment at which it was noticed.
public struct TimedEvent: Sendable, Hashable {
  /// The time as ISO 8601 has it, in UTC, with milliseconds.
  public var time: String
  /// What happened.
  public var event: SessionEvent

  /// Makes an entry.
  public init(time: String, event: SessionEvent) {
    self.time = time
    self.event = event
  }
}
