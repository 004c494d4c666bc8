import AudioSession
import Glibc
import Pulse
import PulseSandbox
import Testing

@Suite("A Bluetooth headset", .timeLimit(.minutes(2)))
struct BluetoothTests {
  private static let card = "bluez_card.00_11_22_33_44_55"
  private static let music = "bluez_sink.00_11_22_33_44_55.a2dp_sink"
  private static let call = "bluez_source.00_11_22_33_44_55.headset_head_unit"

  /// A laptop, a USB microphone and a headset.
  private static var machine: SandboxConfiguration {
    var modules = SandboxConfiguration.quiet.modules
    if let path = SimulatedCard.modulePath() { modules.append("\(path) kind=bluetooth") }
    return SandboxConfiguration(modules: modules)
  }

  private static func record(_ rig: Rig, _ device: String?) async throws -> PulseStream {
    try await rig.outside.openStream(
      StreamOptions(
        direction: .input, name: "recorder", device: device,
        spec: SampleSpec(format: .s16le, rate: 16000, channels: 1), startCorked: false))
  }

  private static func profile(_ rig: Rig) async throws -> String? {
    try await rig.outside.snapshot().card(named: card)?.activeProfile
  }

  @Test("plays as A2DP, and is a microphone only where that is allowed", .simulatedCard)
  func profiles() async throws {
    try await Rig.with(Self.machine) { rig in
      let before = try await rig.listing()
      var playback = AudioMode(category: .playback)
      playback.preferredOutput = ["bluez_sink.*"]
      var state = try await rig.session.setAudioMode(playback).state
      #expect(state.route.outputs.first?.name == Self.music)
      for category in [Category.record, .playAndRecord] {
        var mode = AudioMode(category: category)
        mode.preferredInput = ["bluez_source.*"]
        if category == .playAndRecord { mode.preferredOutput = ["bluez_sink.*"] }
        let error = await #expect(throws: SessionError.self) {
          try await rig.session.setAudioMode(mode)
        }
        #expect(error?.code == .inputNotAvailable)
        #expect(error?.alternatives.first?.contains("allow-bluetooth-hfp") == true)
        #expect(try await Self.profile(rig) == "a2dp_sink")
        mode.options = [.allowBluetoothHFP]
        state = try await rig.session.setAudioMode(mode).state
        #expect(state.route.inputs.first?.name == Self.call)
        #expect(state.properties["category"]?.verdict == .applied)
        #expect(try await Self.profile(rig) == "headset_head_unit")
        state = try await rig.session.setAudioMode(playback).state
        #expect(state.route.outputs.first?.name == Self.music)
      }
      try await rig.session.revert()
      #expect(try await rig.listing() == before)
    }
  }

  @Test("keeps its sound while a microphone elsewhere is open", .simulatedCard)
  func guarded() async throws {
    try await Rig.with(Self.machine) { rig in
      var mode = AudioMode(category: .playAndRecord)
      mode.preferredInput = [.name(Names.usbInput)]
      mode.preferredOutput = ["bluez_sink.*"]
      mode.ioBufferDuration = .milliseconds(20)
      let state = try await rig.session.setAudioMode(mode).state
      #expect(state.route.outputs.first?.name == Self.music)
      let events = await rig.session.events
      let recorder = try await Self.record(rig, nil)
      // As a desktop's policy for headsets does when somebody records.
      try await rig.outside.setCardProfile(Self.card, "headset_head_unit")
      for await event in events { if case .reapplied = event { break } }
      #expect(
        try await rig.eventually(within: .seconds(20)) { seen in
          seen.card(named: Self.card)?.activeProfile == "a2dp_sink"
            && seen.server.defaultSinkName == Self.music
            && seen.sourceOutputs.first { $0.index == recorder.index }
              .flatMap { seen.device(.input, at: $0.device) }?.name == Names.usbInput
        })
      #expect(await recorder.isOpen)
      await recorder.close()
    }
  }

  @Test("a profile counts once its devices are there, whatever its label says", .simulatedCard)
  func label() async throws {
    try await Rig.with(Self.machine) { rig in
      _ = try await rig.outside.sendMessage(to: "/card/\(Self.card)/sim", "profile-delay", "700")
      var mode = AudioMode(category: .record, options: [.allowBluetoothHFP])
      mode.preferredInput = ["bluez_source.*"]
      let start = ContinuousClock.now
      let state = try await rig.session.setAudioMode(mode).state
      #expect(ContinuousClock.now - start > .milliseconds(600))
      #expect(state.route.inputs.first?.name == Self.call)
      #expect(state.properties["preferredInput"]?.verdict == .applied)
    }
  }

  @Test("a microphone that is not listed yet is waited for", .simulatedCard)
  func later() async throws {
    try await Rig.with(Self.machine) { rig in
      try await rig.act(on: Self.card, "unplug", "headset-input")
      var mode = AudioMode(category: .record, options: [.allowBluetoothHFP])
      mode.preferredInput = ["bluez_source.*"]
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(
        error?.alternatives.contains { $0.contains("lists no profile with a microphone") } == true,
        "\(String(describing: error))")
      mode.inputRequired = false
      let state = try await rig.session.setAudioMode(mode).state
      let input = state.properties["preferredInput"]
      #expect(input?.verdict == .pending && input?.waitingFor == .profile, "\(state.properties)")
      try await rig.act(on: Self.card, "plug", "headset-input")
      #expect(
        try await rig.eventually(within: .seconds(20)) {
          $0.server.defaultSourceName == Self.call
        })
    }
  }

  @Test("codecs are listed, switched, kept and given back", .simulatedCard)
  func codecs() async throws {
    try await Rig.with(Self.machine) { rig in
      var mode = AudioMode(category: .playback)
      mode.preferredOutput = ["bluez_sink.*"]
      try await rig.session.setAudioMode(mode)
      #expect(try await rig.session.availableCodecs.map(\.name) == ["sbc", "sbc_xq_453", "aptx"])
      #expect(try await rig.session.currentCodec?.name == "sbc")
      mode.outputCodec = "aptX"
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.properties["outputCodec"]?.verdict == .applied)
      #expect(report.state.properties["outputCodec"]?.actual == .string("aptx"))
      #expect(try await rig.codec() == "aptx")
      #expect(report.state.route.outputs.first?.name == Self.music)
      #expect(try await rig.session.plan(for: mode).isEmpty)
      try await rig.outside.switchCodec(of: Self.card, to: "sbc")
      #expect(try await rig.eventuallyCodec("aptx"))
      try await rig.session.revert()
      #expect(try await rig.codec() == "sbc")
    }
  }

  @Test("a codec that the card does not offer is an error with those it does", .simulatedCard)
  func unknownCodec() async throws {
    try await Rig.with(Self.machine) { rig in
      let before = try await rig.listing()
      var mode = AudioMode(category: .playback)
      mode.preferredOutput = ["bluez_sink.*"]
      mode.outputVolume = Volume(fraction: 0.2)
      mode.outputCodec = "ldac"
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(error?.code == .codecNotSupported && error?.stage == .device)
      #expect(error?.alternatives == ["sbc (SBC)", "sbc_xq_453 (SBC XQ 453kbps)", "aptx (aptX)"])
      #expect(try await rig.listing() == before)
      // From the other profile it is known only once A2DP is there: then all goes back.
      try await rig.outside.setCardProfile(Self.card, "headset_head_unit")
      let call = try await rig.listing()
      let late = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(
        late?.code == .codecNotSupported && late?.restored == true, "\(String(describing: late))")
      #expect(try await rig.eventually(withModules: true) { Listing($0) == call })
      let profile = try rig.write(
        "ldac.toml", "[output]\nprefer = ['bluez_sink.*']\ncodec = 'ldac'\n")
      let result = try await rig.sandbox.capture([Rig.program, "apply", profile])
      #expect(result.status == 78, "\(result.standardError)")
      let devices = try await rig.sandbox.capture([Rig.program, "devices"])
      #expect(devices.standardOutput.contains("codecs: CVSD (in use), mSBC"))
    }
  }
}

extension Rig {
  fileprivate func codec() async throws -> String? {
    try await outside.codecs(of: "bluez_card.00_11_22_33_44_55").active
  }

  /// Waits until the headset has a codec: switching makes its devices come and go.
  fileprivate func eventuallyCodec(_ name: String) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      if try await codec() == name { return true }
      await Task.yield()
    }
    return false
  }
}
