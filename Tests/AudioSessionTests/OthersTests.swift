import AudioSession
import Pulse
import PulseSandbox
import Testing

@Suite("What a session does to other programs")
struct OthersTests {
  /// A program of its own, which plays without end, or says what it would.
  private func play(
    _ rig: Rig, role: String? = nil
  ) async throws -> (PulseClient, PulseStream) {
    let client = try await PulseClient.connect(
      to: rig.sandbox.address, name: "player", properties: ["application.process.id": "1"])
    let stream = try await client.openStream(
      StreamOptions(
        direction: .output, name: "song", device: nil,
        spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false,
        properties: role.map { ["media.role": $0] } ?? [:]))
    return (client, stream)
  }

  private func isMuted(_ rig: Rig, _ stream: PulseStream) async throws -> Bool? {
    try await rig.outside.snapshot().sinkInputs.first { $0.index == stream.index }?.isMuted
  }

  @Test("silence-others: those that play, those that begin, and not a call", .server)
  func silence() async throws {
    try await Rig.with(.minimal) { rig in
      let (music, song) = try await play(rig, role: "music")
      let (plain, sound) = try await play(rig)
      let (phone, ring) = try await play(rig, role: "phone")
      let mode = AudioMode(category: .playback, options: [.silenceOthers])
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.properties["options"]?.verdict == .applied)
      #expect(report.state.pins.map(\.kind) == ["others"])
      let (late, begun) = try await play(rig, role: "video")
      for stream in [song, sound, begun] { #expect(try await isMuted(rig, stream) == true) }
      #expect(try await isMuted(rig, ring) == false)
      // Somebody unloads the module: it is loaded again.
      let module = try #require(try await rig.outside.snapshot().modules(of: .silence).first)
      try await rig.outside.unloadModule(module.index)
      #expect(
        try await rig.eventually { seen in
          seen.modules(of: .silence).contains { $0.index != module.index }
            && seen.sinkInputs.first { $0.index == song.index }?.isMuted == true
        })
      try await rig.session.setActive(false, options: .notifyOthersOnDeactivation)
      for stream in [song, sound, begun, ring] { #expect(try await isMuted(rig, stream) == false) }
      #expect(try await rig.outside.snapshot().modules(of: .silence).isEmpty)
      for client in [music, plain, phone, late] { await client.close() }
    }
  }

  @Test("a session that just ends gives others their sound back", .server)
  func restored() async throws {
    try await Rig.with(.minimal) { rig in
      let (client, song) = try await play(rig)
      try await rig.session.setAudioMode(AudioMode(category: .soloAmbient))
      #expect(try await isMuted(rig, song) == true)
      await rig.session.close()
      #expect(
        try await rig.eventually { seen in
          seen.sinkInputs.first { $0.index == song.index }?.isMuted == false
        })
      await client.close()
    }
  }

  @Test("duck-others: a player is heard at a tenth", .server)
  func duck() async throws {
    try await Rig.with(.minimal) { rig in
      let before = try await rig.loudness()
      let mode = AudioMode(category: .playback, options: [.duckOthers])
      try await rig.session.setAudioMode(mode)
      let ducked = try await rig.loudness()
      try await rig.session.revert()
      let after = try await rig.loudness()
      // 20 dB are a factor of 10.
      #expect(ducked / before > 0.05 && ducked / before < 0.2, "\(ducked / before)")
      #expect(after / before > 0.7 && after / before < 1.4, "\(after / before)")
    }
  }

  @Test("whether others play, and what", .server)
  func hints() async throws {
    try await Rig.with(.minimal) { rig in
      #expect(try await rig.session.isOtherAudioPlaying == false)
      let (plain, sound) = try await play(rig)
      #expect(try await rig.session.isOtherAudioPlaying)
      #expect(try await rig.session.secondaryAudioShouldBeSilencedHint == false)
      let (music, _) = try await play(rig, role: "music")
      #expect(try await rig.session.secondaryAudioShouldBeSilencedHint)
      await music.close()
      try await sound.cork(true)
      #expect(try await rig.session.isOtherAudioPlaying == false)
      await plain.close()
    }
  }

  @Test("the speaker, until something is plugged in", .simulatedCard)
  func override() async throws {
    try await Rig.with { rig in
      let (speaker, headphones) = ("analog-output-speaker", "analog-output-headphones")
      try await rig.act(on: Names.laptop, "plug", headphones)
      var mode = AudioMode(category: .playAndRecord)
      mode.preferredInput = [.name(Names.usbInput), .default]
      mode.outputPort = [.name(headphones), .name(speaker)]
      try await rig.session.setAudioMode(mode)
      func port() async throws -> String? {
        try await rig.outside.sink(named: Names.laptopOutput)?.activePort
      }
      #expect(try await port() == headphones)
      let report = try await rig.session.overrideOutputPort(.speaker)
      #expect(try await port() == speaker)
      #expect(report.state.properties["outputPort"]?.preferred == .strings(["type:speaker"]))
      // The microphone goes: the route is another, and the wish alone counts.
      try await rig.act(on: Names.usbCard, "unplug", "analog-input-mic")
      #expect(
        try await rig.eventually {
          $0.device(.output, named: Names.laptopOutput)?.activePort == headphones
        })
      try await rig.session.overrideOutputPort(.speaker)
      try await rig.session.overrideOutputPort(.none)
      #expect(try await port() == headphones)
      try await rig.session.setAudioMode(AudioMode(category: .playback))
      await #expect(throws: SessionError.self) {
        try await rig.session.overrideOutputPort(.speaker)
      }
    }
  }

  @Test("options do not outlive their category", .server)
  func notSticky() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(
        AudioMode(category: .playback, options: [.silenceOthers]))
      let report = try await rig.session.update { $0.category = .ambient }
      #expect(report.state.properties["options"]?.verdict == .unset)
      #expect(try await rig.outside.snapshot().modules(of: .silence).isEmpty)
    }
  }
}
