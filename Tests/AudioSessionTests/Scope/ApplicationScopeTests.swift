import AudioSession
import Glibc
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("A session of one program", .timeLimit(.minutes(10)))
struct ApplicationScopeTests {
  private static let machines = Feature.scope.machines

  private static func preferring(
    on machine: Machine, _ change: (inout AudioMode) -> Void = { _ in }
  ) -> AudioMode {
    var mode = AudioMode(category: .record)
    mode.scope = .application
    mode.preferredInput = [.name(machine.laptopInput)]
    mode.ioBufferDuration = .milliseconds(10)
    change(&mode)
    return mode
  }

  /// A recorder of this process, as another library in the program would open one.
  private static func record(_ rig: Rig) async throws -> PulseStream {
    try await rig.outside.openStream(
      StreamOptions(
        direction: .input, name: "ours", device: nil,
        spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
  }

  @Test(
    "one that goes without a close moves its streams back, and the next one can begin at once",
    .bothServers, arguments: machines)
  func forgotten(_ machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      try await rig.outside.setDefaultSource(machine.usbInput)
      #expect(try await rig.eventually { $0.server.defaultSourceName == machine.usbInput })
      let stream = try await Self.record(rig)
      var session: AudioSession? = Rig.session(rig.sandbox)
      try await session?.setAudioMode(Self.preferring(on: machine))
      #expect(try await rig.eventually { $0.source(of: stream) == machine.laptopInput })
      await Rig.release(&session)
      try await rig.session.setAudioMode(
        Self.preferring(on: machine) { $0.preferredInput = [.name(machine.usbInput)] })
      #expect(try await rig.eventually { $0.source(of: stream) == machine.usbInput })
      await stream.close()
    }
  }

  @Test(
    "takes its own streams along, old and new, and nothing else", .bothServers,
    arguments: machines)
  func ownStreams(_ machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      try await rig.outside.setDefaultSource(machine.usbInput)
      #expect(try await rig.eventually { $0.server.defaultSourceName == machine.usbInput })
      try await rig.withRecorder { foreign in
        let old = try await Self.record(rig)
        #expect(try await rig.eventually { $0.source(of: old) == machine.usbInput })
        let before = try await rig.listing()
        let report = try await rig.session.setAudioMode(Self.preferring(on: machine))
        #expect(report.state.scope == .application)
        #expect(report.state.properties[.preferredInput]?.verdict == .applied)
        #expect(report.state.properties[.category]?.verdict == .applied)
        #expect(report.state.route.inputs.map(\.name) == [machine.laptopInput])
        let new = try await Self.record(rig)
        #expect(
          try await rig.eventually {
            $0.source(of: old) == machine.laptopInput && $0.source(of: new) == machine.laptopInput
          })
        let seen = try await rig.outside.snapshot()
        #expect(seen.source(of: foreign) == machine.usbInput)
        #expect(seen.server.defaultSourceName == machine.usbInput)
        await new.close()
        try await rig.session.setActive(false)
        #expect(try await rig.eventually(withModules: true) { Listing($0) == before })
        // Nothing on disk either.
        #expect(access(rig.sandbox.directory + "/store", F_OK) != 0)
        await old.close()
      }
    }
  }

  @Test("holds the buffer, and gives it back when it closes", .server)
  func buffer() async throws {
    try await Rig.with(.nullDevices) { rig in
      var mode = Self.preferring(on: .graph)
      mode.preferredInput = ["internal_mic"]
      let report = try await rig.session.setAudioMode(mode)
      let buffer = report.state.properties[.ioBufferDuration]
      #expect(buffer?.verdict == .applied && buffer?.held == true, "\(report.state.properties)")
      await rig.session.close()
      let seen = try await rig.outside.snapshot()
      #expect(seen.sourceOutputs.isEmpty)
    }
  }

  @Test(
    "lives beside a holder that moves streams, and beside another program's session",
    .bothServers, arguments: machines)
  func besideOthers(_ machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      try await rig.outside.setDefaultSource(machine.usbInput)
      #expect(try await rig.eventually { $0.server.defaultSourceName == machine.usbInput })
      let stream = try await Self.record(rig)
      try await rig.session.setAudioMode(Self.preferring(on: machine))
      #expect(try await rig.eventually { $0.source(of: stream) == machine.laptopInput })
      let path = rig.sandbox.directory + "/recorded.wav"
      let own = "scope = 'application'\n[input]\nprefer = ['\(machine.laptopInput)']\n"
      let all = "[input]\nprefer = ['\(machine.usbInput)']\nmove-streams = true\n"
      let first = try rig.write("own.toml", own + "[output]\n")
      let holder = try rig.write("all.toml", all)
      // A holder of the server, which takes its lock, and a third program with a session of its own.
      let watching = rig.start(builtProgram, "watch", holder)
      let recording = rig.start(builtProgram, "record", path, "--profile", first)
      #expect(
        try await rig.eventually(within: .seconds(30)) { seen in
          seen.server.defaultSourceName == machine.usbInput
            && seen.sourceOutputs.contains {
              $0.name == "Audio capture"
                && seen.device(.input, at: $0.device)?.name == machine.laptopInput
            }
        })
      let quiet = try await rig.outside.snapshot()
      #expect(quiet.source(of: stream) == machine.laptopInput)
      let state = try await rig.session.getSessionState()
      #expect(state.holder?.pid == getpid() && state.scope == .application)
      #expect(state.reapplies == 0 && state.conflicts.isEmpty)
      // Killed, the other program leaves nothing.
      recording.cancel()
      #expect(
        try await rig.eventually { seen in
          !seen.sourceOutputs.contains { $0.name == "Audio capture" }
        })
      watching.cancel()
      await stream.close()
      _ = await (recording.result, watching.result)
    }
  }

  @Test("one of a program at a time; another scope undoes it", .server)
  func oneAtATime() async throws {
    try await Rig.with(.nullDevices) { rig in
      var mode = Self.preferring(on: .graph)
      mode.preferredInput = ["internal_mic"]
      try await rig.session.setAudioMode(mode)
      let second = Rig.session(rig.sandbox)
      let error = await #expect(throws: SessionError.self) { try await second.setAudioMode(mode) }
      #expect(error?.code == .isBusy && error?.message.contains("this program") == true)
      var shared = AudioMode(category: .record)
      shared.preferredInput = ["usb_mic"]
      let report = try await rig.session.setAudioMode(shared)
      #expect(report.state.scope == .server)
      let seen = try await rig.outside.snapshot()
      #expect(seen.server.defaultSourceName == "usb_mic" && seen.sourceOutputs.isEmpty)
      // The claim is free again, and the server's setup is as before once the scope changes.
      try await second.setAudioMode(mode)
      // Another scope that cannot be had leaves the mode as it was.
      let refused = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(refused?.code == .isBusy && refused?.restored == true)
      let kept = try await rig.session.getSessionState()
      #expect(kept.scope == .server && kept.properties[.preferredInput]?.verdict == .applied)
      #expect(try await rig.outside.serverInfo().defaultSourceName == "usb_mic")
      await second.close()
      try await rig.session.setAudioMode(mode)
      #expect(try await rig.outside.serverInfo().defaultSourceName == "internal_mic")
    }
  }

  @Test("a change of scope that fails leaves the levels that a person has set", .server)
  func failedChange() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = ["mic"]
      (mode.inputMuted, mode.inputGain) = (false, Volume(fraction: 0.5))
      var impossible = mode
      (impossible.scope, impossible.preferredInput) = (.application, ["nowhere"])
      let (wanted, failing) = (mode, impossible)
      try await rig.session.setAudioMode(wanted)
      func fail() async throws -> Device {
        let error = await #expect(throws: SessionError.self) {
          try await rig.session.setAudioMode(failing)
        }
        #expect(error?.restored == true, "\(error as Any)")
        return try #require(try await rig.outside.source(named: "mic"))
      }
      let kept = try await fail()
      #expect(kept.volume.loudest == Volume(fraction: 0.5) && !kept.isMuted)
      let theirs = ChannelVolumes(Volume(fraction: 0.2), channels: kept.channelMap.count)
      try await rig.setInputVolume(theirs, of: "mic")
      try await rig.outside.setMute(.input, device: "mic", true)
      #expect(
        try await rig.sessionSees { $0.device(.input, named: "mic")?.isMuted == true })
      let after = try await fail()
      #expect(after.isMuted && after.volume == theirs, "\(after)")
    }
  }

  @Test("the speaker stays chosen while another device is the default", .server)
  func speaker() async throws {
    var configuration = SandboxConfiguration.quiet
    configuration.modules.append("module-null-sink sink_name=other")
    try await Rig.with(configuration) { rig in
      try await rig.outside.setDefaultSink("other")
      var mode = AudioMode(category: .playAndRecord)
      mode.scope = .application
      mode.preferredOutput = [.name(Names.laptopOutput)]
      try await rig.session.setAudioMode(mode)
      try await rig.session.overrideOutputPort(.speaker)
      // A second look begins when the first has ended.
      for fraction in [0.4, 0.6] {
        let looks = await rig.session.looks
        try await rig.outside.setVolume(
          .output, device: "other", ChannelVolumes(Volume(fraction: fraction), channels: 2))
        #expect(await eventually { await rig.session.looks > looks })
      }
      let state = try await rig.session.getSessionState()
      #expect(state.route.outputs.map(\.name) == [Names.laptopOutput])
      #expect(state.properties[.outputPort]?.preferred == .strings(["type:speaker"]))
    }
  }

  @Test("goes on after a restart of the server", .bothServers, arguments: machines)
  func restart(_ machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      try await rig.session.setAudioMode(Self.preferring(on: machine))
      let events = rig.session.events
      try await rig.sandbox.restart()
      for await event in events { if case .serverReset = event { break } }
      let client = try await Rig.client(of: rig.sandbox, "ours")
      let stream = try await client.openStream(
        StreamOptions(
          direction: .input, name: "ours", device: nil,
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      var seen: String?
      let deadline = ContinuousClock.now + .seconds(20)
      while seen != machine.laptopInput, ContinuousClock.now < deadline {
        seen = try await client.snapshot().source(of: stream)
      }
      #expect(seen == machine.laptopInput)
      await client.close()
    }
  }

  @Test("a session that no program's streams could be of refuses it", .server)
  func refused() async throws {
    try await Rig.with(.minimal, isHolding: false) { rig in
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(Self.preferring(on: .graph))
      }
      #expect(error?.code == .invalidValue && error?.stage == .configuration)
    }
  }
}

extension ServerSnapshot {
  /// The source that a stream records.
  fileprivate func source(of stream: PulseStream) -> String? { source(of: stream.index) }

  fileprivate func source(of index: Index<PulseTypes.Stream>) -> String? {
    sourceOutputs.first { $0.index == index }.flatMap { device(.input, at: $0.device)?.name }
  }
}

extension Rig {
  /// A recorder of another process, while the body runs.
  fileprivate func withRecorder(
    _ body: (Index<PulseTypes.Stream>) async throws -> Void
  ) async throws {
    let known = Set(try await outside.snapshot().sourceOutputs.map(\.index))
    let recorder = start("parec", "--raw", "/dev/null")
    defer { recorder.cancel() }
    var found: Index<PulseTypes.Stream>?
    _ = try await eventually(within: .seconds(20)) { seen in
      found = seen.sourceOutputs.first { !known.contains($0.index) && $0.device != nil }?.index
      return found != nil
    }
    try await body(try #require(found))
  }

  /// Runs a program until it is cancelled, which kills it.
  fileprivate func start(_ command: String...) -> Task<Void, any Error> {
    Task { [sandbox] in _ = try await sandbox.capture(command, timeout: .seconds(100)) }
  }
}
