import AudioSession
import PulseSandbox
import TestSupport
import Testing

@testable import audiosession

@Suite("Pictures of the route", .timeLimit(.minutes(10)))
struct TreeTests {
  @Test("from the device through the remap to the default", .server)
  func remap() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      _ = try await sandbox.audiosession("apply", "test")
      let state = try await sandbox.audiosession("state")
      #expect(
        state.standardOutput.contains(
          """

          input
          source Microphone  44100 Hz, 80 %
          └─ remap audiosession.input  front-right front-left
             └─ default

          output
          sink Built-in Speakers  44100 Hz, 100 %
          └─ default


          """), "\(state.standardOutput)")
      let tree = try await sandbox.audiosession("devices", "--tree")
      #expect(
        tree.standardOutput == """
          source Microphone  44100 Hz, 80 %
          └─ remap audiosession.input  front-right front-left
             └─ default
          sink Built-in Speakers  44100 Hz, 100 %
          └─ default

          """)
      let json = try await sandbox.audiosession("devices", "--tree", "--json")
      #expect(
        try await sandbox.audiosession("devices", "--json").standardOutput == json.standardOutput)
    }
  }

  @Test("from the card through profile and port, whatever hangs on it", .simulatedCard)
  func cards() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let tree = try await sandbox.audiosession("devices", "--tree")
      #expect(
        tree.standardOutput.hasPrefix(
          """
          card Built-in Audio
          └─ profile output:analog-stereo+input:analog-stereo
             ├─ port analog-input-internal-mic  built-in-mic
             │  └─ source Built-in Audio Analog Stereo  44100 Hz, 100 %
             └─ port analog-output-speaker  speaker
                └─ sink Built-in Audio Analog Stereo  44100 Hz, 100 %
                   └─ default

          """), "\(tree.standardOutput)")
      let verbose = try await sandbox.audiosession("devices", "--tree", "-v")
      #expect(
        verbose.standardOutput.contains(
          "card alsa_card.pci-0000_00_1f.3  Built-in Audio\n└─ profile"), "\(verbose)")
      #expect(verbose.standardOutput.contains("source alsa_input.pci-0000_00_1f.3.analog-stereo"))
      let session = AudioSession(server: sandbox.address)
      let snapshot = try await session.snapshot()
      await session.close()
      let list = DeviceList(snapshot, isWhole: true)
      func letters(_ lines: [Line]) -> String {
        lines.rendered(colour: false).filter { !" \n├└─│,".contains($0) }
      }
      for width in [30, 40, 60, 80] {
        let tree = RouteTree(snapshot: snapshot, names: DeviceNames(snapshot)).all()
        let lines = tree.flatMap { $0.lines(width: width) }
        let devices = DevicesView.lines(list, width: width)
        for line in lines + (width < 40 ? [] : devices) {
          #expect(line.width <= width, "\(line.rendered(colour: false))")
        }
        // Nothing is left out: the letters are those of a wide screen.
        #expect(letters(lines) == letters(tree.flatMap { $0.lines(width: nil) }))
        #expect(letters(devices) == letters(DevicesView.lines(list, width: nil)))
      }
    }
  }

  @Test("through a call's canceller, and to several outputs", .server)
  func links() async throws {
    let machine = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100",
      "module-null-sink sink_name=headphones rate=44100", "module-null-source source_name=mic",
    ])
    try await PulseSandbox.with(machine) { sandbox in
      try sandbox.write(
        profile: "call",
        "category = \"play-and-record\"\nmode = \"voice-chat\"\n[input]\nprefer = [\"mic\"]\n"
          + "channel-map = \"swap\"\n[output]\nprefer = [\"speakers\"]\nchannel-map = \"swap\"\n")
      let apply = try await sandbox.audiosession("apply", "call")
      #expect(apply.status == 0, "\(apply)")
      let call = try await sandbox.audiosession("state").standardOutput
      #expect(
        call.contains(
          """
          └─ echo canceller audiosession.echo.input  webrtc
             └─ remap audiosession.input  front-right front-left
                └─ default

          """), "\(call)")
      #expect(
        call.contains(
          """
          └─ remap audiosession.output  front-right front-left
             └─ echo canceller audiosession.echo.output  webrtc
                └─ default

          """), "\(call)")
      try sandbox.write(
        profile: "both",
        "category = \"multi-route\"\n[output]\nprefer = [\"speakers\", \"headphones\"]\n")
      let applied = try await sandbox.audiosession("apply", "both")
      #expect(
        applied.standardError.contains("the combined output is not rebuilt after"), "\(applied)")
      let both = try await sandbox.audiosession("state").standardOutput
      #expect(
        both.contains(
          """
          sink speakers  44100 Hz, 100 %
          └─ outputs audiosession.combined  headphones + speakers
             └─ default

          """), "\(both)")
      let devices = try await sandbox.audiosession("devices").standardOutput
      #expect(devices.ranges(of: "* Null Output\n").count == 2, "\(devices)")
      // What is set at the combined output is heard, too.
      _ = try await sandbox.shell(
        "pactl set-sink-volume @DEFAULT_SINK@ 50%; pactl set-sink-mute @DEFAULT_SINK@ 1")
      let muted = try await sandbox.audiosession("state").standardOutput
      #expect(muted.contains("headphones + speakers, 50 %, muted"), "\(muted)")
    }
  }

  @Test("colours are the worst verdict; what a name says is harmless", .server)
  func colours() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let session = AudioSession(server: sandbox.address)
      var snapshot = try await session.snapshot()
      await session.close()
      func report(_ verdict: Verdict) -> PropertyReport {
        .made(
          preferred: nil, actual: nil, verdict: verdict, reason: verdict == .applied ? nil : "x")
      }
      let tree = RouteTree(
        snapshot: snapshot,
        properties: [
          .preferredInput: report(.applied), .inputGain: report(.overridden),
          .preferredOutput: report(.applied), .outputVolume: report(.unset),
        ])
      #expect(tree.route(.input)?.style == .amber)
      #expect(tree.route(.input)?.children.first?.style == .green)
      #expect(tree.route(.output)?.style == .green)
      snapshot.server.defaultSourceName = "mic\u{1b}[2J"
      let at = try #require(snapshot.sources.firstIndex { $0.name == "mic" })
      snapshot.sources[at].name = "mic\u{1b}[2J"
      let lines = RouteTree(snapshot: snapshot).route(.input)?.lines(width: 60) ?? []
      #expect(lines.first?.rendered(colour: false).hasPrefix("source mic\\u{1b}[2J") == true)
    }
  }
}
