import Pulse

/// The time by which an operation must have ended, successfully or not.
struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  init(after duration: Duration) { instant = .now + Self.sane(duration) }

  /// A program or an order may give any limit; beyond a century a sum or a product would overflow.
  static func sane(_ duration: Duration) -> Duration {
    max(.zero, min(.seconds(3_200_000_000), duration))
  }

  /// The remaining time, at least a millisecond, so that a request fails with its own error.
  var remaining: Duration { max(.milliseconds(1), instant - .now) }

  var hasPassed: Bool { ContinuousClock.now >= instant }

  /// Calls the action when the deadline passes, unless the task is cancelled first.
  func onPassing(
    on loop: PulseLoop, _ action: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    let instant = instant
    return loop.task {
      do { try await loop.sleep(until: instant) } catch { return }
      await action()
    }
  }

  /// Calls the action again and again, until the task is cancelled.
  static func repeating(
    every pause: Duration, on loop: PulseLoop, _ action: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    loop.task {
      while true {
        do { try await loop.sleep(until: .now + pause) } catch { return }
        action()
      }
    }
  }

  /// Waits until the deadline passes or the task is cancelled.
  func pass(on loop: PulseLoop) async { try? await loop.sleep(until: instant) }
}
