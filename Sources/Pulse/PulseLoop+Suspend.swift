extension PulseLoop {
  /// The loop's thread as what a task prefers: what of it belongs to no actor runs there, too.
  ///
  /// The task must keep the loop alive: work that comes after the thread's end is never done.
  package var taskExecutor: any TaskExecutor { thread }

  /// One wait of somebody on the loop's thread. It can be ended from the moment it is made.
  package final class Wait: @unchecked Sendable {  // used on the loop's thread alone
    private var waiter: CheckedContinuation<Void, Never>?
    private var hasEnded = false

    package init() {}

    package func end() {
      hasEnded = true
      waiter?.resume()
      waiter = nil
    }

    /// Returns once it has been ended.
    package func pass(on loop: PulseLoop, isolation: isolated (any Actor)? = #isolation) async {
      await loop.thread.suspend { continuation in
        if hasEnded { continuation.resume() } else { waiter = continuation }
      }
    }
  }
}

extension LoopThread {
  /// Suspends the caller until its continuation is resumed, and goes on from there on this thread.
  ///
  /// Swift resumes a continuation on its pool, and what belongs to an actor of the loop goes back from
  /// there: two threads are woken for one answer. That of a task which prefers this thread is resumed
  /// here. The preference ends with the wait, or it would hold for whatever the caller calls next.
  ///
  /// - Parameter body: runs on this thread, but not at once: others may run before, so what it waits for
  ///   may have come by then.
  func suspend<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (CheckedContinuation<Value, Never>) -> Void
  ) async -> Value {
    await withTaskExecutorPreference(self) {
      // Only a closure that captures the isolated parameter is isolated.
      _ = isolation
      return await withCheckedContinuation { body($0) }
    }
  }
}
