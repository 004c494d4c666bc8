import AudioSession
import AudioStreams
import POSIX

/// Watches whether the input of a meter delivers sound, as a capture does: a level that is shown while
/// nothing arrives would be that of no sound.
final class MeterDelivery: Sendable {
  /// How long nothing arrives before the levels are removed; devices deliver at least every 2 s.
  private static let patience = AudioCapture.stallPatience / 2

  private struct State {
    var last = ContinuousClock.now
    var isQuiet = false
    var isStalled = false
  }

  private let state = Guarded(State())

  /// Notes that sound has arrived.
  ///
  /// - Returns: whether it was reported that it delivers nothing.
  func noteSound() -> Bool {
    state.withLock { state in
      defer { state = State() }
      return state.isStalled
    }
  }

  /// For how long nothing has arrived.
  var quiet: Duration { ContinuousClock.now - state.withLock { $0.last } }

  /// The error of an input that delivers nothing.
  func error(of device: String) -> StreamError {
    .silent("'\(device)'", quiet)
  }

  /// Looks until the task is cancelled.
  ///
  /// - Parameters:
  ///   - onQuiet: called when the levels are those of a former moment.
  ///   - onStall: called once it has delivered nothing for as long as a capture waits.
  func watch(
    _ session: AudioSession, onQuiet: @Sendable () -> Void, onStall: @Sendable () -> Void
  ) async {
    while !Task.isCancelled {
      let (begins, stalls) = state.withLock { state in
        let quiet = ContinuousClock.now - state.last
        let begins = quiet >= Self.patience && !state.isQuiet
        let stalls = quiet >= AudioCapture.stallPatience && !state.isStalled
        state.isQuiet = state.isQuiet || begins
        state.isStalled = state.isStalled || stalls
        return (begins, stalls)
      }
      if begins { onQuiet() }
      if stalls { onStall() }
      try? await session.sleep(until: .now + .milliseconds(250))
    }
  }
}
