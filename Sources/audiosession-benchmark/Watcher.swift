import Dispatch
import Glibc
import POSIX
import PulseSandbox

/// A process of the `watch` of the program beside this one, with its events.
final class Watcher: Sendable {
  /// A line of its output, and when it arrived.
  struct Line: Sendable {
    let text: String
    /// On the clock of files.
    let wallTime: timespec

    func isEvent(_ name: String) -> Bool { text.contains("\"event\":\"\(name)\"") }
  }

  let process: pid_t
  private let output: Descriptor
  private let lines = Guarded([Line]())

  /// Starts the process; its messages are written to a file.
  private init(_ profile: String, in sandbox: PulseSandbox, messages: String) throws {
    let output = try Pipe()
    process = try Process.spawn(
      [File.programFolder + "/audiosession", "--json", "watch", profile],
      sandbox.programEnvironment, descriptors: [(1, output.writing.raw)],
      files: [(2, messages, O_WRONLY | O_CREAT | O_TRUNC)])
    self.output = output.reading
    // Reading blocks, so it has its own thread.
    DispatchQueue(label: "watcher").async { [self] in read() }
  }

  /// Starts `watch` and waits until everything is applied.
  static func watching(
    _ profile: String, in sandbox: PulseSandbox, within limit: Duration = .seconds(10)
  ) async throws -> Watcher {
    let messages = sandbox.directory + "/watch.messages"
    let watcher = try Watcher(profile, in: sandbox, messages: messages)
    guard try await watcher.await("applied", from: 0, within: limit) != nil else {
      throw Process.Failure(
        description: "watch did not begin; it ended with \(watcher.end()); its messages end with:\n"
          + String(File.text(messages).suffix(1000)))
    }
    return watcher
  }

  private func read() {
    var rest: [UInt8] = []
    while output.read(into: &rest) {
      var wall = timespec()
      clock_gettime(CLOCK_REALTIME, &wall)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Line(text: String(decoding: rest[..<end], as: UTF8.self), wallTime: wall)
        lines.withLock { $0.append(line) }
        rest.removeSubrange(...end)
      }
    }
  }

  /// The number of printed lines.
  var count: Int { lines.withLock { $0.count } }

  /// Waits for an event among the lines from an index on; nil at the time limit.
  func await(_ event: String, from place: Int, within limit: Duration) async throws -> Line? {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
      if let line = lines.withLock({ $0.dropFirst(place).first { $0.isEvent(event) } }) {
        return line
      }
      try await ContinuousClock().sleep(for: .milliseconds(1))
    }
    return nil
  }

  /// The last lines, for a message about what happened.
  func tail(_ count: Int) -> String {
    lines.withLock { $0.suffix(count).map(\.text).joined(separator: "\n") }
  }

  func signal(_ number: Int32) { kill(process, number) }

  /// Ends the process, by SIGKILL if SIGTERM does not within 30 seconds; returns how it ended.
  func end() -> Int32 {
    kill(process, SIGTERM)
    if let descriptor = processDescriptor(process) {
      defer { close(descriptor) }
      if !poll([.input(descriptor)], for: 30_000)[0] {
        print("  watch did not end within 30 s of SIGTERM")
        kill(process, SIGKILL)
      }
    }
    return reap(process)
  }
}
