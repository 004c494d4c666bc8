import Pulse

/// The time a call may take in all, and how much of it each part has.
struct Budget: Sendable {
  /// For the change itself.
  let run: Deadline
  /// For reading back what it came to.
  let readBack: Deadline
  /// For all of it: what is left then is the rollback's.
  let whole: Deadline

  init(_ timeout: Duration) {
    run = Deadline(after: timeout * 70 / 100)
    readBack = Deadline(after: timeout * 85 / 100)
    whole = Deadline(after: timeout)
  }
}

/// The moment by which an operation must have ended, success or not.
struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  init(after duration: Duration) { instant = .now + duration }

  /// What is left, at least a millisecond, so that a request made now still fails by its own error.
  var remaining: Duration { max(.milliseconds(1), instant - .now) }

  var hasPassed: Bool { ContinuousClock.now >= instant }

  /// Calls the action when the deadline passes, unless the task is cancelled before.
  func onPassing(
    on loop: PulseLoop, _ action: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    let instant = instant
    return Task(executorPreference: loop.taskExecutor) {
      defer { withExtendedLifetime(loop) {} }
      do { try await loop.sleep(until: instant) } catch { return }
      await action()
    }
  }

  /// Waits until it passes, or the task is cancelled.
  func pass(on loop: PulseLoop) async { try? await loop.sleep(until: instant) }
}
