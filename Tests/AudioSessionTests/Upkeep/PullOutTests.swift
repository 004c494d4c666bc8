import AudioSession
import Pulse
import PulseSandbox
import TestSupport
import Testing

@Suite("Devices that are pulled out", .timeLimit(.minutes(10)))
struct PullOutTests {
  @Test(
    "the route change says why, and no pin stays behind", .simulatedCard, .timeLimit(.minutes(10)))
  func outAndBack() async throws {
    try await Rig.with { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name("alsa_input.usb-*"), .default]
      mode.sampleRate = 48000
      try await rig.session.setAudioMode(mode)
      let events = rig.session.events

      try await rig.sandbox.unplug(Names.usbCard)
      #expect(await reason(events, for: Names.laptopInput) == .oldDeviceUnavailable)
      try await rig.sandbox.plug(Names.usbCard)
      #expect(await reason(events, for: Names.usbInput) == .newDeviceAvailable)
      // What set the laptop's rate back has served.
      #expect(
        try await rig.eventually { server in
          let pins = server.sourceOutputs.filter { $0.name.contains(" pin") }
          return pins.map { server.device(.input, at: $0.device)?.name } == [Names.usbInput]
        })
      try await rig.outside.setDefaultSource(Names.laptopInput)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
    }
  }

  @Test(
    "the next input does not wait for the pin of its rate", .graphCards, .timeLimit(.minutes(10)))
  func atOnce() async throws {
    try await Rig.with(Machine.graph.configuration) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.usbInput), .name(Names.laptopInput)]
      mode.sampleRate = 48000
      try await rig.session.setAudioMode(mode)
      // From the third round on the microphone flaps, and is used after three seconds.
      for _ in 0..<5 {
        try await rig.sandbox.unplug(Names.usbCard)
        let start = ContinuousClock.now
        _ = try await rig.steadyState { $0.route.inputs.first?.name == Names.laptopInput }
        #expect(ContinuousClock.now - start < Rig.standstill)
        try await rig.sandbox.plug(Names.usbCard)
        _ = try await rig.steadyState { $0.route.inputs.first?.name == Names.usbInput }
      }
    }
  }

  /// Why the route came to begin at a device.
  private func reason(
    _ events: AsyncStream<SessionEvent>, for input: String
  ) async -> RouteChangeReason? {
    for await event in events {
      guard case .routeChanged(let reason, _, let current) = event,
        current.inputs.first?.name == input
      else { continue }
      return reason
    }
    return nil
  }
}
