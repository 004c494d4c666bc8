/// An event of a session; the names are those of `watch --json`.
///
/// The session finds events by comparing two states, so a change that was undone before the session
/// saw it makes no event.
public enum SessionEvent: Sendable, Hashable {
  /// A mode was applied and read back.
  case applied
  /// Other inputs or outputs are in use (AVAudioSession: `routeChangeNotification`).
  case routeChanged(RouteChangeReason, previous: Route, current: Route)
  /// Devices, ports or profiles were added or removed.
  case devicesChanged
  /// These properties no longer match the mode.
  case drift([Property])
  /// The mode was applied again, in this time.
  case reapplied(Duration)
  /// The mode could not be applied again; the session retries.
  case reapplyFailed(SessionError)
  /// These properties wait for something: a missing device, a stream that still plays.
  case pending([Unmet])
  /// The connection to the server was lost (AVAudioSession: `mediaServicesWereLostNotification`).
  case serverLost
  /// The server is back, and the session was restored in this time (AVAudioSession:
  /// `mediaServicesWereResetNotification`).
  case serverReset(Duration)
  /// The session is interrupted, and restores nothing until the interruption ends (AVAudioSession:
  /// `interruptionNotification`).
  case interruptionBegan(InterruptionReason)
  /// The interruption ended; with `shouldResume` the mode is maintained again.
  case interruptionEnded(shouldResume: Bool)
  /// Another program keeps changing this setting, so the session leaves it alone until a time, in
  /// ISO 8601; nil in an event of an earlier version.
  case conflict(String, opponents: [String], until: String?)
  /// A device in use delivered no sound after the machine woke up, so the session switched its card
  /// off and on; after three attempts it gives up.
  case deviceStalled(String, attempts: Int, isRevived: Bool)
  /// The session was closed.
  case stopped
}
