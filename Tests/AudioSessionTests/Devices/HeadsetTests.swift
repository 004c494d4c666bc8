import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// A Bluetooth headset beside a laptop: on PulseAudio each of its profiles has devices of other names,
/// on PipeWire the output has one name under both.
@Suite("A Bluetooth headset", .bothServers, .timeLimit(.minutes(10)))
struct HeadsetTests {
  struct Headset: Sendable, CustomTestStringConvertible {
    let machine: Machine
    let (music, call): (String, String)
    let (musicOutput, callOutput, input): (String, String, String)
    static let card = "bluez_card.00_11_22_33_44_55"

    var testDescription: String { machine.testDescription }
    var configuration: SandboxConfiguration {
      get throws { try machine.with(cards: ["kind=laptop", "kind=bluetooth"]) }
    }

    init(_ machine: Machine) {
      self.machine = machine
      (music, call) =
        machine.isGraph
        ? ("a2dp-sink", "headset-head-unit") : ("a2dp_sink", "headset_head_unit")
      let address = "00_11_22_33_44_55"
      (musicOutput, callOutput, input) =
        machine.isGraph
        ? ("bluez_output.\(address).1", "bluez_output.\(address).1", "bluez_input.\(address).0")
        : (
          "bluez_sink.\(address).a2dp_sink", "bluez_sink.\(address).headset_head_unit",
          "bluez_source.\(address).headset_head_unit"
        )
    }
  }

  static let headsets = Feature.bluetooth.machines.map { Headset($0) }

  private func profile(_ snapshot: ServerSnapshot) -> String? {
    snapshot.card(named: Headset.card)?.activeProfile
  }

  @Test(
    "its microphone is used with the option alone, under the call's profile", arguments: headsets)
  func record(_ headset: Headset) async throws {
    try await Rig.with(headset.configuration) { rig in
      try await rig.setProfile(headset.music, of: Headset.card)
      let before = try await rig.listing()
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(headset.input)]
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(error?.code == .inputNotAvailable)
      #expect(error?.description.contains("allow-bluetooth-hfp") == true, "\(error as Any)")
      #expect(try await rig.listing(expecting: before) == before)
      mode.options = [.allowBluetoothHFP]
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.properties[.category]?.verdict == .applied)
      #expect(report.state.route.inputs.first?.portType == .bluetoothHFP)
      let seen = try await rig.snapshot {
        profile($0) == headset.call && $0.server.defaultSourceName == headset.input
      }
      #expect(profile(seen) == headset.call)
      #expect(seen.server.defaultSourceName == headset.input)
      try await rig.session.revert()
      let after = try await rig.listing(expecting: before)
      #expect(after == before, "\(after.difference(from: before))")
    }
  }

  @Test("a call takes both directions of it", arguments: headsets)
  func call(_ headset: Headset) async throws {
    try await Rig.with(headset.configuration) { rig in
      try await rig.setProfile(headset.music, of: Headset.card)
      var mode = AudioMode(category: .playAndRecord)
      mode.options = [.allowBluetoothHFP]
      mode.preferredInput = [.portType(.bluetoothHFP)]
      mode.preferredOutput = [.portType(.bluetoothHFP), .portType(.bluetoothA2DP)]
      try await rig.session.setAudioMode(mode)
      let seen = try await rig.snapshot {
        profile($0) == headset.call && $0.server.defaultSourceName == headset.input
          && $0.server.defaultSinkName == headset.callOutput
      }
      #expect(profile(seen) == headset.call)
      #expect(seen.server.defaultSourceName == headset.input)
      #expect(seen.server.defaultSinkName == headset.callOutput)
      #expect(seen.device(.output, named: headset.callOutput)?.channelMap == .mono)
    }
  }

  @Test("playback prefers its music profile", arguments: headsets)
  func playback(_ headset: Headset) async throws {
    try await Rig.with(headset.configuration) { rig in
      try await rig.setProfile(headset.call, of: Headset.card)
      var mode = AudioMode(category: .playback)
      mode.preferredOutput = [.properties(["device.bus": "bluetooth"])]
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.route.outputs.first?.portType == .bluetoothA2DP)
      let seen = try await rig.snapshot {
        profile($0) == headset.music && $0.server.defaultSinkName == headset.musicOutput
      }
      #expect(profile(seen) == headset.music)
      #expect(seen.server.defaultSinkName == headset.musicOutput)
      #expect(seen.device(.output, named: headset.musicOutput)?.channelMap == .stereo)
    }
  }

  @Test("recording elsewhere leaves it its music, and hears what is there", arguments: headsets)
  func guarded(_ headset: Headset) async throws {
    let cards = try headset.machine.with(cards: ["kind=laptop tone=yes", "kind=bluetooth"])
    try await Rig.with(cards) { rig in
      try await rig.setProfile(headset.music, of: Headset.card)
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(headset.machine.laptopInput)]
      mode.inputPort = ["analog-input-internal-mic"]
      mode.preferredOutput = [.name(headset.musicOutput)]
      for category in [Category.record, .playAndRecord] {
        mode.category = category
        let state = try await rig.session.setAudioMode(mode).state
        #expect(state.route.outputs.first?.portType == .bluetoothA2DP, "\(state.route)")
        // A program that records the default, as `record` does.
        var heard: [Set<Int>] = []
        // A machine that is too busy loses sound, and is listened to again.
        for number in 1...5 where heard != [[440], [880]] {
          noteTry(number, of: 5)
          let sound = try await rig.record(channels: 2)
          heard = [sound.tones(in: 0), sound.tones(in: 1)]
        }
        #expect(heard == [[440], [880]])
        let seen = try await rig.snapshot { profile($0) == headset.music }
        #expect(profile(seen) == headset.music)
        #expect(seen.device(.output, named: headset.musicOutput)?.channelMap == .stereo)
      }
      // As a desktop's policy for headsets does when somebody records.
      try await rig.outside.setCardProfile(Headset.card, headset.call)
      #expect(
        try await rig.eventually {
          profile($0) == headset.music && $0.server.defaultSinkName == headset.musicOutput
            && $0.server.defaultSourceName == headset.machine.laptopInput
        })
    }
  }

  @Test(
    "the only microphone there is: said, with the option, and its music stays",
    arguments: headsets)
  func alone(_ headset: Headset) async throws {
    try await Rig.with(try headset.machine.with(cards: ["kind=bluetooth"])) { rig in
      try await rig.setProfile(headset.music, of: Headset.card)
      let before = try await rig.listing()
      var mode = AudioMode(category: .record)
      for prefer in [nil, ["*"], [.default]] as [[DeviceMatcher]?] {
        mode.preferredInput = prefer
        let error = await #expect(throws: SessionError.self) {
          try await rig.session.setAudioMode(mode)
        }
        #expect(error?.code == .inputNotAvailable)
        #expect(error?.description.contains("allow-bluetooth-hfp") == true, "\(error as Any)")
      }
      #expect(try await rig.listing(expecting: before) == before)
      mode.options = [.allowBluetoothHFP]
      mode.preferredInput = ["*"]
      let state = try await rig.session.setAudioMode(mode).state
      #expect(state.route.inputs.first?.portType == .bluetoothHFP)
    }
  }

  @Test("a microphone that is not there yet is waited for", arguments: headsets)
  func later(_ headset: Headset) async throws {
    try await Rig.with(headset.configuration) { rig in
      try await rig.setProfile(headset.music, of: Headset.card)
      try await rig.act(on: Headset.card, "unplug", "headset-input")
      var mode = AudioMode(category: .record, options: [.allowBluetoothHFP])
      mode.preferredInput = [.name(headset.input)]
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(error?.code == .inputNotAvailable)
      mode.inputRequired = false
      let state = try await rig.session.setAudioMode(mode).state
      let input = state.properties[.preferredInput]
      #expect(input?.verdict == .pending && input?.waitingFor == .profile, "\(state.properties)")
      try await rig.act(on: Headset.card, "plug", "headset-input")
      #expect(
        try await rig.eventually {
          profile($0) == headset.call && $0.server.defaultSourceName == headset.input
        })
      let after = try await rig.state { $0.properties[.preferredInput]?.verdict == .applied }
      #expect(after.properties[.preferredInput]?.verdict == .applied, "\(after.properties)")
    }
  }

  @Test("a profile's label is not believed before its devices are there", arguments: headsets)
  func label(_ headset: Headset) async throws {
    try await Rig.with(headset.configuration) { rig in
      try await rig.setProfile(headset.music, of: Headset.card)
      try await rig.act(on: Headset.card, "profile-delay", "300")
      var mode = AudioMode(category: .record)
      mode.options = [.allowBluetoothHFP]
      mode.preferredInput = [.name(headset.input)]
      let state = try await rig.session.setAudioMode(mode).state
      #expect(state.route.inputs.map(\.name) == [headset.input], "\(state.route)")
      #expect(state.properties[.preferredInput]?.verdict == .applied, "\(state.properties)")
      #expect(
        try await rig.eventually {
          $0.device(.input, named: headset.input) != nil
            && $0.server.defaultSourceName == headset.input
        })
    }
  }

  @Test("somebody who takes the profile away loses it again", arguments: headsets)
  func heals(_ headset: Headset) async throws {
    try await Rig.with(headset.configuration) { rig in
      var mode = AudioMode(category: .record)
      mode.options = [.allowBluetoothHFP]
      mode.preferredInput = [.name(headset.input)]
      mode.inputGain = Volume(fraction: 0.8)
      try await rig.session.setAudioMode(mode)
      let events = rig.session.events
      try await rig.outside.setCardProfile(Headset.card, headset.music)
      for await event in events { if case .reapplied = event { break } }
      #expect(
        try await rig.eventually {
          profile($0) == headset.call && $0.server.defaultSourceName == headset.input
        })
    }
  }

  @Test("codecs are listed, switched, kept and given back", arguments: headsets)
  func codecs(_ headset: Headset) async throws {
    try await Rig.with(headset.configuration) { rig in
      try await rig.setProfile(headset.music, of: Headset.card)
      var mode = AudioMode(category: .playback)
      mode.preferredOutput = [.name(headset.musicOutput)]
      try await rig.session.setAudioMode(mode)
      #expect(try await rig.eventuallyCodec(headset.codecs[0]))
      let offered = try await rig.session.availableCodecs
      #expect(offered.map(\.name) == headset.codecs)
      #expect(offered.map(\.description) == ["SBC", "SBC XQ 453kbps", "aptX"])
      let sbc = try #require(offered.first)
      #expect(try await rig.session.currentCodec == sbc)
      mode.outputCodec = "aptX"
      let report = try await rig.session.setAudioMode(mode)
      let step = try #require(report.steps.first)
      #expect(step.step.to == .name(headset.codecs[2]) && step.outcome == .applied)
      // PipeWire makes the device anew, and may choose another default for that moment.
      #expect(try await rig.eventually { $0.server.defaultSinkName == headset.musicOutput })
      #expect(try await rig.eventuallyCodec(headset.codecs[2]))
      // Each client of PipeWire sees it at another time.
      var codec: PropertyReport?
      _ = try await eventually {
        codec = try await rig.session.getSessionState().properties[.outputCodec]
        return codec?.verdict == .applied
      }
      #expect(codec?.verdict == .applied, "\(codec as Any)")
      #expect(codec?.actual == .string(headset.codecs[2]))
      #expect(try await rig.session.plan(for: mode).isEmpty)
      try await rig.outside.switchCodec(of: Headset.card, to: sbc.serverName)
      #expect(try await rig.eventuallyCodec(headset.codecs[2]))
      try await rig.session.revert()
      #expect(try await rig.eventuallyCodec(headset.codecs[0]))
    }
  }

  @Test("a codec that the card does not offer is an error with those it does", arguments: headsets)
  func unknownCodec(_ headset: Headset) async throws {
    try await Rig.with(headset.configuration) { rig in
      try await rig.setProfile(headset.music, of: Headset.card)
      let before = try await rig.listing()
      var mode = AudioMode(category: .playback)
      mode.preferredOutput = [.properties(["device.bus": "bluetooth"])]
      mode.outputVolume = Volume(fraction: 0.2)
      mode.outputCodec = "ldac"
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(error?.code == .codecNotSupported && error?.stage == .device)
      #expect(
        error?.alternatives
          == (headset.machine.isGraph
            ? headset.codecs : ["sbc (SBC)", "sbc_xq_453 (SBC XQ 453kbps)", "aptx (aptX)"]))
      #expect(try await rig.listing(expecting: before) == before)
      // From the other profile it is known only once A2DP is there: then all goes back.
      try await rig.setProfile(headset.call, of: Headset.card)
      let call = try await rig.listing()
      let late = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(
        late?.code == .codecNotSupported && late?.restored == true, "\(String(describing: late))")
      let after = try await rig.listing(expecting: call)
      #expect(after == call, "\(after.difference(from: call))")
      let profile = try rig.write(
        "ldac.toml",
        "[output]\nprefer = [{ property = { 'device.bus' = 'bluetooth' } }]\ncodec = 'ldac'\n")
      let result = try await rig.sandbox.capture(
        [builtProgram, "apply", profile, "--timeout", "20s"], timeout: .seconds(30))
      #expect(result.status == 78, "\(result.standardError)")
      let devices = try await rig.sandbox.capture(
        [builtProgram, "devices", "--timeout", "20s"], timeout: .seconds(30))
      #expect(
        devices.standardOutput.contains("codecs: CVSD (in use), mSBC"), "\(devices.standardOutput)")
    }
  }

  @Test("its microphone is used as soon as its call profile appears", arguments: headsets)
  func lateProfile(_ headset: Headset) async throws {
    try await Rig.with(headset.configuration) { rig in
      try await rig.setProfile(headset.music, of: Headset.card)
      try await rig.act(on: Headset.card, "hide-profile", headset.call)
      // Not inside of the macro: with a closure in a closure there, Swift 6.3.1 takes the next closure of
      // the same type for this one.
      let isHidden = try await rig.sessionSees {
        $0.card(named: Headset.card)?.profiles.first { $0.name == headset.call }?.isAvailable
          == false
      }
      #expect(isHidden)
      var mode = AudioMode(category: .playAndRecord)
      mode.options = [.allowBluetoothHFP]
      mode.preferredInput = [.name(headset.input), "default"]
      try await rig.session.setAudioMode(mode)
      #expect(try await rig.session.snapshot().server.defaultSourceName != headset.input)
      try await rig.act(on: Headset.card, "hide-profile", "none")
      let seen = try await rig.snapshot { $0.server.defaultSourceName == headset.input }
      #expect(seen.server.defaultSourceName == headset.input)
      #expect(profile(seen) == headset.call)
    }
  }
}

extension HeadsetTests.Headset {
  /// PipeWire numbers them, and has no names but those for people.
  fileprivate var codecs: [String] {
    machine.isGraph ? ["SBC", "SBC XQ 453kbps", "aptX"] : ["sbc", "sbc_xq_453", "aptx"]
  }
}

extension Rig {
  /// Waits until the headset has a codec: switching makes its devices come and go, and while the card
  /// is told of anew PipeWire has none to list.
  fileprivate func eventuallyCodec(_ name: String) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      // A new client each time: one that is there may be told what was before, for good.
      guard let client = try? await PulseClient.connect(to: sandbox.address, name: "later") else {
        continue
      }
      var codecs = try? await client.codecs(of: HeadsetTests.Headset.card)
      for number in 1...10 where codecs == nil {
        noteTry(number, of: 10)
        try await Task.sleep(for: .milliseconds(5))
        codecs = try? await client.codecs(of: HeadsetTests.Headset.card)
      }
      await client.close()
      if codecs?.active == name { return true }
    }
    return false
  }
}
