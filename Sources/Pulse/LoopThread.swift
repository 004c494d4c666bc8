internal import CPulse
internal import CPulsePoll
internal import Glibc
internal import POSIX

/// The thread of a `PulseLoop`: a `pa_mainloop`, and a queue of work from any thread.
///
/// It outlives the `PulseLoop`, whose `deinit` may run on this very thread and so cannot join it:
/// `stop` sets a flag, and the thread frees the main loop at its end.
final class LoopThread: TaskExecutor, @unchecked Sendable {  // what is shared is behind `lock`
  enum Work {
    /// A job of an actor on the loop.
    case job(UnownedJob)
    /// A job of a task that prefers this thread.
    case task(UnownedJob)
    case call(@Sendable () -> Void)
  }

  /// Nil where the process had no file descriptor or thread for it.
  let mainloop: OpaquePointer?
  /// Why there is no thread: work runs on the threads that add it.
  let failure: PulseError?
  let api: UnsafeMutablePointer<pa_mainloop_api>
  /// Set once, before any work is added; weak, so that the loop does not retain itself.
  weak var executor: PulseLoop?

  private let lock = Lock()
  private var queue: [Work] = []
  private var thread: pthread_t?
  private var isWakePending = false
  private var isStopping = false
  private var hasExited = false
  /// Connections that are being made, and the address of the last; only the thread uses them.
  private var handshakes = 0
  private var server: UnsafeMutablePointer<CChar>?

  init() throws(PulseError) {
    guard let mainloop = pa_mainloop_new(), let api = pa_mainloop_get_api(mainloop) else {
      throw PulseError(.ioError, "pa_mainloop_new", SystemError.last.description)
    }
    self.mainloop = mainloop
    self.api = api
    failure = nil
  }

  /// Makes one without a thread.
  init(failure: PulseError) {
    (self.failure, mainloop, api, hasExited) = (failure, nil, deadAPI, true)
  }

  /// Starts a thread with an argument; returns the result of `pthread_create`.
  typealias Creation = (inout pthread_t, UnsafeMutableRawPointer) -> Int32

  func start(
    _ create: Creation = { pthread_create(&$0, nil, runLoopThread, $1) }
  ) throws(PulseError) {
    var thread = pthread_t()
    let me = Unmanaged.passRetained(self)  // for the thread; `runLoopThread` releases it
    let result = create(&thread, me.toOpaque())
    guard result == 0 else {
      me.release()
      lock.withLock { hasExited = true }  // `stop` must not use what is freed here
      pa_mainloop_free(mainloop)
      throw PulseError(.ioError, "pthread_create", SystemError(result).description)
    }
    pthread_detach(thread)
  }

  var isCurrent: Bool { lock.withLock { isOnThread } }

  /// Call with the lock held.
  private var isOnThread: Bool { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

  /// Appends work, and wakes the thread only if it may be asleep: the thread finds its own work
  /// before the next poll, and one byte in the pipe is enough.
  func add(_ work: Work) {
    guard failure == nil else { return addWithoutThread(work) }
    lock.withLock {
      queue.append(work)
      wakeIfNeeded()
    }
  }

  /// Runs work here, and what is added meanwhile; if another thread is doing so, that one runs it.
  private func addWithoutThread(_ work: Work) {
    // The last reference may be that of the work; Swift's runtime holds none to an executor.
    let me = Unmanaged.passRetained(self)
    defer { me.release() }
    let runsHere = lock.withLock {
      queue.append(work)
      defer { thread = thread ?? pthread_self() }
      return thread == nil
    }
    while runsHere {
      let batch = lock.withLock {
        if queue.isEmpty { thread = nil }
        defer { queue = [] }
        return queue
      }
      if batch.isEmpty { return }
      perform(batch)
    }
  }

  /// Accepts a job of a task that prefers this thread; any thread may call it.
  func enqueue(_ job: consuming ExecutorJob) { add(.task(UnownedJob(job))) }

  func stop() {
    lock.withLock {
      isStopping = true
      wakeIfNeeded()
    }
  }

  /// Call with the lock held, so that the thread cannot free the main loop in the meantime.
  private func wakeIfNeeded() {
    guard !isWakePending, !hasExited, !isOnThread else { return }
    isWakePending = true
    pa_mainloop_wakeup(mainloop)
  }

  func run() {
    blockSignals()
    lock.withLock { thread = pthread_self() }
    while !runQueue() { iterate() }
    pa_mainloop_free(mainloop)
    free(server)
  }

  /// Runs the queued work; true if the thread should end.
  ///
  /// Limits the number of batches, so that jobs that enqueue jobs cannot keep replies waiting.
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

  /// Waits for an event and lets libpulse handle it.
  ///
  /// `prepare` empties the wakeup pipe, which loses a wakeup since `runQueue`; if work has arrived
  /// in the meantime, the pipe is filled again. (`pa_mainloop_iterate` would sleep in spite of that
  /// work.)
  private func iterate() {
    pa_mainloop_prepare(mainloop, -1)
    if lock.withLock({ !queue.isEmpty || isStopping }) { pa_mainloop_wakeup(mainloop) }
    guard pa_mainloop_poll(mainloop) >= 0 else {
      // It has no memory for the moment, for example; libpulse would end the process.
      usleep(10_000)
      return
    }
    pa_mainloop_dispatch(mainloop)
  }

  /// A connection is being made.
  func beginHandshake() { handshakes += 1 }

  /// The address that it is made to: a server that dies now must not confuse libpulse (`pp_poll`).
  func noteServer(_ address: String) {
    guard handshakes > 0 else { return }
    free(server)
    server = strdup(address)
    pa_mainloop_set_poll_func(mainloop, pp_poll, server)
  }

  func endHandshake() {
    handshakes -= 1
    if handshakes == 0 { pa_mainloop_set_poll_func(mainloop, nil, nil) }
  }

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

/// The functions of a loop that has no thread: nothing is ever watched.
nonisolated(unsafe) private let deadAPI = makeDeadAPI()  // written once, and only read after that

private func makeDeadAPI() -> UnsafeMutablePointer<pa_mainloop_api> {
  let api = UnsafeMutablePointer<pa_mainloop_api>.allocate(capacity: 1)
  api.initialize(to: pa_mainloop_api())
  api.pointee.io_new = { _, _, _, _, _ in nil }
  return api
}
