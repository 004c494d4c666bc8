import AudioSession
import Pulse
import PulseSandbox
import Testing

@Suite("Modes without processing", .timeLimit(.minutes(2)))
struct ModeTests {
  @Test("measurement takes away what is ours, and names what is somebody else's", .simulatedCard)
  func measurement() async throws {
    try await Rig.with(.quiet) { rig in
      var call = AudioMode(category: .playAndRecord, mode: .voiceChat)
      call.preferredInput = [.name(Names.usbInput)]
      try await rig.session.setAudioMode(call)
      var mode = AudioMode(category: .record, mode: .measurement)
      mode.preferredInput = [.name(Names.usbInput)]
      let state = try await rig.session.setAudioMode(mode).state
      #expect(state.properties["mode"]?.verdict == .applied, "\(state.properties)")
      #expect(state.processing.isEmpty)
      #expect(try await rig.outside.snapshot().modules.allSatisfy { !$0.name.contains("echo") })
      // A gain that is not 100 % changes what is measured.
      try await rig.outside.setVolume(
        .input, device: Names.usbInput, ChannelVolumes(Volume(fraction: 0.5), channels: 2))
      let quiet = try await rig.session.getSessionState().properties["mode"]
      #expect(quiet?.verdict == .unreachable && quiet?.reason?.contains("50 %") == true)
      mode.inputGain = .norm
      #expect(
        try await rig.session.setAudioMode(mode).state.properties["mode"]?.verdict == .applied)
      // Somebody's filter is not ours to take away.
      _ = try await rig.outside.loadModule(
        "module-echo-cancel",
        "source_name=theirs sink_name=their_sink aec_method=null source_master=\(Names.usbInput)")
      mode.preferredInput = ["theirs"]
      let theirs = try await rig.session.setAudioMode(mode).state.properties["mode"]
      #expect(theirs?.verdict == .unreachable)
      #expect(
        theirs?.reason?.contains("module-echo-cancel") == true, "\(String(describing: theirs))")
      #expect(try await rig.outside.source(named: "theirs") != nil)
    }
  }

  @Test("a mode's role is told, and its streams are spared", .server)
  func roles() async throws {
    try await Rig.with(.minimal) { rig in
      let before = try await rig.loudness()
      let mode = AudioMode(
        category: .playback, mode: .moviePlayback, options: [.silenceOthers])
      let state = try await rig.session.setAudioMode(mode).state
      #expect(state.properties["options"]?.verdict == .applied)
      #expect(state.properties["mode"]?.verdict == .unreachable)
      #expect(
        state.properties["mode"]?.reason?.contains("media.role = \"video\"") == true)
      #expect(try await rig.loudness(role: "video") / before > 0.7)
      #expect(try await rig.loudness(role: "music") / before < 0.01)
    }
  }
}
