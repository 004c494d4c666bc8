/// Runs actors on one thread together with libpulse.
///
/// One `pa_mainloop` on one own thread is the serial executor of every `PulseClient` on it, and of
/// any actor that names it in `unownedExecutor`. Such actors call each other without a thread hop,
/// and libpulse's callbacks are already inside them: `assumeIsolated` works there.
///
/// The thread ends by itself after the last reference to the loop is gone, wherever that happens.
/// Never block it: every request of every client on it waits in the meantime.
///
/// libpulse: `pa_mainloop_new`, `pa_mainloop_poll`, `pa_mainloop_wakeup`.
public final class PulseLoop: SerialExecutor {
  let thread: LoopThread

  /// Starts the thread.
  ///
  /// Traps if the process has no file descriptor or thread left; `PulseClient.connect` without a
  /// loop throws in that case.
  public convenience init() {
    do throws(PulseError) {
      try self.init(starting: LoopThread())
    } catch {
      preconditionFailure("\(error)")
    }
  }

  convenience init(starting thread: LoopThread) throws(PulseError) {
    try self.init(starting: thread) { () throws(PulseError) in try thread.start() }
  }

  /// - Parameter start: starts the thread, or frees what it would run on.
  init(
    starting thread: LoopThread, _ start: () throws(PulseError) -> Void
  ) throws(PulseError) {
    self.thread = thread
    thread.executor = self
    try start()
  }

  deinit { thread.stop() }

  /// Takes a job from Swift's runtime; any thread may call it.
  public func enqueue(_ job: consuming ExecutorJob) {
    thread.add(.job(UnownedJob(job)))
  }

  /// Stops the program unless the caller is on the loop's thread; `assumeIsolated` asks here.
  public func checkIsolated() {
    precondition(thread.isCurrent, "not on the thread of this PulseLoop")
  }

  /// Whether the caller is on the loop's thread.
  public func isIsolatingCurrentContext() -> Bool? { thread.isCurrent }
}
