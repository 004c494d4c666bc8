import AudioSession
import Pulse
import PulseSandbox
import TestSupport
import Testing

@Suite("All or nothing", .timeLimit(.minutes(10)))
struct RollbackTests {
  @Test("a failure at the end restores everything before it, and says both", .simulatedCard)
  func strictHint() async throws {
    try await Rig.with { rig in
      try await rig.setProfile("output:analog-stereo")
      let before = try await rig.listing()
      var mode = AudioMode.full
      mode.inputPort = ["analog-input-internal-mic"]
      mode.sampleRate = 96000
      mode.strict = [.sampleRate]
      await #expect { try await rig.session.setAudioMode(mode) } throws: { error in
        let error = error as? SessionError
        return error?.code == .hintNotGranted && error?.restored == true
      }
      #expect(try await rig.listing(expecting: before) == before)
    }
  }

  @Test(
    "a profile that the card refuses is an error with its name", .bothServers,
    arguments: Feature.cards.machines)
  func refusedProfile(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.setProfile("output:analog-stereo")
      let before = try await rig.listing()
      let wanted = "output:analog-stereo+input:analog-stereo"
      try await rig.act(on: Names.laptop, "fail-profile", wanted)
      var mode = AudioMode.full
      mode.inputPort = ["analog-input-internal-mic"]
      await #expect { try await rig.session.setAudioMode(mode) } throws: { error in
        let error = error as? SessionError
        return error?.code == .refused && error?.message.contains(wanted) == true
      }
      #expect(try await rig.listing(expecting: before) == before)
    }
  }

  @Test(
    "best effort applies what it can and lists the rest", .bothServers,
    arguments: Feature.revert.machines)
  func bestEffort(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      var mode = AudioMode(category: .record)
      mode.onFailure = .bestEffort
      mode.preferredInput = [.name(machine.usbInput)]
      mode.channelMap = .positions([.rearLeft, .rearRight])
      mode.inputGain = Volume(fraction: 0.6)
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.unmet.map(\.property) == [.channelMap])
      #expect(report.state.properties[.inputGain]?.verdict == .applied)
      #expect(report.state.properties[.channelMap]?.verdict == .unreachable)
    }
  }

  /// An offset that was set below an echo canceller ended pipewire-pulse 0.3.65.
  @Test(
    "what a server is known not to keep is unreachable, and not tried", .graphCards,
    arguments: [Mode.default, .voiceChat])
  func notKept(_ use: Mode) async throws {
    let machine = Machine.graph
    try await Rig.with(machine.configuration) { rig in
      let server = await rig.sandbox.processID()
      var mode = AudioMode(category: .playAndRecord, mode: use)
      mode.preferredInput = [.name(machine.usbInput)]
      mode.inputGain = Volume(fraction: 0.4)
      // Only nodes of ALSA and Bluetooth have a latency offset.
      mode.inputLatencyOffset = .seconds(2)
      mode.outputLatencyOffset = .seconds(2)
      let report = try await rig.session.setAudioMode(mode)
      let offsets = [Property.inputLatencyOffset, .outputLatencyOffset]
      #expect(!report.steps.contains { offsets.contains($0.step.property) })
      #expect(report.state.properties[.inputGain]?.verdict == .applied)
      for (property, device) in zip(offsets, [machine.usbInput, machine.laptopOutput]) {
        let offset = report.state.properties[property]
        #expect(offset?.verdict == .unreachable)
        #expect(
          offset?.reason
            == "\(device) is made by 'simulated.node', of which PipeWire keeps no latency offset")
      }
      try await rig.session.revert()
      #expect(await rig.sandbox.processID() == server)
    }
  }

  @Test(
    "a recorder on our remap survives a profile change of ours and its rollback", .simulatedCard,
    arguments: [false, true])
  func recorderSurvives(isCorked: Bool) async throws {
    try await Rig.with { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.laptopInput)]
      mode.channelMap = .swap
      try await rig.session.setAudioMode(mode)
      let recorder = try await rig.outside.openStream(
        StreamOptions(
          direction: .input, name: "recorder", device: "audiosession.input",
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: isCorked))
      // The laptop's profile changes for HDMI, then that of the other card fails: rolled back.
      try await rig.act(on: Names.laptop, "plug", "hdmi-output-0")
      mode.preferredOutput = [.name("alsa_output.pci-0000_00_1f.3.hdmi-stereo")]
      mode.preferredInput = [.name(Names.usbInput)]
      try await rig.outside.setCardProfile(Names.usbCard, "off")
      try await rig.act(on: Names.usbCard, "fail-profile", "input:analog-stereo")
      let before = try await rig.listing()
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(error?.restored == true, "\(String(describing: error))")
      #expect(try await rig.listing(expecting: before) == before)
      #expect(await recorder.isOpen)
      mode.preferredInput = [.name(Names.laptopInput)]
      try await rig.session.setAudioMode(mode)
      #expect(await recorder.isOpen)
      let seen = try await rig.outside.snapshot()
      #expect(seen.card(named: Names.laptop)?.activeProfile?.contains("hdmi") == true)
      let stream = seen.sourceOutputs.first { $0.index == recorder.index }
      #expect(seen.device(.input, at: stream?.device)?.name == "audiosession.input")
      await recorder.close()
    }
  }
}

extension AudioMode {
  static var fullInternal: AudioMode {
    var mode = AudioMode.full
    mode.inputPort = ["analog-input-internal-mic"]
    return mode
  }
}
