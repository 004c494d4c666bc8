import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("Modes without processing", .timeLimit(.minutes(10)))
struct ModeTests {
  @Test(
    "measurement takes away what is ours, and names what is somebody else's", .bothServers,
    arguments: Feature.measurement.machines)
  func measurement(_ machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      var call = AudioMode(category: .playAndRecord, mode: .voiceChat)
      call.preferredInput = [.name(Names.usbInput)]
      try await rig.session.setAudioMode(call)
      var mode = AudioMode(category: .record, mode: .measurement)
      mode.preferredInput = [.name(Names.usbInput)]
      let state = try await rig.session.setAudioMode(mode).state
      #expect(state.properties[.mode]?.verdict == .applied, "\(state.properties)")
      #expect(state.processing.isEmpty)
      #expect(try await rig.outside.snapshot().modules.allSatisfy { !$0.name.contains("echo") })
      // A gain that is not 100 % changes what is measured.
      let half = ChannelVolumes(Volume(fraction: 0.5), channels: 2)
      var quiet: PropertyReport?
      for number in 1...3 {
        noteTry(number, of: 3, after: "a volume that did not stay")
        try await rig.setInputVolume(half, of: Names.usbInput)
        var now: ChannelVolumes?
        // The server may notify the session a moment after another client has read the volume.
        _ = try await eventually {
          quiet = try await rig.session.getSessionState().properties[.mode]
          now = try await rig.outside.source(named: Names.usbInput)?.volume
          return quiet?.verdict == .unreachable || now != half
        }
        guard quiet?.verdict != .unreachable, now != half else { break }
      }
      #expect(
        quiet?.verdict == .unreachable && quiet?.reason?.contains("50 %") == true,
        "\(quiet as Any)")
      mode.inputGain = .norm
      #expect(
        try await rig.session.setAudioMode(mode).state.properties[.mode]?.verdict == .applied)
      // Somebody's filter is not ours to take away.
      _ = try await rig.outside.loadModule(
        "module-echo-cancel",
        "source_name=theirs sink_name=their_sink aec_args=\"analog_gain_control=0 "
          + "digital_gain_control=0\" source_master=\(Names.usbInput) "
          + "sink_master=\(Names.laptopOutput)")
      _ = try await rig.outside.loadModule(
        "module-remap-source", "source_name=behind master=theirs remix=no")
      #expect(
        try await rig.eventually { seen in
          seen.device(.input, named: "theirs") != nil && seen.device(.input, named: "behind") != nil
        })
      // On PipeWire another client is told a moment later.
      for name in ["theirs", "behind"] {
        #expect(
          try await eventually {
            try await rig.session.snapshot().device(.input, named: name) != nil
          })
        mode.preferredInput = [.name(name)]
        var theirs = try await rig.session.setAudioMode(mode).state.properties[.mode]
        // PipeWire connects what a module made a moment after it is there.
        let isFound = try await eventually {
          if theirs?.verdict == .unreachable || !machine.isGraph { return true }
          theirs = try await rig.session.getSessionState().properties[.mode]
          return theirs?.verdict == .unreachable
        }
        #expect(isFound && theirs?.verdict == .unreachable, "\(name)")
        #expect(
          theirs?.reason == "theirs is made by module-echo-cancel, which processes the signal")
        #expect(try await rig.outside.source(named: name) != nil)
      }
      // A program that records the filter, and not the input that is preferred.
      mode.preferredInput = [.name(Names.usbInput)]
      #expect(
        try await rig.session.setAudioMode(mode).state.properties[.mode]?.verdict == .applied)
      let recorder = try await rig.outside.openStream(
        StreamOptions(
          direction: .input, name: "take", device: "theirs",
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false,
          flags: [.dontMove]))
      var reason: String?
      _ = try await eventually {
        reason = try await rig.session.getSessionState().properties[.mode]?.reason
        return reason != nil
      }
      #expect(reason == "outside records theirs, which is made by module-echo-cancel")
      await recorder.close()
    }
  }

  @Test(
    "a remap of somebody's chooses channels, and processes nothing", .bothServers,
    arguments: Feature.measurement.machines)
  func remap(_ machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      _ = try await rig.outside.loadModule(
        "module-remap-source", "source_name=plain master=\(Names.usbInput) remix=no")
      #expect(try await rig.eventually { $0.device(.input, named: "plain") != nil })
      var mode = AudioMode(category: .record, mode: .measurement)
      mode.preferredInput = ["plain"]
      // The remap's own stream is no program's.
      mode.moveInputStreams = true
      let state = try await rig.session.setAudioMode(mode).state
      #expect(state.properties[.mode]?.verdict == .applied, "\(state.properties)")
      // PipeWire 1.4 tells a new device's mute once it runs.
      let recorder = try await rig.outside.openStream(
        StreamOptions(
          direction: .input, name: "take", device: "plain",
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      try await rig.outside.setMute(.input, device: "plain", true)
      // PipeWire tells each of its clients at another time.
      var muted: PropertyReport?
      _ = try await eventually {
        muted = try await rig.session.getSessionState().properties[.mode]
        return muted?.verdict == .unreachable
      }
      #expect(muted?.reason?.contains("muted") == true, "\(muted as Any)")
      await recorder.close()
    }
  }

  @Test(
    "a mode's role is told, and its streams are spared", .bothServers,
    arguments: [OthersTests.Place.desktop, .graph])
  func roles(_ place: OthersTests.Place) async throws {
    try await Rig.with(place.configuration) { rig in
      let before = try await rig.fullLoudness()
      let mode = AudioMode(
        category: .playback, mode: .moviePlayback, options: [.silenceOthers])
      let state = try await rig.session.setAudioMode(mode).state
      #expect(state.properties[.options]?.verdict == .applied)
      #expect(state.properties[.mode]?.verdict == .unreachable)
      #expect(
        state.properties[.mode]?.reason?.contains("media.role = \"video\"") == true)
      let video = try await rig.loudness(
        role: "video", beside: before, expecting: Rig.untreated)
      #expect(Rig.untreated.contains(video))
      let music = try await rig.loudness(role: "music", beside: before, expecting: 0...0.01)
      #expect(music < 0.01)
    }
  }
}
