import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

/// The program is killed (SIGKILL) at any moment: what it leaves is undone or carried on.
@Suite("A process that is killed in the middle", .timeLimit(.minutes(10)))
struct KilledProcessTests {
  private static let internalMicrophone = """
    category = "record"
    sample-rate = 48000
    buffer-duration = "10 ms"
    [input]
    prefer = ["\(Names.laptopInput)"]
    port = ["analog-input-internal-mic"]
    channel-map = "swap"
    gain = "70 %"
    mute = false
    [output]
    prefer = ["\(Names.laptopOutput)"]
    volume = "30 %"
    """
  private static let microphone = """
    category = "record"
    [input]
    prefer = ["\(Names.usbInput)"]
    channel-map = "mono"
    gain = "50 %"
    """

  @Test(
    "revert restores, apply converges, and no file is damaged", .simulatedCard, arguments: 1...4)
  func killed(seed: UInt64) async throws {
    try await Rig.with { rig in
      try await rig.outside.setCardProfile(Names.laptop, "output:analog-stereo")
      let before = try await rig.listing()
      let first = try rig.write("first.toml", Self.microphone)
      let second = try rig.write("second.toml", Self.internalMicrophone)
      let start = ContinuousClock.now
      try await rig.succeed("apply", second)
      let whole = ContinuousClock.now - start
      try await rig.succeed("revert")
      #expect(try await rig.listing(expecting: before) == before)
      var random = SeededRandom(seed: seed)
      for round in 0..<Self.rounds {
        let moment = whole * Int.random(in: 0...1000, using: &random) / 1000
        let hasFirst = Bool.random(using: &random)
        if hasFirst { try await rig.succeed("apply", first) }
        switch Int.random(in: 0...2, using: &random) {
        case 0: await rig.runAndKill(after: moment, "apply", second)
        case 1:
          await rig.runAndKill(after: moment, "apply", second)
          await rig.runAndKill(after: moment / 2, "apply", first)
        default:
          try await rig.succeed("apply", second)
          await rig.runAndKill(after: moment, "revert")
        }
        if Bool.random(using: &random) {
          try await rig.succeed("apply", second)
          let seen = try await rig.outside.snapshot()
          #expect(seen.chain.ownedDevices(.input).count == 1)
          #expect(seen.server.defaultSourceName == "audiosession.input")
        }
        try await rig.succeed("revert")
        let after = try await rig.listing()
        #expect(
          after == before,
          "seed \(seed), round \(round), \(moment): \(after.difference(from: before))")
      }
    }
  }

  /// Of each of four seeds, so 24 in all; `.ci/nightly faults` has a thousand: AUDIOSESSION_KILLS=1000.
  private static let rounds =
    ProcessEnvironment["AUDIOSESSION_KILLS"].flatMap { Int($0) }.map { $0 / 4 } ?? 6

  @Test("processes that apply at the same time take turns", .simulatedCard)
  func processes() async throws {
    try await Rig.with { rig in
      let before = try await rig.listing()
      let first = try rig.write("first.toml", Self.microphone)
      let second = try rig.write("second.toml", Self.internalMicrophone)
      try await withThrowingTaskGroup { group in
        for number in 0..<8 {
          group.addTask { try await rig.succeed("apply", number < 4 ? first : second) }
        }
        try await group.waitForAll()
      }
      #expect(try await rig.outside.snapshot().chain.ownedDevices(.input).count == 1)
      try await rig.succeed("revert")
      #expect(try await rig.listing(expecting: before) == before)
    }
  }

  @Test("a store that cannot be written is 74, and the server is untouched", .simulatedCard)
  func store() async throws {
    try await Rig.with { rig in
      let before = try await rig.listing()
      let profile = try rig.write("first.toml", Self.microphone)
      let result = try await rig.sandbox.capture(
        ["env", "XDG_STATE_HOME=/dev/full", builtProgram, "apply", profile, "--timeout", "20s"],
        timeout: .seconds(30))
      #expect(result.status == 74, "\(result.standardError)")
      #expect(result.standardError.contains("XDG_STATE_HOME"))
      #expect(try await rig.listing(expecting: before) == before)
    }
  }
}

extension Rig {
  /// Writes a file into the sandbox's folder; its path.
  func write(_ name: String, _ text: String) throws -> String {
    let path = "\(sandbox.directory)/\(name)"
    try File.write(text.utf8, to: path)
    return path
  }

  /// Runs the program, which must do what it is told.
  func succeed(_ arguments: String...) async throws {
    let result = try await sandbox.capture(
      [builtProgram] + arguments + ["--timeout", "90s"], timeout: .seconds(100))
    #expect(result.status == 0, "\(arguments): \(result.standardOutput)\(result.standardError)")
  }

  /// Runs the program and kills it; how it ends is nobody's business.
  func runAndKill(after moment: Duration, _ arguments: String...) async {
    let run = Task { [sandbox] in try await sandbox.capture([builtProgram] + arguments) }
    try? await ContinuousClock().sleep(for: moment)  // the moment is what is tested
    run.cancel()
    _ = await run.result
  }
}
