import Pulse
import SessionCore

/// What streams that go through the session, of this package and of others, ask and tell it.
extension AudioSession {
  /// Waits without a thread of the system's; throws when the task is cancelled.
  package nonisolated func sleep(
    until moment: ContinuousClock.Instant
  ) async throws(CancellationError) {
    try await loop.sleep(until: moment)
  }

  /// The wish in force; nil where this process has none.
  package var wishInForce: AudioMode? { isActive ? own?.mode : nil }

  /// Whether the wish is still to be made anew after the server went.
  package var isHealing: Bool {
    get async {
      guard isKept else { return false }
      guard let live, !upkeep.isRecovering else { return true }
      return await live.lost != nil
    }
  }

  /// Tells the session that the server asked a playing stream of this program to pause, or to go on
  /// (libpulse: `PA_STREAM_EVENT_REQUEST_CORK`, `PA_STREAM_EVENT_REQUEST_UNCORK`).
  ///
  /// For streams that the session did not open; from the first to the last nothing is put back.
  public func noteCorkRequest(toPause isPausing: Bool) {
    guard !isPausing else { return emit(upkeep.interruptions.begin(.corkRequest)) }
    guard upkeep.interruptions.end(where: { $0 == .corkRequest }) == .ended else { return }
    upkeep.hasResumed = true
    upkeep.pacer.noteChange(at: upkeep.now)
    schedule()
  }
}
