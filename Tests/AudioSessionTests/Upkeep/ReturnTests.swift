import AudioSession
import Pulse
import PulseSandbox
import TestSupport
import Testing

@Suite("Devices that come and go", .timeLimit(.minutes(10)))
struct ReturnTests {
  @Test("a mode whose device is away is pending, and met when it comes", .server)
  func pending() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = AudioMode()
      mode.preferredInput = [.name("late")]
      mode.inputRequired = false
      let events = rig.session.events
      try await rig.session.setAudioMode(mode)
      for await event in events {
        guard case .pending(let unmet) = event else { continue }
        #expect(unmet.map(\.property) == [.preferredInput])
        break
      }
      let module = try await rig.outside.loadModule("module-null-source", "source_name=late")
      #expect(try await rig.eventually { $0.server.defaultSourceName == "late" })
      try await rig.outside.unloadModule(module)
      #expect(try await rig.eventually { $0.server.defaultSourceName != "late" })
      _ = try await rig.outside.loadModule("module-null-source", "source_name=late")
      #expect(try await rig.eventually { $0.server.defaultSourceName == "late" })
    }
  }

  @Test(
    "one that flaps is used once it has stayed; others meanwhile", .bothServers,
    .timeLimit(.minutes(10)), arguments: Feature.cards.machines)
  func flapping(on machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.usbInput), .name(Names.laptopInput)]
      try await rig.session.setAudioMode(mode)
      let events = rig.session.events
      // Not from outside: the server itself may be faster than the session's look.
      func isRoute(_ name: String) async -> Bool {
        for await event in events {
          if case .routeChanged(_, _, let now) = event, now.inputs.first?.name == name {
            return true
          }
        }
        return false
      }
      var (former, last) = (ContinuousClock.now, ContinuousClock.now)
      func pullOut() async throws {
        (former, last) = (last, .now)
        try await rig.act(on: Names.usbCard, "unplug", "analog-input-mic")
        #expect(await isRoute(Names.laptopInput))
      }
      func putBack() async throws -> Duration {
        let start = ContinuousClock.now
        try await rig.act(on: Names.usbCard, "plug", "analog-input-mic")
        #expect(await isRoute(Names.usbInput))
        return ContinuousClock.now - start
      }
      try await pullOut()
      _ = try await putBack()
      for number in 1...5 {
        noteTry(number, of: 5)
        try await pullOut()
        let time = try await putBack()
        // Two within ten seconds make it flap; a busy machine may take longer for them.
        guard time < .seconds(2.9), ContinuousClock.now - former > .seconds(9) else {
          #expect(time >= .seconds(2.9), "it was taken after \(time)")
          break
        }
        try #require(number < 5, "two removals took longer than nine seconds")
      }
    }
  }
}
