import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("Interruptions")
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

  @Test(
    "another program's call: nothing is put back until it ends", .bothServers,
    arguments: Feature.upkeep.machines)
  func call(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.session.setAudioMode(mode)
      let events = await rig.session.events
      // As a process of its own would say.
      let phone = try await PulseClient.connect(
        to: rig.sandbox.address, name: "phone", properties: ["application.process.id": "1"])
      let ring = try await phone.openStream(playing("phone"))
      #expect(
        await first(events, where: isInterruption) == .interruptionBegan(.call(by: "phone")))
      try await rig.outside.setDefaultSource(Names.laptopInput)
      // Two looks later the foreign default still stands.
      let states = await rig.session.stateUpdates
      try await rig.outside.setMute(.input, device: Names.laptopInput, true)
      for await state in states where state.properties[.preferredInput]?.verdict == .overridden {
        #expect(state.interrupted)
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
      let events = await rig.session.events
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

  @Test("a device that is suspended under a recorder", .simulatedCard)
  func suspended() async throws {
    try await Rig.with(.quiet) { rig in
      try await rig.session.setAudioMode(mode)
      let recorder = try await rig.outside.openStream(
        StreamOptions(
          direction: .input, name: "recorder", device: Names.usbInput,
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      let events = await rig.session.events
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
      let events = await rig.session.events
      await rig.session.noteCorkRequest(toPause: true)
      #expect(await first(events, where: isInterruption) == .interruptionBegan(.corkRequest))
      try await rig.outside.setDefaultSource(Names.laptopInput)
      await rig.session.noteCorkRequest(toPause: false)
      #expect(
        await first(events, where: isInterruption) == .interruptionEnded(shouldResume: true))
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
    }
  }
}
