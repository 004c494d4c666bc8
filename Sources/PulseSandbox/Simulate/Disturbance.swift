internal import Glibc
internal import POSIX

/// A lasting fault: a competing client, or a call.
///
/// It is a real process and a real client of the server. It ends with ``stop()``, with the sandbox,
/// or with this process, for whatever reason; not with the last reference to this object.
public final class Disturbance: Sendable {
  /// The name under which the server lists the client.
  public let name: String

  /// A shell that ends itself and its children at the end of its standard input; only this process
  /// holds the other end.
  private let shell: Command
  private let leash: Guarded<Leash?>
  /// The shell's standard output.
  private let output: Descriptor

  var hasStopped: Bool { leash.withLock { $0 == nil } }

  /// Runs a script, followed by ``ending``, in a new session.
  init(
    _ name: String, script: String, _ arguments: [String], environment: [String: String]
  ) throws(SandboxError) {
    let leash = try Pipe.make()
    let output = try Pipe.make()
    self.name = name
    shell = try Command(
      Launch(
        program: "/bin/sh", arguments: ["-c", script + Self.ending, "simulate"] + arguments,
        environment: environment,
        descriptors: [(0, leash.reading.raw), (1, output.writing.raw)],
        files: [(2, "/dev/null", O_WRONLY)], group: .ownSession))
    self.leash = Guarded(Leash(leash.writing))
    self.output = output.reading
  }

  /// Waits for the end of the input, on which nothing is ever sent; process group 0 is that of the
  /// session.
  private static let ending = "\nexec >/dev/null\nread -r word\nkill -KILL 0\n"

  func firstLine(until deadline: ContinuousClock.Instant) throws(SandboxError) -> String {
    try output.text(until: deadline, late: isLate, ended: isLate)
  }

  /// The error for a fault that did not begin.
  var isLate: SandboxError { SandboxError(.timedOut, "\(name) did not begin in time") }

  /// Ends the fault: kills its processes, and waits some milliseconds for the first of them. A second
  /// call has no effect.
  public func stop() async {
    try? await onOwnThread { [self] () throws(SandboxError) in end() }
  }

  /// Like ``stop()``, on this thread.
  func end() {
    // Holds the lock, so that a second call returns only when all processes have been killed. Only the
    // shell is a child of this process, and awaited.
    leash.withLock { leash in
      guard leash != nil else { return }
      leash = nil
      // The shell does not read its leash while a program of its waits for a frozen server.
      shell.signal(SIGKILL)
      _ = shell.awaitEnd()
    }
  }
}
