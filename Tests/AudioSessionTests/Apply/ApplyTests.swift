import AudioSession
import Pulse
import PulseSandbox
import TestSupport
import Testing

extension AudioMode {
  /// A mode with something in every phase, for the laptop's headset microphone.
  static var full: AudioMode {
    var mode = AudioMode(category: .record)
    mode.preferredInput = [.name(Names.laptopInput)]
    mode.inputPort = ["analog-input-headset-mic"]
    mode.polarPattern = .stereo
    mode.inputOrientation = .landscapeRight
    mode.sampleRate = 48000
    mode.ioBufferDuration = .milliseconds(10)
    mode.inputGain = Volume(fraction: 0.8)
    mode.inputMuted = false
    return mode
  }
}

@Suite("Apply to a real server", .timeLimit(.minutes(10)))
struct ApplyTests {
  @Test(
    "every preference is read back as applied, and a second plan is empty", .bothServers,
    arguments: Feature.channels.machines)
  func everything(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.plug("analog-input-headset-mic")
      let mode = AudioMode.full(on: machine)
      let report = try await rig.session.setAudioMode(mode, profile: "full")
      for (name, property) in report.state.properties where property.preferred != nil {
        #expect(property.verdict == .applied, "\(name): \(property)")
        #expect(property.reason == nil)
      }
      #expect(report.steps.allSatisfy { $0.outcome == .applied }, "\(report.steps)")
      #expect(try await rig.session.plan(for: mode).isEmpty)
      // On PipeWire each client has a view of its own.
      let seen = try await rig.snapshot { seen in
        guard let device = seen.device(.input, named: machine.laptopInput) else { return false }
        return device.volume.isUniformly(Volume(fraction: 0.8))
          && device.activePort == "analog-input-headset-mic"
          && seen.pins.knownRate(of: device) == 48000
          && seen.server.defaultSourceName == "audiosession.input"
      }
      #expect(seen.server.defaultSourceName == "audiosession.input")
      let device = try #require(seen.device(.input, named: machine.laptopInput))
      #expect(device.volume.isUniformly(Volume(fraction: 0.8)))
      #expect(device.activePort == "analog-input-headset-mic")
      #expect(seen.pins.knownRate(of: device) == 48000)
      #expect(report.state.route.inputs.first?.name == machine.laptopInput)
      #expect(report.state.route.inputs.first?.via == ["audiosession.input"])
    }
  }

  @Test(
    "apply does what plan printed, also under another card profile", .bothServers,
    arguments: Feature.cards.machines)
  func planIsKept(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.plug("analog-input-headset-mic")
      try await rig.setProfile("output:analog-stereo")
      let plan = try await rig.session.plan(for: .full)
      #expect(plan.steps.first?.setting == .cardProfile(card: Names.laptop))
      #expect(plan.steps.dropFirst().allSatisfy { $0.isDeferred })
      let report = try await rig.session.setAudioMode(.full)
      #expect(report.steps.map(\.step) == plan.steps)
      #expect(report.state.properties.values.allSatisfy { $0.verdict != .overridden })
      #expect(
        try await rig.eventually {
          $0.card(named: Names.laptop)?.activeProfile
            == "output:analog-stereo+input:analog-stereo"
            && $0.server.defaultSourceName == "audiosession.input"
        })
    }
  }

  @Test("a plan changes nothing", .bothServers, arguments: Feature.channels.machines)
  func planChangesNothing(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      let before = try await rig.listing()
      let mode = AudioMode.fullInternal(on: machine)
      #expect(try await rig.session.plan(for: mode).isEmpty == false)
      #expect(try await rig.listing(expecting: before) == before)
    }
  }

  @Test("the order on the wire is the documented one", .simulatedCard)
  func order() async throws {
    try await Rig.with { rig in
      try await rig.act(on: Names.laptop, "plug", "analog-input-headset-mic")
      try await rig.outside.setCardProfile(Names.laptop, "output:analog-stereo")
      try await rig.outside.subscribe()
      let events = await rig.outside.events(bufferingNewest: 4096)
      try await rig.session.setAudioMode(.full)
      let seen = try await rig.outside.snapshot()
      await rig.outside.close()
      var order: [String] = []
      let source = try #require(seen.device(.input, named: Names.laptopInput)).index.rawValue
      for await event in events {
        switch (event.facility, event.kind) {
        case (.card, .change): order.append("profile")
        case (.sourceOutput, .new): order.append("stream")
        case (.module, .new): order.append("remap")
        case (.server, _): order.append("default")
        case (.source, .change) where event.index == source: order.append("device")
        default: break
        }
      }
      // A new source may change before its card says that the profile did.
      order = Array(order.drop { $0 != "profile" })
      // The profile, the rate pin, the latency pin (a stream each, and their device's changes), the
      // port and the gain, for the device is not in use yet, the remap and its stream, the default at its
      // end.
      let first = Dictionary(
        order.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { a, _ in a })
      let last = Dictionary(
        order.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { _, b in b })
      #expect(first["profile"] == 0, "\(order)")
      let (stream, remap) = (try #require(first["stream"]), try #require(first["remap"]))
      let (made, device) = (try #require(last["default"]), try #require(first["device"]))
      #expect(stream < remap, "\(order)")
      #expect(remap < made, "\(order)")
      #expect(device < made, "\(order)")
      // The rate pin goes when the latency pin is there; a busy server then drops the event of its coming.
      #expect((2...3).contains(order.count { $0 == "stream" }), "\(order)")
      #expect(order.filter { $0 == "remap" }.count == 1, "\(order)")
    }
  }

  @Test(
    "applying twice makes the server see nothing but our own client", .bothServers,
    arguments: Feature.channels.machines)
  func twice(on machine: Machine) async throws {
    try await Rig.with(machine.quiet, isHolding: false) { rig in
      let mode = AudioMode.fullInternal(on: machine)
      try await rig.session.setAudioMode(mode)
      await rig.session.close()
      try await rig.outside.subscribe()
      let second = Rig.session(rig.sandbox, isHolding: false)
      let clients = try await rig.outside.clients().count
      let events = await rig.outside.events(bufferingNewest: 4096)
      let report = try await second.setAudioMode(mode)
      await second.close()
      #expect(report.steps.isEmpty)
      #expect(report.state.properties[.ioBufferDuration]?.waitingFor == .holder)
      // The departure of the second session's client is the last thing that can happen.
      while try await rig.outside.clients().count > clients - 1 {
        if try await rig.outside.clients().count == clients { break }
      }
      await rig.outside.close()
      // PipeWire suspends what is idle, and tells; the first session's streams may still be leaving.
      var count = 0
      for await event in events where !(machine.isGraph && event.kind != .new) {
        #expect(event.facility == .client, "\(event)")
        count += 1
      }
      #expect(count > 0, "not even the second session was seen")
    }
  }

  @Test(
    "what the former mode changed and the new one does not name goes back", .bothServers,
    arguments: Feature.revert.machines)
  func nextMode(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      let before = try await rig.listing()
      try await rig.session.setAudioMode(.fullInternal(on: machine))
      var next = AudioMode()
      next.outputVolume = Volume(fraction: 0.5)
      try await rig.session.setAudioMode(next)
      let seen = try await rig.snapshot {
        $0.chain.ownedDevices(.input).isEmpty && $0.server.defaultSourceName == before.defaultSource
      }
      #expect(seen.chain.ownedDevices(.input).isEmpty)
      #expect(seen.server.defaultSourceName == before.defaultSource)
      try await rig.session.revert()
      #expect(try await rig.listing(expecting: before) == before)
    }
  }

  @Test(
    "what somebody changed since is left by a revert, and said", .bothServers,
    arguments: Feature.revert.machines)
  func leavesOthers(on machine: Machine) async throws {
    try await Rig.with(machine.configuration, isHolding: false) { rig in
      try await rig.outside.setDefaultSource(machine.laptopInput)
      try #require(
        try await rig.sessionSees { $0.server.defaultSourceName == machine.laptopInput })
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(machine.usbInput)]
      mode.inputGain = Volume(fraction: 0.7)
      mode.channelMap = .swap
      try await rig.session.setAudioMode(mode)
      // The device below the session's: the revert removes the latter.
      try await rig.outside.setDefaultSource(machine.usbInput)
      let theirs = ChannelVolumes(Volume(fraction: 0.3), channels: 2)
      try await rig.setInputVolume(theirs, of: machine.usbInput)
      #expect(
        try await rig.sessionSees {
          $0.device(.input, named: machine.usbInput)?.volume == theirs
            && $0.server.defaultSourceName == machine.usbInput
        })
      let report = try await rig.session.revert()
      #expect(report.left.count == 2)
      #expect(report.state.route.inputs.map(\.name) == [machine.usbInput])
      #expect(try await rig.outside.source(named: machine.usbInput)?.volume == theirs)
    }
  }

  @Test(
    "revert and setActive(false) compare equal to before", .bothServers, arguments: [0, 1],
    Feature.revert.machines)
  func backToBefore(_ way: Int, on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.plug("analog-input-headset-mic")
      try await rig.setProfile("output:analog-stereo")
      let before = try await rig.listing()
      try await rig.session.setAudioMode(.full(on: machine))
      #expect(try await rig.listing() != before)
      if way == 0 {
        try await rig.session.revert()
      } else {
        try await rig.session.setActive(false)
        #expect(try await rig.session.getSessionState().active == false)
      }
      #expect(try await rig.listing(expecting: before) == before)
      guard way == 1 else { return }
      let again = try await rig.session.setActive(true)
      #expect(again.state.properties[.channelMap]?.verdict == .unset)
      #expect(again.state.properties[.polarPattern]?.verdict == .applied)
    }
  }
}

extension Listing {
  var defaultSource: String? {
    lines.first { $0.hasPrefix("default input: ") }.map { String($0.dropFirst(15)) }
  }
}
