import Glibc
import POSIX
import PulseSandbox
import PulseTypes

/// Whole programs: times in turn, so that the machine's moods hit all of them, and instructions,
/// which repeat on a busy machine.
struct Programs {
  private let sandbox: PulseSandbox
  private let environment: [String: String]
  private let bare: Bare
  private let program = File.programFolder + "/audiosession"

  static func run(_ count: Int) async throws {
    try await PulseSandbox.with(.toneless()) { sandbox in
      if let notice = sandbox.notice { print("note: \(notice)") }
      let programs = Programs(
        sandbox: sandbox,
        environment: sandbox.environment.merging(["PATH": "/usr/bin:/bin"]) { a, _ in a },
        bare: try Bare(in: sandbox))
      try programs.times(count)
      try programs.instructions()
      try programs.size()
      try await programs.memory()
    }
  }

  private var source: String {
    sandbox.hasSimulatedCards ? Bench.mic : "usb_mic"
  }

  /// The changes of the podcast profile that `pactl` has commands for, and a look at the result.
  private var script: String {
    let card =
      sandbox.hasSimulatedCards
      ? "pactl set-card-profile \(Bench.micCard) input:analog-stereo; " : ""
    return card
      + "pactl set-default-source \(source); pactl set-source-mute \(source) 0; "
      + "pactl get-default-source; pactl -f json list sources"
  }

  /// The same script by a careful author: it looks before each change.
  private var carefulScript: String {
    "pactl info; pactl -f json list cards; pactl get-source-mute \(source); "
      + "pactl get-source-volume \(source); " + script
  }

  private func times(_ count: Int) throws {
    let rivals: [(name: String, command: [String])] = [
      ("five calls of pactl", ["/bin/sh", "-c", script]),
      ("nine calls of pactl", ["/bin/sh", "-c", carefulScript]),
      ("pactl -f json list", ["pactl", "-f", "json", "list"]),
      ("pactl info", ["pactl", "info"]),
      ("pactl --version", ["pactl", "--version"]),
      ("bare libpulse: list", [bare.path, "list"]),
      ("bare libpulse: connect", [bare.path, "info"]),
      ("bare libpulse: start", [bare.path, "start"]),
    ]
    let ours: [(name: String, command: [String])] = [
      ("apply podcast", [program, "apply", "podcast"]),
      ("apply podcast again", [program, "apply", "podcast"]),
      ("state --json", [program, "state", "--json"]),
      ("--version", [program, "--version"]),
    ]
    var times: [String: [Duration]] = [:]
    for _ in 0..<count {
      _ = try Process.run([program, "revert"], environment)
      for (name, command) in ours + rivals {
        times[name, default: []].append(try Process.run(command, environment))
      }
    }
    print("whole programs, \(count) times each, in turn")
    let timings = times.mapValues { Timings($0) }
    for (name, _) in ours + rivals {
      Benchmark.row(name, timings[name] ?? Timings([]), "")
    }
    for (name, rival) in [
      ("apply podcast", "five calls of pactl"), ("apply podcast", "nine calls of pactl"),
      ("state --json", "pactl -f json list"), ("state --json", "bare libpulse: list"),
      ("state --json", "pactl info"), ("--version", "pactl --version"),
      ("--version", "bare libpulse: start"),
    ] {
      guard let a = timings[name], let b = timings[rival], b.median > .zero else { continue }
      Ratios.note("\(name), of \(rival)", a.median.seconds / b.median.seconds)
    }
  }

  /// Instructions in millions, if valgrind is installed.
  private func instructions() throws {
    print("instructions by valgrind --tool=callgrind")
    _ = try Process.run([program, "revert"], environment)
    guard File.program("valgrind", path: Process.searchPath) != nil else {
      return print("  not measured: valgrind is not installed")
    }
    for words in [["--version"], ["apply", "podcast"], ["state", "--json"], ["profiles"]] {
      // Under valgrind a command may take longer than its time limit.
      let patience = words == ["--version"] ? [] : ["--timeout", "60s"]
      let count = try count([program] + words + patience)
      Ratios.note("instructions of \(words.joined(separator: " "))", count: count, unit: "million")
    }
    for words in [["--version"], ["-f", "json", "list"]] {
      let count = try count(["/usr/bin/pactl"] + words)
      Ratios.note(
        "instructions of pactl \(words.joined(separator: " "))", count: count, unit: "million")
    }
  }

  private func count(_ command: [String]) throws -> Double {
    let report = sandbox.directory + "/callgrind"
    let words =
      ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(report)"]
      + command
    _ = try Process.run(words, environment)
    let line = File.text(report).split(separator: "\n").first { $0.contains("Collected :") }
    guard let count = line?.split(separator: ":").last.flatMap({ Double($0.filter(\.isNumber)) })
    else { throw Process.Failure(description: "valgrind counted nothing of \(command)") }
    return count / 1_000_000
  }

  private func size() throws {
    guard let status = File.status(program) else { return }
    print("  the program beside this one has \(status.st_size / 1_000_000) MB")
  }

  /// The memory of a holder by the kernel's account, in MiB: all, its share of what others use too, and what
  /// is its own.
  private func memory() async throws {
    let watcher = try await Watcher.watching(
      "podcast", environment, messages: sandbox.directory + "/watch.messages")
    let account = "/proc/\(watcher.process)/smaps_rollup"
    let figures = [
      ("resident", "Rss:"), ("proportional share (PSS)", "Pss:"),
      ("its own (private, changed)", "Private_Dirty:"),
    ].map { (name: $0, size: Double(ProcessFigures.number($1, in: account)) / 1024) }
    _ = watcher.end()
    print("memory of watch")
    for (name, size) in figures { Ratios.note(name, count: size, unit: "MiB") }
  }
}
