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

  /// The commands that ask no server, besides `--version`.
  private static let serverless = ["profiles", "profiles show podcast", "help apply"]

  static func run(_ count: Int) async throws {
    try await PulseSandbox.with(.toneless()) { sandbox in
      if let notice = sandbox.notice { print("note: \(notice)") }
      let programs = Programs(
        sandbox: sandbox, environment: sandbox.programEnvironment, bare: try Bare(in: sandbox))
      try programs.times(count)
      try programs.instructions()
      let size = File.status(programs.program)?.st_size ?? 0
      Ratios.note("program file", Double(size) / 1_000_000, "MB")
    }
  }

  private var source: String {
    sandbox.hasSimulatedCards ? Bench.mic : "usb_mic"
  }

  /// The changes of the podcast profile that `pactl` has commands for, and a look at the result.
  private var script: [String] {
    (sandbox.hasSimulatedCards
      ? ["pactl set-card-profile \(Bench.micCard) input:analog-stereo"] : [])
      + [
        "pactl set-default-source \(source)", "pactl set-source-mute \(source) 0",
        "pactl get-default-source", "pactl -f json list sources",
      ]
  }

  /// The same script by a careful author: it looks before each change.
  private var carefulScript: [String] {
    [
      "pactl info", "pactl -f json list cards", "pactl get-source-mute \(source)",
      "pactl get-source-volume \(source)",
    ] + script
  }

  private var scripts: [(name: String, calls: [String])] {
    [("five calls of pactl", script), ("nine calls of pactl", carefulScript)]
  }

  /// The least for the podcast profile: the same changes and syncs, without a plan.
  private var barePodcast: [String] { [bare.path, "podcast", source, sandbox.directory] }

  /// Ends the session and changes what the profile and the scripts set, so that each of them has as much
  /// to do.
  private func reset() throws {
    _ = try Process.run([program, "revert"], environment)
    let other = sandbox.hasSimulatedCards ? Bench.laptopMic : "internal_mic"
    let changes = "pactl set-default-source \(other) && pactl set-source-mute \(source) 1"
    _ = try Process.run(["/bin/sh", "-c", changes], environment)
  }

  private func times(_ count: Int) throws {
    var changing: [(name: String, command: [String])] = scripts.map {
      (name: $0.name, command: ["/bin/sh", "-c", $0.calls.joined(separator: "; ")])
    }
    changing.append((name: "bare libpulse: podcast", command: barePodcast))
    // The last one, so that the others begin with an applied profile.
    changing.append((name: "apply podcast", command: [program, "apply", "podcast"]))
    let others: [(name: String, command: [String])] = [
      ("apply podcast again", [program, "apply", "podcast"]),
      ("state --json", [program, "state", "--json"]),
      ("pactl -f json list", ["pactl", "-f", "json", "list"]),
      ("pactl info", ["pactl", "info"]),
      ("pactl --version", ["pactl", "--version"]),
      ("bare libpulse: list", [bare.path, "list"]),
      ("bare libpulse: connect", [bare.path, "info"]),
      ("bare libpulse: start", [bare.path, "start"]),
    ]
    let serverless: [(name: String, command: [String])] = (Self.serverless + ["--version"]).map {
      (name: $0, command: [program] + Self.words($0))
    }
    let all = changing + others + serverless
    var times: [String: [Duration]] = [:]
    for _ in 0..<count {
      for (index, (name, command)) in all.enumerated() {
        if index < changing.count { try reset() }
        times[name, default: []].append(try Process.run(command, environment))
      }
    }
    print("whole programs, \(count) times each, in turn")
    for (name, _) in all { Benchmark.row(name, Timings(times[name] ?? []), "") }
    note(times.mapValues { Timings($0).median.seconds * 1000 })
  }

  /// Prints ratios and distances, from the medians in milliseconds.
  private func note(_ medians: [String: Double]) {
    func median(_ name: String) -> Double { medians[name] ?? .nan }
    func ratio(_ name: String, _ rival: String, floor: String? = nil) {
      Ratios.note(
        "\(name), of \(rival)", median(name) / median(rival),
        floor: floor.map { median($0) / median(rival) })
    }
    for (name, _) in scripts {
      ratio("apply podcast", name, floor: "bare libpulse: podcast")
    }
    ratio("apply podcast", "bare libpulse: podcast")
    ratio("state --json", "pactl -f json list", floor: "bare libpulse: list")
    ratio("state --json", "bare libpulse: list")
    ratio("state --json", "pactl info")
    ratio("--version", "pactl --version", floor: "bare libpulse: start")
    ratio("--version", "bare libpulse: start")
    for name in Self.serverless {
      ratio(name, "pactl --version", floor: "bare libpulse: start")
    }
    for name in ["--version"] + Self.serverless {
      Ratios.note(
        "\(name), whole program", median(name), "ms", floor: median("bare libpulse: start"))
    }
    let info = median("pactl info")
    Ratios.note(
      "state --json, above pactl info", median("state --json") - info, "ms",
      floor: median("bare libpulse: list") - info)
  }

  /// Instructions in millions, if valgrind is installed.
  private func instructions() throws {
    print("instructions by valgrind --tool=callgrind")
    guard File.program("valgrind", path: Process.searchPath) != nil else {
      return print("  not measured: install the package valgrind")
    }
    for (name, calls) in scripts {
      try reset()
      // Each call by itself, so without those of the shell.
      let counts = try calls.map { try count(Self.words($0)) }
      Ratios.note("instructions of \(name)", counts.reduce(0, +), "million")
    }
    try reset()
    let floor = try count(barePodcast)
    try reset()
    for name in ["--version", "apply podcast", "state --json"] + Self.serverless {
      // Without an option, as people and scripts write it: it would need the parser.
      let count = try count([program] + Self.words(name))
      Ratios.note(
        "instructions of \(name)", count, "million",
        floor: name == "apply podcast" ? floor : nil)
    }
    for words in [["--version"], ["-f", "json", "list"]] {
      let count = try count(["pactl"] + words)
      Ratios.note("instructions of pactl \(words.joined(separator: " "))", count, "million")
    }
  }

  private static func words(_ command: String) -> [String] {
    command.split(separator: " ").map { String($0) }
  }

  private func count(_ command: [String]) throws -> Double {
    let report = sandbox.directory + "/callgrind"
    let program = File.program(command[0], path: Process.searchPath) ?? command[0]
    let words =
      ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(report)"]
      + [program] + Array(command.dropFirst())
    _ = try Process.run(words, environment)
    let line = File.text(report).split(separator: "\n").first { $0.contains("Collected :") }
    guard let count = line?.split(separator: ":").last.flatMap({ Double($0.filter(\.isNumber)) })
    else { throw Process.Failure(description: "valgrind counted nothing of \(command)") }
    return count / 1_000_000
  }
}
