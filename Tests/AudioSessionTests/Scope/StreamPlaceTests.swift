import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// Where a server places a program's streams after a session of that program.
@Suite("What is left of the moves of a session", .server, .timeLimit(.minutes(10)))
struct StreamPlaceTests {
  private static let third = "third"

  /// The cards, and module-stream-restore.
  private func with(_ body: (Rig) async throws -> Void) async throws {
    var configuration = SandboxConfiguration.quiet
    configuration.modules.insert("module-stream-restore", at: 0)
    configuration.modules.append("module-null-source source_name=\(Self.third)")
    try await Rig.with(configuration, body)
  }

  private static let preferring: AudioMode = {
    var mode = AudioMode(category: .record)
    mode.scope = .application
    mode.preferredInput = [.name(Names.laptopInput)]
    return mode
  }()

  private func record(_ rig: Rig) async throws -> PulseStream {
    try await rig.outside.openStream(
      StreamOptions(
        direction: .input, name: "ours", device: nil,
        spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
  }

  /// What the server has stored for the next recorder of the client.
  private func stored(_ rig: Rig) async throws -> SavedStream? {
    try await rig.outside.savedStreams().first { $0.direction == .input }
  }

  private func isOn(_ name: String, _ stream: PulseStream, _ rig: Rig) async throws -> Bool {
    try await rig.eventually { seen in
      seen.stream(.input, at: stream.index).flatMap { seen.device(.input, at: $0.device) }?.name
        == name
    }
  }

  @Test(
    "no move of a session is stored, whether a stream changes or ends",
    arguments: [nil, Self.third])
  func moves(_ former: String?) async throws {
    try await with { rig in
      try await rig.outside.setDefaultSource(Names.usbInput)
      let stream = try await record(rig)
      if let former { try await rig.outside.moveStream(.input, stream.index, to: former) }
      #expect(try await isOn(former ?? Names.usbInput, stream, rig))
      try await rig.session.setAudioMode(Self.preferring)
      #expect(try await isOn(Names.laptopInput, stream, rig))
      #expect(try await stored(rig)?.device == former)
      // With each change of a stream the server stores where it is, too.
      let quiet = ChannelVolumes(Volume(fraction: 0.5), channels: 2)
      try await rig.outside.setStreamVolume(.input, stream.index, quiet)
      let isKept = try await eventually(within: .seconds(20)) {
        let stored = try await stored(rig)
        return stored?.volume == quiet && stored?.device == former
      }
      let seen = try await stored(rig)
      #expect(isKept, "\(seen as Any)")
      await stream.close()
      try await rig.session.revert()
      let next = try await record(rig)
      #expect(try await isOn(former ?? Names.usbInput, next, rig))
      await next.close()
    }
  }

  @Test("where a person has put a program it is again after a mode that moves programs")
  func serverScope() async throws {
    try await with { rig in
      let program = try await PulseClient.connect(
        to: rig.sandbox.address, name: "program", properties: ["application.process.id": "1"])
      func record() async throws -> PulseStream {
        try await program.openStream(
          StreamOptions(
            direction: .input, name: "theirs", device: nil,
            spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      }
      let stream = try await record()
      try await rig.outside.moveStream(.input, stream.index, to: Self.third)
      #expect(try await isOn(Self.third, stream, rig))
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.laptopInput)]
      mode.moveInputStreams = true
      try await rig.session.setAudioMode(mode)
      #expect(try await isOn(Names.laptopInput, stream, rig))
      await stream.close()
      #expect(try await rig.eventually { $0.stream(.input, at: stream.index) == nil })
      try await rig.session.revert()
      let next = try await record()
      #expect(try await isOn(Self.third, next, rig))
      await program.close()
    }
  }

  @Test("a stream that followed the default follows it afterwards")
  func follower() async throws {
    try await with { rig in
      try await rig.outside.setDefaultSource(Names.laptopInput)
      let stream = try await record(rig)
      #expect(try await isOn(Names.laptopInput, stream, rig))
      try await rig.session.setAudioMode(Self.preferring)
      let events = rig.session.stateUpdates
      try await rig.outside.setDefaultSource(Names.usbInput)
      for await state in events where state.reapplies ?? 0 > 0 { break }
      #expect(try await isOn(Names.laptopInput, stream, rig))
      try await rig.session.revert()
      #expect(try await isOn(Names.usbInput, stream, rig))
      try await rig.outside.setDefaultSource(Self.third)
      #expect(try await isOn(Self.third, stream, rig))
      await stream.close()
    }
  }
}
