import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

@Suite("Interruptions", .timeLimit(.minutes(10)))
struct InterruptionTests {
  private var mode: AudioMode {
    var mode = AudioMode(category: .record)
    mode.preferredInput = [.name(Names.usbInput)]
    return mode
  }

  private func first(
    _ events: AsyncStream<SessionEvent>, where matches: (SessionEvent) -> Bool
  ) async -> SessionEvent? {
    for await event in events where matches(event) { return event }
    return nil
  }

  private func isInterruption(_ event: SessionEvent) -> Bool {
    switch event {
    case .interruptionBegan, .interruptionEnded: true
    default: false
    }
  }

  private func playing(_ role: String) -> StreamOptions {
    StreamOptions(
      direction: .output, name: "ring", device: nil,
      spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false,
      properties: ["media.role": role])
  }

  @Test("a request to pause and its end are reported without a server, too")
  func corkRequestWithoutServer() async throws {
    let session = AudioSession(server: "unix:/nonexistent/pulse")
    let events = session.events
    await session.noteCorkRequest(toPause: true)
    await session.noteCorkRequest(toPause: false)
    var seen: [SessionEvent] = []
    for await event in events {
      seen.append(event)
      if seen.count == 2 { break }
    }
    #expect(seen == [.interruptionBegan(.corkRequest), .interruptionEnded(shouldResume: false)])
    await session.close()
  }

  @Test(
    "a second session's call mode is no more interrupted by calls than the first one's", .server)
  func secondSession() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let second = Rig.session(rig.sandbox)
      var mode = AudioMode(category: .playAndRecord)
      mode.mode = .voiceChat
      mode.onFailure = .bestEffort
      try await second.setAudioMode(mode)
      let phone = try await PulseClient.connect(
        to: rig.sandbox.address, name: "phone", properties: ["application.process.id": "1"])
      let ring = try await phone.openStream(playing("phone"))
      #expect(try await rig.eventually { $0.sinkInputs.contains { $0.index == ring.index } })
      _ = try await second.getSessionState()
      #expect(await !second.mustGiveWay)
      // Without a mode it would be.
      let third = Rig.session(rig.sandbox, isHolding: false)
      _ = try await third.getSessionState()
      #expect(await third.mustGiveWay)
      await phone.close()
      await third.close()
      await second.close()
    }
  }

  @Test(
    "another program's call: nothing is put back until it ends", .bothServers,
    arguments: Feature.upkeep.machines)
  func call(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      var mode = mode
      mode.inputGain = Volume(fraction: 0.35)
      try await rig.session.setAudioMode(mode)
      let events = rig.session.events
      // As a process of its own would say.
      let phone = try await PulseClient.connect(
        to: rig.sandbox.address, name: "phone", properties: ["application.process.id": "1"])
      let ring = try await phone.openStream(playing("phone"))
      #expect(
        await first(events, where: isInterruption) == .interruptionBegan(.call(by: "phone")))
      try await rig.outside.setDefaultSource(Names.laptopInput)
      // Two looks later the foreign default still stands.
      let states = rig.session.stateUpdates
      try await rig.setInputMute(true, of: Names.laptopInput)
      for await state in states where state.properties[.preferredInput]?.verdict == .overridden {
        #expect(state.interrupted)
        // Also during a pause a verdict is about the device in use.
        #expect(state.properties[.inputGain]?.verdict == .overridden)
        break
      }
      let foreign = try await rig.snapshot {
        $0.server.defaultSourceName == Names.laptopInput
      }
      #expect(foreign.server.defaultSourceName == Names.laptopInput)
      await ring.close()
      #expect(
        await first(events, where: isInterruption) == .interruptionEnded(shouldResume: true))
      let after = try await rig.snapshot { $0.server.defaultSourceName == Names.usbInput }
      #expect(after.server.defaultSourceName == Names.usbInput)
      #expect(try await rig.session.getSessionState().interrupted == false)
      await phone.close()
    }
  }

  @Test(
    "a call of this process, and music of another, interrupt nothing", .bothServers,
    arguments: Feature.upkeep.machines)
  func ownCall(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.session.setAudioMode(mode)
      let events = rig.session.events
      let other = try await PulseClient.connect(
        to: rig.sandbox.address, name: "player", properties: ["application.process.id": "1"])
      let ring = try await rig.outside.openStream(playing("phone"))
      let music = try await other.openStream(playing("music"))
      try await rig.outside.setDefaultSource(Names.laptopInput)
      let event = await first(events) { event in
        if case .reapplied = event { return true }
        return isInterruption(event)
      }
      #expect(event.map(isInterruption) == false)
      await ring.close()
      await music.close()
      await other.close()
    }
  }

  /// What a headset is used for when it is unplugged.
  enum Use: CaseIterable {
    case playing, playingFast, recording, call

    var direction: Direction { self == .recording ? .input : .output }

    var mode: AudioMode {
      var mode =
        switch self {
        case .playing, .playingFast: AudioMode(category: .playback)
        case .recording: AudioMode(category: .record)
        case .call: AudioMode(category: .playAndRecord, mode: .voiceChat)
        }
      mode.preferredInput = ["alsa_input.usb-*", .name(Names.laptopInput)]
      mode.preferredOutput = ["alsa_output.usb-*", .name(Names.laptopOutput)]
      if self == .playing { return mode }
      mode.sampleRate = 48000
      mode.ioBufferDuration = .milliseconds(10)
      return mode
    }

    /// The laptop's device, which takes over.
    var other: String { self == .recording ? Names.laptopInput : Names.laptopOutput }
  }

  /// PulseAudio suspends a card whose files have disappeared, and removes it a moment later.
  @Test(
    "a headset in use that is unplugged, and plugged in again, interrupts nothing",
    .simulatedCard, arguments: Use.allCases)
  func unplugged(_ use: Use) async throws {
    var machine = try Machine.desktop.with(cards: ["kind=laptop", "kind=usb-headset"])
    machine.modules.append("module-suspend-on-idle timeout=0")
    try await Rig.with(machine) { rig in
      try await rig.session.setAudioMode(use.mode)
      let stream = try await rig.outside.openStream(
        StreamOptions(
          direction: use.direction, name: "user", device: nil,
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      func isOther(_ state: DeviceState) async throws -> Bool {
        try await rig.eventually { $0.device(use.direction, named: use.other)?.state == state }
      }
      #expect(try await isOther(.suspended))
      let events = rig.session.events
      /// The interruptions until the route has a device.
      func interruptions(until name: String) async -> [SessionEvent] {
        var seen: [SessionEvent] = []
        for await event in events {
          if case .routeChanged(_, _, let now) = event,
            (use.direction == .input ? now.inputs : now.outputs).first?.name.hasPrefix(name) == true
          {
            break
          }
          if isInterruption(event) { seen.append(event) }
        }
        return seen
      }
      let start = ContinuousClock.now
      try await rig.act(on: Names.usbHeadset, "session-suspend", "yes")
      #expect(
        try await rig.sessionSees { $0.chain.defaultRoot(use.direction)?.state == .suspended })
      try await rig.sandbox.unplug(Names.usbHeadset)
      let time = ContinuousClock.now - start
      let seen = await interruptions(until: use.other)
      // A machine that stands still for so long is not what is tested.
      #expect(seen == [] || time > InterruptionWatch.settling, "after \(time)")
      #expect(try await isOther(.running))
      try await rig.sandbox.plug(Names.usbHeadset)
      #expect(await interruptions(until: "alsa_\(use.direction.rawValue).usb-") == [])
      await stream.close()
    }
  }

  @Test("a device that is suspended under a recorder", .simulatedCard)
  func suspended() async throws {
    try await Rig.with(.quiet) { rig in
      try await rig.session.setAudioMode(mode)
      let recorder = try await rig.outside.openStream(
        StreamOptions(
          direction: .input, name: "recorder", device: Names.usbInput,
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      let events = rig.session.events
      try await rig.act(on: Names.usbCard, "session-suspend", "yes")
      #expect(
        await first(events, where: isInterruption)
          == .interruptionBegan(.deviceSuspended(Names.usbInput)))
      try await rig.act(on: Names.usbCard, "session-suspend", "no")
      #expect(
        await first(events, where: isInterruption) == .interruptionEnded(shouldResume: true))
      await recorder.close()
    }
  }

  @Test(
    "a request to pause, and its end, re-apply the mode", .bothServers,
    arguments: Feature.upkeep.machines)
  func corkRequest(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.session.setAudioMode(mode)
      let events = rig.session.events
      await rig.session.noteCorkRequest(toPause: true)
      #expect(await first(events, where: isInterruption) == .interruptionBegan(.corkRequest))
      try await rig.outside.setDefaultSource(Names.laptopInput)
      // Seen, and left alone.
      #expect(
        try await eventually {
          try await rig.session.getSessionState().route.inputs.first?.name == Names.laptopInput
        })
      await rig.session.noteCorkRequest(toPause: false)
      #expect(
        await first(events, where: isInterruption) == .interruptionEnded(shouldResume: true))
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
    }
  }
}
