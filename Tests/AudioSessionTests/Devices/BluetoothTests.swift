import AudioSession
import Glibc
import Pulse
import PulseSandbox
import TestSupport
import Testing

@Suite("A Bluetooth headset", .timeLimit(.minutes(10)))
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
        #expect(state.properties[.category]?.verdict == .applied)
        #expect(try await Self.profile(rig) == "headset_head_unit")
        state = try await rig.session.setAudioMode(playback).state
        #expect(state.route.outputs.first?.name == Self.music)
      }
      try await rig.session.revert()
      #expect(try await rig.listing(expecting: before) == before)
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
      let events = rig.session.events
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
      #expect(state.properties[.preferredInput]?.verdict == .applied)
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
      let input = state.properties[.preferredInput]
      #expect(input?.verdict == .pending && input?.waitingFor == .profile, "\(state.properties)")
      try await rig.act(on: Self.card, "plug", "headset-input")
      #expect(
        try await rig.eventually(within: .seconds(20)) {
          $0.server.defaultSourceName == Self.call
        })
    }
  }

  @Test(
    "cards that never say which codecs they have cost a moment, not a card each", .simulatedCard)
  func silentCards() async throws {
    var machine = Self.machine
    if let path = SimulatedCard.modulePath() {
      for number in 1...14 {
        machine.modules.append("\(path) kind=bluetooth name=headset\(number)")
      }
    }
    try await Rig.with(machine) { rig in
      let proxy = try Proxy(to: rig.sandbox.address)
      defer { proxy.end() }
      proxy.swallow("list-codecs")
      let session = AudioSession(
        server: proxy.address,
        configuration: SessionConfiguration(
          timeout: .seconds(10), storeFolder: rig.sandbox.directory + "/proxied"))
      let start = ContinuousClock.now
      let seen = try await session.snapshot()
      #expect(ContinuousClock.now - start < .seconds(2) + Rig.standstill)
      let cards = seen.cards.filter(\.isBluetooth)
      #expect(cards.count == 15 && cards.allSatisfy { $0.codecs == nil })
      // The last request has the least time: it may still be on its way.
      #expect(await eventually { proxy.swallows >= 15 })
      // What does not need a codec is applied all the same.
      var mode = AudioMode(category: .playback)
      mode.outputVolume = Volume(fraction: 0.4)
      let report = try await session.setAudioMode(mode)
      #expect(report.state.properties[.outputVolume]?.verdict == .applied)
      try await session.revert()
      await session.close()
      // A shorter time limit holds, and a cancellation is no card without codecs.
      let hasty = AudioSession(
        server: proxy.address,
        configuration: SessionConfiguration(
          timeout: .milliseconds(500), storeFolder: rig.sandbox.directory + "/proxied"))
      let begin = ContinuousClock.now
      _ = try? await hasty.snapshot()
      #expect(ContinuousClock.now - begin < .milliseconds(500) + Rig.standstill)
      await hasty.close()
    }
  }
}
