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
    /// Whether the server has answered since nothing arrives.
    var hasAnswered = false
  }

  /// The name of the device that is shown now.
  let device: Guarded<String>
  private let state = Guarded(State())

  init(_ device: String) { self.device = Guarded(device) }

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
  var error: StreamError {
    let hasAnswered = state.withLock { $0.hasAnswered }
    return .silent("'\(device.withLock { $0 })'", quiet, isServerStuck: !hasAnswered)
  }

  /// Looks until the task is cancelled.
  ///
  /// - Parameters:
  ///   - onQuiet: called when the levels are those of a former moment.
  ///   - onStall: called once it has delivered nothing for as long as a capture waits.
  func watch(
    _ session: AudioSession, onQuiet: @Sendable () -> Void, onStall: @Sendable () -> Void
  ) async {
    var asking: Task<Void, Never>?
    while !Task.isCancelled {
      let (begins, stalls) = state.withLock { state in
        let quiet = ContinuousClock.now - state.last
        let begins = quiet >= Self.patience && !state.isQuiet
        let stalls = quiet >= AudioCapture.stallPatience && !state.isStalled
        state.isQuiet = state.isQuiet || begins
        state.isStalled = state.isStalled || stalls
        return (begins, stalls)
      }
      if begins {
        onQuiet()
        asking?.cancel()
        asking = Task { [state] in
          guard (try? await session.snapshot()) != nil else { return }
          state.withLock { $0.hasAnswered = $0.isQuiet }
        }
      }
      if stalls { onStall() }
      try? await session.sleep(until: .now + .milliseconds(250))
    }
    asking?.cancel()
  }
}
