internal import CPulse
internal import Glibc

/// The thread behind a `PulseLoop`: a `pa_mainloop`, and a queue of work from everywhere.
///
/// It outlives the `PulseLoop`, whose `deinit` may run on this very thread and so cannot join it:
/// `stop` raises a flag, and the thread frees the main loop on its way out.
final class LoopThread: TaskExecutor, @unchecked Sendable {  // what is shared is behind `lock`
  enum Work {
    /// Of an actor on the loop.
    case job(UnownedJob)
    /// Of a task that prefers this thread.
    case task(UnownedJob)
    case call(@Sendable () -> Void)
  }

  let mainloop: OpaquePointer
  let api: UnsafeMutablePointer<pa_mainloop_api>
  /// Set once, before the thread starts; weak, or the loop would keep itself alive.
  weak var executor: PulseLoop?

  private let lock = Lock()
  private var queue: [Work] = []
  private var thread: pthread_t?
  private var isWakePending = false
  private var isStopping = false
  private var hasExited = false

  init() throws(PulseError) {
    guard let mainloop = pa_mainloop_new(), let api = pa_mainloop_get_api(mainloop) else {
      throw PulseError(.ioError, "pa_mainloop_new", String(cString: strerror(errno)))
    }
    self.mainloop = mainloop
    self.api = api
  }

  /// Starts a thread with an argument; what `pthread_create` returns.
  typealias Creation = (inout pthread_t, UnsafeMutableRawPointer) -> Int32

  func start(
    _ create: Creation = { pthread_create(&$0, nil, runLoopThread, $1) }
  ) throws(PulseError) {
    var thread = pthread_t()
    let me = Unmanaged.passRetained(self)  // for the thread; `runLoopThread` takes it over
    let result = create(&thread, me.toOpaque())
    guard result == 0 else {
      me.release()
      lock.withLock { hasExited = true }  // `stop` must not wake what is freed here
      pa_mainloop_free(mainloop)
      throw PulseError(.ioError, "pthread_create", String(cString: strerror(result)))
    }
    pthread_detach(thread)
  }

  var isCurrent: Bool { lock.withLock { isOnThread } }

  /// Must be called with the lock held.
  private var isOnThread: Bool { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

  /// Appends work, and wakes the thread only if it may be asleep: work that comes from the thread
  /// itself is found before the next poll, and one byte in the pipe wakes as well as ten.
  func add(_ work: Work) {
    lock.withLock {
      queue.append(work)
      wakeIfNeeded()
    }
  }

  /// Takes a job of a task that prefers this thread; any thread may call it.
  func enqueue(_ job: consuming ExecutorJob) { add(.task(UnownedJob(job))) }

  func stop() {
    lock.withLock {
      isStopping = true
      wakeIfNeeded()
    }
  }

  /// Must be called with the lock held, so that the thread cannot free the main loop meanwhile.
  private func wakeIfNeeded() {
    guard !isWakePending, !hasExited, !isOnThread else { return }
    isWakePending = true
    pa_mainloop_wakeup(mainloop)
  }

  /// The body of the thread.
  func run() {
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)  // signals belong to the program's own threads
    lock.withLock { thread = pthread_self() }
    while !runQueue() { iterate() }
    pa_mainloop_free(mainloop)
  }

  /// Runs what is queued, and says whether the thread is to end.
  ///
  /// A bounded number of batches: jobs that make jobs must not keep the replies out.
  private func runQueue() -> Bool {
    for _ in 0..<16 {
      let batch = lock.withLock {
        isWakePending = false
        hasExited = isStopping && queue.isEmpty
        defer { queue = [] }
        return queue
      }
      if batch.isEmpty { return hasExited }
      perform(batch)
    }
    return false
  }

  /// Waits for something to happen, and lets libpulse handle it.
  ///
  /// `prepare` empties the wakeup pipe, so a wakeup since `runQueue` is lost in it: where work has
  /// come meanwhile, the pipe is filled again. (`pa_mainloop_iterate` would sleep on that work.)
  private func iterate() {
    pa_mainloop_prepare(mainloop, -1)
    if lock.withLock({ !queue.isEmpty || isStopping }) { pa_mainloop_wakeup(mainloop) }
    pa_mainloop_poll(mainloop)
    pa_mainloop_dispatch(mainloop)
  }

  /// Runs one batch of work.
  private func perform(_ batch: [Work]) {
    let executor = executor  // held while its jobs run
    for work in batch {
      switch work {
      case .job(let job):
        if let executor { job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
      case .task(let job):
        let me = asUnownedTaskExecutor()
        // Runs as a job of the loop's executor, so that code of its actors continues without
        // another hop.
        if let executor {
          job.runSynchronously(isolatedTo: executor.asUnownedSerialExecutor(), taskExecutor: me)
        } else {
          job.runSynchronously(on: me)
        }
      case .call(let call): call()
      }
    }
  }
}
