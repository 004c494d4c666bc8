import AudioSession
import Pulse
import PulseSandbox
import TestSupport
import Testing

/// A program that ends in the moment in which WirePlumber greets it leaves PipeWire waiting: from then on it
/// reports no change of the defaults to a program that is connected.
@Suite("Defaults that PipeWire reports no more", .pipewire, .timeLimit(.minutes(10)))
struct ForgottenDefaultsTests {
  /// Programs of PipeWire that end as soon as they have found the defaults; that may come before the number
  /// of the process.
  private static let shortLived = """
    for n in 1 2 3 4 5 6; do
      { stdbuf -oL pw-metadata & echo "process $!" >&3; } 3>&1 | {
        process=
        for line in 1 2; do read -r word number && [ "$word" = process ] && process=$number; done
        kill -9 "$process"
      }
    done
    """

  /// Makes the server stop reporting; false if no program ended in that moment.
  private func deafen(_ rig: Rig) async throws -> Bool {
    try await rig.sandbox.freeze(.wireplumber)
    _ = try await rig.sandbox.capture(["bash", "-c", Self.shortLived], timeout: .seconds(30))
    try await rig.sandbox.thaw(.wireplumber)
    let sinks = try await rig.outside.sinks().map(\.name)
    let former = try await rig.outside.serverInfo().defaultSinkName
    let other = try #require(sinks.first { $0 != former })
    try await rig.outside.setDefaultSink(other)
    let isSet = try await eventually {
      let client = try await Rig.client(of: rig.sandbox, "new")
      let name = try await client.serverInfo().defaultSinkName
      await client.close()
      return name == other
    }
    #expect(isSet)
    return try await !eventually(within: .seconds(1)) {
      try await rig.outside.serverInfo().defaultSinkName == other
    }
  }

  private func deafenSurely(_ rig: Rig) async throws {
    var isDeaf = false
    for number in 1...5 where !isDeaf {
      noteTry(number, of: 5)
      isDeaf = try await deafen(rig)
    }
    try #require(isDeaf, "no program ended while PipeWire waited for WirePlumber")
  }

  @Test("who reads the state of a session without a mode is told of such a default, too")
  func read() async throws {
    try await Rig.with(.nullDevices(on: .pipewire)) { rig in
      let states = rig.session.stateUpdates
      let former = try await rig.session.getSessionState().route.inputs.first?.name
      try await deafenSurely(rig)
      let other = former == "usb_mic" ? "internal_mic" : "usb_mic"
      let before = try await rig.session.getSessionState().route.inputs.first?.name
      try #require(before == former)
      try await rig.outside.setDefaultSource(other)
      let isTold = Shared(false)
      let reader = Task {
        for await state in states where state.route.inputs.first?.name == other {
          isTold.update { $0 = true }
        }
      }
      #expect(await eventually(within: .seconds(60)) { isTold.value })
      reader.cancel()
    }
  }

  @Test("a holder restores a default of which it was told nothing")
  func restored() async throws {
    try await Rig.with(.nullDevices(on: .pipewire)) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = ["internal_mic"]
      try await rig.session.setAudioMode(mode)
      try await deafenSurely(rig)
      let events = rig.session.events
      try await rig.outside.setDefaultSource("usb_mic")
      // The holder looks every 15 seconds; only a new connection shows it, and this one, what changed.
      for await event in events { if case .reapplied = event { break } }
      let client = try await Rig.client(of: rig.sandbox, "new")
      #expect(try await client.serverInfo().defaultSourceName == "internal_mic")
      await client.close()
      let state = try await rig.session.getSessionState()
      #expect(state.properties[.preferredInput]?.verdict == .applied)
    }
  }
}
