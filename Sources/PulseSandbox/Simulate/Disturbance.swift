internal import Glibc

/// A fault that goes on: a competing client, or a call that is played.
///
/// It is a real process, and a real client of the server. It ends with ``stop()``, with the sandbox,
/// or with this process, however that ends; not with the last reference to this object.
public final class Disturbance: Sendable {
  /// What the server lists its client as.
  public let name: String

  /// A shell that ends itself and all it started when its standard input does, which only this
  /// process holds the other end of.
  private let shell: Command
  private let leash: Locked<Leash?>
  /// What the shell writes.
  private let output: Descriptor

  var hasStopped: Bool { leash.withLock { $0 == nil } }

  /// Runs a script in a session of its own; to be followed by ``ending``.
  init(
    _ name: String, script: String, _ arguments: [String], environment: [String: String]
  ) throws(SandboxError) {
    let leash = try Pipe()
    let output = try Pipe()
    self.name = name
    shell = try Command(
      Launch(
        program: "/bin/sh", arguments: ["-c", script + Self.ending, "simulate"] + arguments,
        environment: environment,
        descriptors: [(0, leash.reading.raw), (1, output.writing.raw)],
        files: [(2, "/dev/null", O_WRONLY)], group: .ownSession))
    self.leash = Locked(Leash(leash.writing))
    self.output = output.reading
  }

  /// Waits for the end of the input, which never has a word; the group is the session's.
  private static let ending = "\nexec >/dev/null\nread -r word\nkill -KILL 0\n"

  /// The first line that the script writes.
  func firstLine(until deadline: ContinuousClock.Instant) -> String? {
    var bytes: [UInt8] = []
    while bytes.last != UInt8(ascii: "\n") {
      let left = milliseconds(until: deadline)
      guard left > 0, poll([.input(output.raw)], for: left)[0], output.read(into: &bytes) else {
        return nil
      }
    }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  /// Ends it, and waits until its processes are gone; some milliseconds. A second call does nothing.
  public func stop() async {
    try? await onOwnThread { [self] () throws(SandboxError) in end() }
  }

  /// As ``stop()``, on this thread.
  func end() {
    // Under the lock, so that a second call returns only when all is gone.
    leash.withLock { leash in
      guard leash != nil else { return }
      leash = nil
      _ = shell.awaitEnd()
    }
  }
}

/// The only open end of a pipe; the other end learns when this object goes.
final class Leash: Sendable {
  private let end: Descriptor

  init(_ end: consuming Descriptor) { self.end = end }
}
