/// Runs actors on one thread together with libpulse.
///
/// One `pa_mainloop` on its own thread is the serial executor of every `PulseClient` on it, and of
/// any actor that returns it from `unownedExecutor`. Such actors call each other without a thread
/// hop, and libpulse's callbacks already run in them: `assumeIsolated` works there.
///
/// The thread ends by itself after the last reference to the loop is released, on whatever thread.
/// Never block it: all requests of all its clients would wait.
///
/// libpulse: `pa_mainloop_new`, `pa_mainloop_poll`, `pa_mainloop_wakeup`.
public final class PulseLoop: SerialExecutor {
  let thread: LoopThread

  /// Starts the thread.
  ///
  /// If the process has no file descriptor or thread left, `PulseClient.connect` throws, and actors
  /// on the loop run on the threads of their callers, one at a time.
  public convenience init() {
    self.init { (thread) throws(PulseError) in try thread.start() }
  }

  /// - Parameter start: starts the thread, or frees its resources.
  init(_ start: (LoopThread) throws(PulseError) -> Void) {
    do throws(PulseError) {
      let thread = try LoopThread()
      try start(thread)
      self.thread = thread
    } catch {
      thread = LoopThread(failure: error)
    }
    thread.executor = self
  }

  deinit { thread.stop() }

  /// Accepts a job from Swift's runtime; any thread may call it.
  public func enqueue(_ job: consuming ExecutorJob) {
    thread.add(.job(UnownedJob(job)))
  }

  /// Traps unless the caller is on the loop's thread; `assumeIsolated` calls this.
  public func checkIsolated() {
    precondition(thread.isCurrent, "not on the thread of this PulseLoop")
  }

  /// Whether the caller is on the loop's thread.
  public func isIsolatingCurrentContext() -> Bool? { thread.isCurrent }
}
