internal import Glibc
internal import POSIX

/// One run of the server, with a supervisor that ends it when this process ends, for whatever
/// reason.
///
/// PR_SET_PDEATHSIG would follow the thread that spawned the server, and a library has no helper
/// program, so the supervisor is a shell script (below) at the far end of a *leash*: a socket of
/// which only this process holds the near end. When this process ends, even by SIGKILL, the kernel
/// closes the near end, and the supervisor reads the end of the stream.
///
/// The server's standard output is a *life line*, which no other process holds: the end of the
/// stream is the end of the server. The supervisor writes the server's process number to it and
/// closes it.
///
/// One supervisor watches one server. A restart starts a new pair in the same folder: a script that
/// starts and stops servers would have to watch two things at once, which a shell cannot.
///
/// Not Sendable: a sandbox uses its daemon under its lock.
final class Daemon {
  /// The server's process; valid only while ``isRunning``.
  private(set) var processID: pid_t = 0
  private let supervisor: pid_t
  private var leash: Descriptor?
  private let life: Descriptor

  /// $1 is the folder, the rest is the server's command line.
  ///
  /// The group is the session that this shell leads: its number cannot be reused while the shell
  /// lives, unlike the number of a server that died long ago.
  ///
  /// A word on the leash comes from ``dismiss(_:)``: the server has ended, and the shell reaps it,
  /// so that no zombie is left to the machine's first process, which in a container may reap no
  /// children. The end of the stream without a word means that the other process died. SIGKILL to
  /// the group then also ends the shell itself and a timer that still runs. It may die before the shell
  /// says the number, to a pipe without a reader then.
  private static let script = """
    folder=$1; shift
    "$@" </dev/null &
    server=$!
    trap '' HUP INT QUIT TERM PIPE
    echo "$server"
    exec >/dev/null
    read -r word || word=
    kill -TERM 0
    kill -CONT 0
    case $word in
      keep) wait "$server"; exit 0 ;;
      remove) wait "$server"; rm -rf -- "$folder"; exit 0 ;;
    esac
    (sleep 2; rm -rf -- "$folder"; kill -KILL 0) &
    wait "$server"
    rm -rf -- "$folder"
    kill -KILL 0
    """

  /// Starts a server and its supervisor; `command` is the server's program and its arguments.
  init(command: [String], folder: SandboxFolder) throws(SandboxError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw .system(.spawn, "cannot make a socket pair")
    }
    let near = Descriptor(owning: ends[0])
    let far = Descriptor(owning: ends[1])
    let pipe = try Pipe.make()
    let launch = Launch(
      program: "/bin/sh", arguments: ["-c", Self.script, "pulse-sandbox", folder.path] + command,
      environment: folder.serverEnvironment,
      descriptors: [(0, far.raw), (1, pipe.writing.raw)],
      files: [(2, folder.log, O_WRONLY | O_CREAT | O_APPEND)], group: .ownSession)
    supervisor = try launch.start()
    life = pipe.reading
    leash = .some(consume near)
  }

  /// Waits for the supervisor to report the server's process number.
  func awaitProcessID(until deadline: ContinuousClock.Instant) throws(SandboxError) {
    let text = try life.text(
      until: deadline, late: SandboxError(.timedOut, "the supervisor did not start in time"),
      ended: SandboxError(.serverDied, "the supervisor did not start the server"))
    guard let number = pid_t(text) else {
      throw SandboxError(.spawn, "the supervisor said '\(text)' for a process number")
    }
    processID = number
  }

  /// Whether the server has not ended yet; true also for a stopped server.
  var isRunning: Bool { !awaitEnd(until: .now) }

  /// Whether SIGSTOP has taken effect.
  var isStopped: Bool {
    // One thread handles the signal, and on a busy machine the others run on until it does.
    let folder = "/proc/\(processID)/task"
    let tasks = Folder.names(folder)
    return !tasks.isEmpty
      && tasks.allSatisfy { task in
        // "PID (NAME) STATE …"; the number is the server's as long as it runs.
        let status = File.text("\(folder)/\(task)/stat")
        // A debugger or strace shows it in small. A thread may end meanwhile.
        return status.isEmpty || status.contains(") T ") || status.contains(") t ")
      }
  }

  /// The event of the server's end.
  var ending: Happening { .end(life.raw) }

  /// Waits for the server's end; false if the server still runs at the deadline.
  func awaitEnd(until deadline: ContinuousClock.Instant) -> Bool {
    repeat {
      if poll([ending], for: milliseconds(until: deadline))[0] { return true }
    } while milliseconds(until: deadline) > 0
    return false
  }

  /// Signals the server; false if it has ended.
  ///
  /// Checks the life line first, so the number is not that of a later process. With Debian's shell
  /// it never is: that shell reaps the server only when it waits for it.
  func signal(_ number: Int32) -> Bool {
    isRunning && processID > 0 && kill(processID, number) == 0
  }

  /// Ends the server and its supervisor, and keeps the folder.
  func end() { dismiss("keep") }

  /// Ends the server and its supervisor, and removes the folder.
  func end(removing folder: SandboxFolder) {
    dismiss("remove")
    // The folder still exists only if the supervisor was killed.
    if File.exists(folder.path) { folder.remove() }
  }

  private func dismiss(_ word: String) {
    guard let leash = leash.take() else { return }
    // The supervisor may have been killed.
    if stop() { leash.send("\(word)\n".utf8) }
    _ = consume leash
    reap(supervisor)
  }

  /// Ends the server; false if even SIGKILL fails, or its number is not known yet.
  private func stop() -> Bool {
    guard processID > 0 else { return false }
    _ = signal(SIGTERM)
    _ = signal(SIGCONT)
    if awaitEnd(until: .now + .seconds(2)) { return true }
    _ = signal(SIGKILL)
    return awaitEnd(until: .now + .seconds(2))
  }
}
