import Pulse

/// The time limit of a call, and of its parts.
struct Budget: Sendable {
  /// The limit of the change itself.
  let run: Deadline
  /// The limit for reading back the result.
  let readBack: Deadline
  /// The limit of the whole call; the remainder is for the rollback.
  let whole: Deadline
  private let shortestRollback: Duration

  init(_ timeout: Duration) {
    let timeout = Deadline.sane(timeout)
    run = Deadline(after: timeout * 70 / 100)
    readBack = Deadline(after: timeout * 85 / 100)
    whole = Deadline(after: timeout)
    shortestRollback = timeout * 15 / 100
  }

  /// The limit of a rollback that begins now. It has some time also after the machine was asleep, or this
  /// process stopped, beyond the end of the call.
  var rollback: Deadline { Deadline(after: max(whole.remaining, shortestRollback)) }
}

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
