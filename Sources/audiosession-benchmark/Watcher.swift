import Dispatch
import Glibc
import POSIX

/// A process of the `watch` of the program beside this one, with its events.
final class Watcher: Sendable {
  /// A line of its output, and when it arrived.
  struct Line: Sendable {
    let text: String
    let time: ContinuousClock.Instant
    /// The same moment on the clock of files.
    let wallTime: timespec

    func isEvent(_ name: String) -> Bool { text.contains("\"event\":\"\(name)\"") }
  }

  let process: pid_t
  private let output: Descriptor
  private let lines = Guarded([Line]())

  /// Starts the process; its messages are written to a file.
  init(_ arguments: [String], _ environment: [String: String], messages: String) throws {
    let output = try Pipe()
    let program = File.programFolder + "/audiosession"
    process = try Process.spawn(
      [program, "--json"] + arguments, environment, descriptors: [(1, output.writing.raw)],
      files: [(2, messages, O_WRONLY | O_CREAT | O_TRUNC)])
    self.output = output.reading
    // Reading blocks, so it has its own thread.
    DispatchQueue(label: "watcher").async { [self] in read() }
  }

  /// Starts `watch` and waits until everything is applied.
  static func watching(
    _ profile: String, _ environment: [String: String], messages: String,
    within limit: Duration = .seconds(10)
  ) async throws -> Watcher {
    let watcher = try Watcher(["watch", profile], environment, messages: messages)
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
      let now = ContinuousClock.now
      var wall = timespec()
      clock_gettime(CLOCK_REALTIME, &wall)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Line(
          text: String(decoding: rest[..<end], as: UTF8.self), time: now, wallTime: wall)
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

/// The kernel's figures of a process.
struct ProcessFigures: CustomStringConvertible {
  var descriptors: Int
  var threads: Int
  /// KiB.
  var resident: Int
  /// Times that each of its threads gave up the processor to wait.
  private var waits: [String: Int]

  /// Times that it woke up since then.
  func wakeUps(since former: ProcessFigures) -> Int {
    waits.reduce(0) { $0 + $1.value - (former.waits[$1.key] ?? 0) }
  }

  init(_ process: pid_t) {
    descriptors = Folder.names("/proc/\(process)/fd").count
    let tasks = Folder.names("/proc/\(process)/task")
    threads = tasks.count
    resident = Self.number("VmRSS:", in: "/proc/\(process)/status")
    waits = [:]
    for task in tasks {
      waits[task] = Self.number(
        "voluntary_ctxt_switches:", in: "/proc/\(process)/task/\(task)/status")
    }
  }

  var description: String {
    "\(descriptors) descriptors, \(threads) threads, \(residentWords) MiB resident"
  }

  /// MiB.
  var residentWords: String { "\(resident / 1024).\(resident % 1024 * 10 / 1024)" }

  /// The kernel's account of a process's memory in MiB: all, its share of what others use too, and what
  /// is its own.
  static func memory(of process: pid_t) throws -> [(name: String, size: Double)] {
    let figures = [
      ("resident", "Rss:"), ("proportional share (PSS)", "Pss:"),
      ("its own (private, changed)", "Private_Dirty:"),
    ].map {
      (name: $0, size: Double(number($1, in: "/proc/\(process)/smaps_rollup")) / 1024)
    }
    guard figures.allSatisfy({ $0.size > 0 }) else {
      throw Process.Failure(description: "the kernel has no account of process \(process)")
    }
    return figures
  }

  /// The number in the line of a key.
  static func number(_ key: String, in path: String) -> Int {
    let line = File.text(path).split(separator: "\n").first { $0.hasPrefix(key) }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
