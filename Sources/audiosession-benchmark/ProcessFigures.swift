import Glibc
import POSIX

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

  /// The processor time of the threads that a process has now.
  static func processorTime(of process: pid_t) -> Duration {
    Folder.names("/proc/\(process)/task").reduce(Duration.zero) { sum, task in
      let words = File.text("/proc/\(process)/task/\(task)/schedstat").split(separator: " ")
      return sum + .nanoseconds(words.first.flatMap { Int64($0) } ?? 0)
    }
  }

  /// The number in the line of a key.
  static func number(_ key: String, in path: String) -> Int {
    let line = File.text(path).split(separator: "\n").first { $0.hasPrefix(key) }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
