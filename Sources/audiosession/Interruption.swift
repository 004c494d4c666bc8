import AudioSession
import Glibc
import POSIX

/// Ends a program from outside: SIGINT, SIGTERM, SIGHUP, and the end of its output's reader.
///
/// One thread handles them. A command that only reads ends at once. A command that changes the
/// server is cancelled: it finishes its step, rolls back and reports; a second signal ends it
/// without that. A private server ends by itself when this process does.
enum Interruption {
  private struct Mode {
    /// Cancels the command at the first signal; nil if that ends the process.
    var cancel: (@Sendable () -> Void)?
    /// Whether Ctrl-C is for another program.
    var leavesKeyboard = false
    /// Whether the end of the output's reader cancels it, too.
    var isWatching = false
    /// What SIGHUP does; nil if it is like the others.
    var reload: (@Sendable () -> Void)?
  }

  /// One lock protects both: a signal arrives either before a change begins, which is then
  /// cancelled at once, or after, and cancels it. There is no gap between two modes.
  private struct Situation {
    var mode = Mode()
    /// The first signal.
    var received: Int32?
    /// When it arrived.
    var moment = ContinuousClock.now
    /// Whether a watching command was ended because its output's reader is gone.
    var isUnread = false

    /// The action of a signal; nil if the signal does not concern this program.
    mutating func take(
      _ number: Int32, at now: ContinuousClock.Instant
    ) -> (@Sendable () -> Void)? {
      if mode.leavesKeyboard, number == SIGINT { return nil }
      if let reload = mode.reload, number == SIGHUP { return reload }
      let isFirst = received == nil
      // timeout(1) and similar programs signal the process and then its group, faster than any
      // person.
      if !isFirst, now - moment < .milliseconds(100) { return nil }
      if isFirst { (received, moment) = (number, now) }
      guard isFirst, let cancel = mode.cancel else { return { _exit(128 + number) } }
      return {
        raiseAlarm()
        cancel()
      }
    }
  }

  private static let situation = Guarded(Situation())

  /// The first signal; nil if there was none.
  static var received: Int32? { situation.withLock { $0.received } }

  /// Whether a watching command was ended because its output's reader is gone.
  static var isUnread: Bool { situation.withLock { $0.isUnread } }

  /// Readable from the first signal on, for code that waits for something else; -1 if there is
  /// none.
  static var descriptor: Int32 { alarm.reading }

  /// Catches the signals and starts the thread that handles them. Call it before any other thread
  /// exists, because threads inherit the signal mask.
  ///
  /// Sigwait alone is not enough: once the main function waits, Swift's main thread ends up in
  /// libdispatch's `sigsuspend` with an empty mask, which accepts every signal. So a handler writes
  /// the number to a pipe, on that thread or on the one that reads.
  ///
  /// A broken pipe must not end a command that still has to restore something: the write reports
  /// it.
  static func install() {
    signal(SIGPIPE, SIG_IGN)
    // A parent may ignore it, and with that the statuses of children are lost.
    signal(SIGCHLD, SIG_DFL)
    guard pipe.writing >= 0 else { return }
    var action = passing
    var signals = sigset_t()
    sigemptyset(&signals)
    _ = alarm
    // With nohup the end of the terminal is not for this program.
    let numbers = isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
    for number in numbers { sigaddset(&signals, number) }
    // Signals that arrive before the thread exists wait for it.
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    for number in numbers { sigaction(number, &action, nil) }
    do throws(SystemError) { try detachThread { readForEver() } } catch {
      // Without the thread a signal ends the program, as it does by default.
      for number in numbers { signal(number, SIG_DFL) }
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
  }

  /// Passes a signal's number to the thread.
  private static var passing: sigaction {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      var byte = UInt8(truncatingIfNeeded: number)
      let saved = errno
      write(Interruption.pipe.writing, &byte, 1)
      errno = saved
    }
    action.sa_flags = SA_RESTART
    return action
  }

  /// Calls a function whenever the terminal gets another size.
  static func onResize(_ body: @escaping @Sendable () -> Void) {
    resized.withLock { $0 = body }
    var action = passing
    sigaction(SIGWINCH, &action, nil)
  }

  private static let resized = Guarded<(@Sendable () -> Void)?>(nil)
  private static let pipe = makePipe()
  /// Gets one byte with the first signal.
  private static let alarm = makePipe()

  private static func makePipe() -> (reading: Int32, writing: Int32) {
    (try? Pipe.rawEnds()) ?? (-1, -1)
  }

  private static func readForEver() -> Never {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    var byte: UInt8 = 0
    while true {
      let reader: Int32 = isForReader && !isUnread ? 1 : -1
      let ready = poll([.input(pipe.reading), .end(reader)], for: -1)
      if ready[1] { handleUnread() }
      guard ready[0], read(pipe.reading, &byte, 1) == 1, byte != wake else { continue }
      if Int32(byte) == SIGWINCH {
        resized.withLock(\.self)?()
        continue
      }
      situation.withLock { $0.take(Int32(byte), at: .now) }?()
    }
  }

  /// Wakes the thread after a change of the mode; no signal has this number.
  private static let wake: UInt8 = 0

  /// Whether the command runs for a reader of its output: a pipe or a terminal, which can
  /// disappear. A file remains, and a service manager handles its socket itself.
  private static var isForReader: Bool {
    guard situation.withLock({ $0.mode.isWatching }) else { return false }
    var status = stat()
    return isatty(1) == 1 || fstat(1, &status) == 0 && status.isPipe
  }

  private static func handleUnread() {
    let cancel = situation.withLock { situation in
      situation.isUnread = true
      return situation.mode.isWatching ? situation.mode.cancel : nil
    }
    cancel?()
  }

  /// Reports, once, the arrival of a signal to code that waits for something else.
  private static func raiseAlarm() {
    var byte: UInt8 = 1
    write(alarm.writing, &byte, 1)
  }

  /// Runs a change that the first signal cancels instead of ending the program.
  static func cancelling<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(body) { Mode(cancel: $0) }
  }

  /// Runs a wait whose error, once it is cancelled, describes the wait, not the cancellation.
  static func waiting<Value>(_ wait: () async throws -> Value) async throws -> Value {
    do { return try await wait() } catch { throw Task.isCancelled ? CancellationError() : error }
  }

  /// Runs another program in the foreground: Ctrl-C is for that program, other signals cancel.
  static func leavingKeyboard<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(body) { Mode(cancel: $0, leavesKeyboard: true) }
  }

  /// Waits for another program in the foreground: Ctrl-C is for that program, other signals end
  /// this one.
  static func lendingKeyboard<Value>(
    _ body: () throws(SessionError) -> Value
  ) throws(SessionError) -> Value {
    situation.withLock { $0.mode = Mode(leavesKeyboard: true) }
    defer { situation.withLock { $0.mode = Mode() } }
    return try body()
  }

  /// Runs a body until the first signal cancels it, or until standard output has no reader; SIGHUP
  /// calls `reload` instead, if there is one.
  static func watching<Value: Sendable>(
    reload: (@Sendable () -> Void)? = nil, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(body) { Mode(cancel: $0, isWatching: true, reload: reload) }
  }

  private static func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value,
    _ makeMode: (@escaping @Sendable () -> Void) -> Mode
  ) async throws -> Value {
    // The body begins only once a signal would cancel it.
    let (start, gate) = AsyncStream<Never>.makeStream()
    let work = Task {
      for await _ in start {}
      return try await body()
    }
    let new = makeMode { work.cancel() }
    // The mode stays afterwards: the work is done, and the exit code must show that. The command
    // ends after its remaining work, or begins another change, which a signal since then cancels.
    let isTooLate = situation.withLock {
      $0.mode = new
      return $0.received != nil || $0.isUnread
    }
    if isTooLate { work.cancel() }
    gate.finish()
    var byte = wake
    write(pipe.writing, &byte, 1)
    return try await work.value
  }
}
