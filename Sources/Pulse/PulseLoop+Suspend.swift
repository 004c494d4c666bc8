extension PulseLoop {
  /// Runs work in a task whose nonisolated code, too, runs on the loop's thread: a program that keeps
  /// Swift's threads busy does not delay it.
  @discardableResult
  package func task<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
  ) -> Task<Value, Never> {
    Task(executorPreference: thread) {
      // Work that is added after the thread's end never runs.
      defer { withExtendedLifetime(self) {} }
      return await work()
    }
  }

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
