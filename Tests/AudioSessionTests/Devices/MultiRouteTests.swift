import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("Several outputs at once", .timeLimit(.minutes(10)))
struct MultiRouteTests {
  /// Two outputs of the two servers, without anything that moves or suspends by itself.
  private static func machine(_ kind: ServerKind) -> SandboxConfiguration {
    guard kind == .pulseaudio else { return .nullDevices(on: .pipewire) }
    return SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100",
      "module-null-sink sink_name=headphones rate=44100",
      "module-null-source source_name=mic",
    ])
  }

  private static func preferring(_ change: (inout AudioMode) -> Void = { _ in }) -> AudioMode {
    var mode = AudioMode(category: .multiRoute)
    mode.preferredOutput = ["speakers", "headphones"]
    change(&mode)
    return mode
  }

  @Test(
    "each is heard, and it goes with the category", .bothServers,
    arguments: Feature.multiRoute.servers)
  func heard(_ kind: ServerKind) async throws {
    try await Rig.with(Self.machine(kind)) { rig in
      let before = try await rig.listing()
      let report = try await rig.session.setAudioMode(Self.preferring())
      #expect(report.state.properties[.category]?.verdict == .applied)
      #expect(report.state.properties[.preferredOutput]?.verdict == .applied)
      #expect(report.state.route.outputs.map(\.name) == ["speakers", "headphones"])
      #expect(report.state.route.outputs.allSatisfy { $0.via == ["audiosession.combined"] })
      var levels = try await rig.levels(of: ["speakers", "headphones"])
      // A busy machine may connect them later than the second that is left out.
      for number in 1...2 where !levels.allSatisfy({ $0 > 0.05 }) {
        noteTry(number, of: 2)
        levels = try await rig.levels(of: ["speakers", "headphones"])
      }
      #expect(levels.allSatisfy { $0 > 0.05 }, "\(levels)")
      // Applied again there is nothing to do.
      #expect(try await rig.session.plan(for: Self.preferring()).isEmpty)
      try await rig.session.revert()
      #expect(try await rig.eventually(withModules: true) { Listing($0) == before })
    }
  }

  @Test(
    "the channel map is over it, and nothing but the outputs is left of it", .bothServers,
    arguments: Feature.multiRoute.servers)
  func composed(_ kind: ServerKind) async throws {
    try await Rig.with(Self.machine(kind)) { rig in
      let report = try await rig.session.setAudioMode(
        Self.preferring { $0.outputChannelMap = .swap })
      #expect(report.state.properties[.outputChannelMap]?.verdict == .applied)
      #expect(
        report.state.route.outputs.map(\.via)
          == Array(repeating: ["audiosession.combined", "audiosession.output"], count: 2))
      let playback = AudioMode(category: .playback)
      let after = try await rig.session.setAudioMode(playback)
      #expect(after.state.route.outputs.map(\.via) == [[]])
      let seen = try await rig.snapshot {
        $0.sinks.allSatisfy { !$0.name.hasPrefix("audiosession") }
      }
      #expect(seen.sinks.allSatisfy { !$0.name.hasPrefix("audiosession") })
    }
  }

  @Test(
    "what a killed holder left is used, and what is unloaded comes back", .bothServers,
    arguments: Feature.multiRoute.servers)
  func adopted(_ kind: ServerKind) async throws {
    try await Rig.with(Self.machine(kind)) { rig in
      let profile = try rig.write(
        "both.toml",
        "category = 'multi-route'\n[output]\nprefer = ['speakers', 'headphones']\n")
      try await rig.succeed("apply", profile)
      let left = try await rig.snapshot { $0.combiner != nil }
      let module = try #require(left.combiner)
      // A command has ended without taking it away: the next session finds it as it should be.
      let report = try await rig.session.setAudioMode(Self.preferring())
      #expect(report.steps.isEmpty, "\(report.steps)")
      let kept = try await rig.snapshot { $0.combiner == module }
      #expect(kept.combiner == module)
      try await rig.outside.unloadModule(module)
      #expect(
        try await rig.eventually { seen in
          seen.combination?.outputs == ["headphones", "speakers"]
            && seen.server.defaultSinkName == "audiosession.combined"
        })
    }
  }

  @Test(
    "an output that goes takes itself out, and is in it again when it returns", .bothServers,
    arguments: Feature.multiRoute.servers)
  func replugged(_ kind: ServerKind) async throws {
    try await Rig.with(Self.machine(kind)) { rig in
      let third = try await rig.outside.loadModule(
        "module-null-sink", "sink_name=third rate=44100")
      #expect(try await rig.eventually { $0.device(.output, named: "third") != nil })
      let mode = Self.preferring { $0.preferredOutput = ["speakers", "headphones", "third"] }
      try await rig.session.setAudioMode(mode)
      try await rig.outside.unloadModule(third)
      #expect(
        try await rig.eventually { $0.combination?.outputs == ["headphones", "speakers"] })
      _ = try await rig.outside.loadModule("module-null-sink", "sink_name=third rate=44100")
      #expect(
        try await rig.eventually {
          $0.combination?.outputs == ["headphones", "speakers", "third"]
        })
    }
  }

  /// PulseAudio ends the streams of combined outputs while nothing plays.
  @Test(
    "without a list, another program's device that plays into an output is not combined with it",
    .bothServers, arguments: Feature.multiRoute.servers)
  func foreignFilter(_ kind: ServerKind) async throws {
    try await Rig.with(Self.machine(kind)) { rig in
      _ = try await rig.outside.loadModule(
        "module-remap-sink", "sink_name=effects master=speakers")
      #expect(try await rig.sessionSees { $0.device(.output, named: "effects") != nil })
      func outputs(_ mode: AudioMode) async throws -> [String] {
        try await rig.session.setAudioMode(mode).state.route.outputs.map(\.name).sorted()
      }
      #expect(
        try await outputs(AudioMode(category: .multiRoute)) == ["headphones", "speakers"])
      // Named, it is used.
      let named = Self.preferring { $0.preferredOutput = ["effects", "headphones"] }
      #expect(try await outputs(named) == ["effects", "headphones"])
    }
  }

  @Test("outputs that sleep are still combined")
  func asleep() async throws {
    var machine = Self.machine(.pulseaudio)
    machine.modules.append("module-suspend-on-idle timeout=0")
    try await Rig.with(machine) { rig in
      try await rig.session.setAudioMode(Self.preferring())
      let asleep = try await rig.snapshot {
        $0.device(.output, named: "audiosession.combined")?.state == .suspended
          && $0.sinkInputs.isEmpty
      }
      #expect(asleep.device(.output, named: "audiosession.combined")?.state == .suspended)
      #expect(asleep.sinkInputs.isEmpty)
      let module = try #require(asleep.combiner)
      #expect(try await rig.session.plan(for: Self.preferring()).isEmpty)
      // The holder looks at it: it restores the default, and nothing else.
      try await rig.outside.setDefaultSink("headphones")
      #expect(
        try await rig.eventually { $0.server.defaultSinkName == "audiosession.combined" })
      #expect(try await rig.snapshot { $0.combiner != nil }.combiner == module)
      let state = try await rig.session.getSessionState()
      #expect(state.properties[.category]?.verdict == .applied)
      #expect(state.route.outputs.map(\.name) == ["speakers", "headphones"])
    }
  }

  @Test(
    "one output is an error that names the others, and nothing is half-applied", .bothServers,
    arguments: Feature.multiRoute.servers)
  func oneOutput(_ kind: ServerKind) async throws {
    try await Rig.with(Self.machine(kind)) { rig in
      let before = try await rig.listing()
      let mode = Self.preferring {
        $0.preferredOutput = ["speakers"]
        $0.outputVolume = Volume(fraction: 0.3)
      }
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(error?.code == .categoryNotSupported && error?.stage == .device)
      #expect(error?.alternatives.contains("headphones: connected, but not asked for") == true)
      #expect(try await rig.listing(expecting: before) == before)
      let profile = try rig.write(
        "one.toml", "category = 'multi-route'\n[output]\nprefer = ['speakers']\n")
      let result = try await rig.sandbox.capture(
        [builtProgram, "apply", profile, "--timeout", "20s"], timeout: .seconds(30))
      #expect(result.status == 78, "\(result.standardError)")
      #expect(result.standardError.contains("name two or more in output.prefer"))
    }
  }
}

extension ServerSnapshot {
  /// The module of our sink that plays on several.
  fileprivate var combiner: Index<Module>? {
    device(.output, named: "audiosession.combined")?.ownerModule
  }
}

extension Rig {
  /// How loud a program that plays noise is heard at each of some outputs.
  fileprivate func levels(of outputs: [String]) async throws -> [Double] {
    let kept = 44100
    let record = outputs.map { output in
      """
      parec --raw --format=s16le --rate=44100 --channels=1 --latency-msec=20 -d \(output).monitor \
      | head -c \(kept * 3) | tail -c \(kept) > \(output).raw &
      """
    }
    let command = """
      cd \(sandbox.directory); head -c 600000 /dev/urandom > loud.raw
      paplay --raw --format=s16le --rate=44100 --channels=1 loud.raw & player=$!
      \(record.joined(separator: "\n"))
      for job in $(jobs -p); do [ $job = $player ] || wait $job; done; kill $player
      """
    _ = try await sandbox.capture(["/bin/bash", "-c", command], timeout: .seconds(40))
    return try outputs.map { try Self.level(of: "\(sandbox.directory)/\($0).raw") }
  }

  private static func level(of path: String) throws -> Double {
    let bytes = try File.bytes(of: path, atMost: 88200)
    guard bytes.count > 2000 else { return 0 }
    let power = stride(from: 0, to: bytes.count - 1, by: 2).reduce(0.0) { sum, at in
      let sample = Double(Int16(bitPattern: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8))
      return sum + sample * sample
    }
    return (power / Double(bytes.count / 2)).squareRoot() / 32768
  }
}
