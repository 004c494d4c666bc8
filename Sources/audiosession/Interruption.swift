import Glibc
import Synchronization

/// What ends a program from outside: SIGINT, SIGTERM, SIGHUP, and that nobody reads its output any more.
///
/// One thread handles them. A command that only reads ends at once. One that changes the server is
/// cancelled: it ends its step, rolls back and reports; a second signal ends it as it is. A private
/// server ends by itself when this process does.
enum Interruption {
  private enum Mode {
    case ending
    case cancelling(@Sendable () -> Void)
    case ignoringKeyboard(@Sendable () -> Void)
    case watching(end: @Sendable () -> Void, reload: @Sendable () -> Void)
  }

  private static let mode = Mutex(Mode.ending)
  private static let first = Atomic<Int32>(0)
  private static let unread = Atomic(false)

  /// The signal that came first; nil without one.
  static var received: Int32? {
    let number = first.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  /// Whether a command that watches was ended because nobody reads its output any more.
  static var isUnread: Bool { unread.load(ordering: .acquiring) }

  /// Catches the signals and starts the thread that handles them; to be called before any other
  /// thread exists, because threads inherit what is blocked.
  ///
  /// Sigwait alone would not do: once the main function waits, Swift's main thread ends in
  /// libdispatch's `sigsuspend` with an empty mask, which lets every signal in. So a handler writes
  /// the number into a pipe, on that thread or on the one that reads.
  ///
  /// A broken pipe must not end a command that still has to restore something: writing tells it.
  static func install() {
    signal(SIGPIPE, SIG_IGN)
    guard pipe.writing >= 0 else { return }
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      var byte = UInt8(truncatingIfNeeded: number)
      let saved = errno
      write(Interruption.pipe.writing, &byte, 1)
      errno = saved
    }
    action.sa_flags = SA_RESTART
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      sigaction(number, &action, nil)
      sigaddset(&signals, number)
    }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var thread = pthread_t()
    pthread_create(&thread, nil, { _ in Interruption.readForEver() }, nil)
    pthread_detach(thread)
  }

  private static let pipe: (reading: Int32, writing: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }()

  private static func readForEver() -> Never {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    var noticed = ContinuousClock.now
    var byte: UInt8 = 0
    var files = [
      pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0),
      // Asked for nothing, it still says when its other end is closed.
      pollfd(fd: -1, events: 0, revents: 0),
    ]
    while true {
      files[1].fd = isForReader && !isUnread ? 1 : -1
      guard poll(&files, 2, -1) > 0 else { continue }
      if files[1].revents != 0 { handleUnread() }
      guard files[0].revents != 0, read(pipe.reading, &byte, 1) == 1, byte != wake else { continue }
      handle(Int32(byte), &noticed)
    }
  }

  /// Lets the thread see that the mode is another one; no signal has the number.
  private static let wake: UInt8 = 0

  /// Whether the command goes on for whoever reads its output: a pipe or a terminal, which can go. A
  /// file stays, and a service manager's socket is its own affair.
  private static var isForReader: Bool {
    guard case .watching = mode.withLock({ $0 }) else { return false }
    var status = stat()
    return isatty(1) == 1 || fstat(1, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  private static func handleUnread() {
    unread.store(true, ordering: .releasing)
    if case .watching(let end, _) = mode.withLock({ $0 }) { end() }
  }

  /// - Parameter noticed: when the first signal came.
  private static func handle(_ number: Int32, _ noticed: inout ContinuousClock.Instant) {
    let mode = mode.withLock { $0 }
    if case .ignoringKeyboard = mode, number == SIGINT { return }
    if case .watching(_, let reload) = mode, number == SIGHUP { return reload() }
    let isFirst = first.compareExchange(
      expected: 0, desired: number, ordering: .acquiringAndReleasing
    ).exchanged
    // timeout(1) and others signal the process and then its group: no person is as fast.
    if !isFirst, ContinuousClock.now - noticed < .milliseconds(100) { return }
    if isFirst { noticed = .now }
    switch mode {
    case .cancelling(let cancel) where isFirst, .ignoringKeyboard(let cancel) where isFirst,
      .watching(let cancel, _) where isFirst:
      cancel()
    default: _exit(128 + number)
    }
  }

  /// Runs a change that the first signal cancels instead of ending the program.
  static func cancelling<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(body) { .cancelling($0) }
  }

  /// Runs another program in the foreground: Ctrl-C is for that one, the rest cancels.
  static func leavingKeyboard<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(body) { .ignoringKeyboard($0) }
  }

  /// Runs until the first signal cancels it, or nobody reads standard output any more; SIGHUP calls
  /// `reload` instead.
  static func watching<Value: Sendable>(
    reload: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(body) { .watching(end: $0, reload: reload) }
  }

  private static func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value,
    _ makeMode: (@escaping @Sendable () -> Void) -> Mode
  ) async throws -> Value {
    // Nothing begins before a signal would cancel it.
    let (start, gate) = AsyncStream<Never>.makeStream()
    let work = Task {
      for await _ in start {}
      return try await body()
    }
    let new = makeMode { work.cancel() }
    // It stays so afterwards: what is done is done, and the exit code must say that.
    mode.withLock { $0 = new }
    gate.finish()
    var byte = wake
    write(pipe.writing, &byte, 1)
    return try await work.value
  }
}
