import Dispatch
import Glibc
import Synchronization

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
  private let lines = Mutex([Line]())

  /// Starts the process; its messages are written to a file.
  init(_ arguments: [String], _ environment: [String: String], messages: String) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Process.Failure(description: "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(
      &actions, 2, messages, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let program = Process.folder + "/audiosession"
    process = try Process.spawn([program, "--json"] + arguments, environment, &actions)
    close(ends[1])
    let descriptor = ends[0]
    // Reading blocks, so it has its own thread.
    DispatchQueue(label: "watcher").async { [self] in
      Self.read(descriptor) { line in lines.withLock { $0.append(line) } }
    }
  }

  private static func read(_ descriptor: Int32, _ yield: (Line) -> Void) {
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
      let now = ContinuousClock.now
      var wall = timespec()
      clock_gettime(CLOCK_REALTIME, &wall)
      rest += buffer[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        yield(
          Line(text: String(decoding: rest[..<end], as: UTF8.self), time: now, wallTime: wall))
        rest.removeSubrange(...end)
      }
    }
    close(descriptor)
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

  /// Ends the process; returns how it ended.
  func end() -> Int32 {
    kill(process, SIGTERM)
    return wait()
  }

  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 : 128 + status & 0x7f
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
    descriptors = Self.entries("/proc/\(process)/fd").count
    let tasks = Self.entries("/proc/\(process)/task")
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

  private static func entries(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var result: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { result.append(name) }
    }
    return result
  }

  private static func number(_ key: String, in path: String) -> Int {
    guard let file = fopen(path, "re") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    while fgets(&buffer, Int32(buffer.count), file) != nil {
      let line = String(
        decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if line.hasPrefix(key) { return Int(line.filter(\.isNumber)) ?? 0 }
    }
    return 0
  }
}
