extension PulseLoop {
  /// The loop's thread as a task executor: a task that prefers it runs its nonisolated code there,
  /// too.
  ///
  /// The task must keep the loop alive: work that is added after the thread's end never runs.
  package var taskExecutor: any TaskExecutor { thread }

  /// One wait on the loop's thread. `end` may be called at any time, even before the wait.
  package final class Wait: @unchecked Sendable {  // used on the loop's thread alone
    private var waiter: CheckedContinuation<Void, Never>?
    private var hasEnded = false

    package init() {}

    package func end() {
      hasEnded = true
      waiter?.resume()
      waiter = nil
    }

    /// Waits until `end` is called; returns at once if it was.
    package func pass(on loop: PulseLoop, isolation: isolated (any Actor)? = #isolation) async {
      await loop.thread.suspend { continuation in
        if hasEnded { continuation.resume() } else { waiter = continuation }
      }
    }
  }
}

extension LoopThread {
  /// Suspends the caller until its continuation is resumed, and resumes it on this thread.
  ///
  /// By default Swift resumes a continuation on its thread pool, from where code of an actor on the
  /// loop hops back: two threads wake up for one answer. The continuation of a task that prefers
  /// this thread is resumed here. The preference ends with the wait; otherwise it would also apply
  /// to the caller's next calls.
  ///
  /// - Parameter body: runs on this thread, but not at once: other work may run first, so the
  ///   awaited result may already be there.
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
