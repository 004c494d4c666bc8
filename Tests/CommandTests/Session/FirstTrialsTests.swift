import AudioSession
import FoundationEssentials
import PulseSandbox
import TestSupport
import Testing

@testable import AudioStreams
@testable import audiosession

/// What the first users stumbled over.
@Suite("First trials", .timeLimit(.minutes(10)))
struct FirstTrialsTests {
  @Test("a usage error is JSON with --json, and begins with the program's name without", .server)
  func usageErrors() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      for arguments in UsageTests.mistakes + SchemaTests.commands.map({ $0 + ["--nonsense"] })
        + [["watch", "x", "--auto"], ["state", "--pipewire"]]
      {
        let json = try await sandbox.capture([builtProgram, "--json"] + arguments)
        #expect(json.status == 64)
        #expect(try JSONSchema("error").problems(of: try JSONValue(json.standardOutput)) == [])
        #expect(json.standardError.isEmpty)
        let text = try await sandbox.capture([builtProgram] + arguments)
        #expect(text.status == 64)
        #expect(text.standardError.hasPrefix("audiosession: "), "\(text)")
        #expect(text.standardError.contains("\nUsage: audiosession"))
        #expect(text.standardOutput.isEmpty, "\(text)")
      }
    }
  }

  @Test(
    "a volume of 60 % is saved as 60 %, and a name that hides a built-in profile is named", .server)
  func saving() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        pactl set-source-volume mic 60%
        $A profiles save podcast; $A profiles save desk
        grep gain "$XDG_CONFIG_HOME/audiosession/profiles/desk.toml"
        $A plan desk
        """)
      #expect(result.standardOutput.hasSuffix("gain = \"60 %\"\nnothing to do\n"), "\(result)")
      let notes = result.standardError.split(separator: "\n")
      #expect(notes.count == 1 && notes[0].contains("it hides the built-in profile 'podcast'"))
    }
  }

  @Test("profiles check takes names, too", .server)
  func checkingNames() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "mistaken", "category = \"speak\"\n")
      #expect(try await sandbox.audiosession("profiles", "check", "podcast").status == 0)
      let wrong = try await sandbox.audiosession("profiles", "check", "mistaken")
      #expect(wrong.status == 65)
      #expect(wrong.standardOutput.contains("/mistaken.toml:1:"), "\(wrong)")
      #expect(try await sandbox.audiosession("profiles", "check", "nowhere").status == 66)
      #expect(try await sandbox.audiosession("profiles", "check", "nowhere.toml").status == 66)
    }
  }

  @Test("a meter of a length ends with an error where nothing comes any more", .server)
  func silentMeter() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        $A meter --duration 5s --interval 100ms > \(sandbox.directory)/out & pid=$!
        until [ -s \(sandbox.directory)/out ]; do kill -0 $pid || exit 9; pause; done
        pactl suspend-source mic 1
        wait $pid
        """)
      #expect(result.status == 78, "\(result)")
      #expect(
        try /'mic' has delivered nothing for ([5-9]|1\d) s/.firstMatch(in: result.standardError)
          != nil,
        "\(result)")
    }
  }

  @Test("a meter of a length ends with 75 where it is the server that does not answer", .server)
  func frozenMeter() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let begun = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        ( $A meter --duration 10s --interval 100ms > out 2> err < /dev/null
          echo $? > status ) > /dev/null 2>&1 < /dev/null &
        until [ -s out ]; do [ ! -s status ] || exit 9; pause; done
        """)
      try #require(begun.status == 0, "\(begun)")
      try await sandbox.freeze()
      let ended = try await sandbox.shell(
        "cd \(sandbox.directory); until [ -s status ]; do pause; done; cat status err")
      #expect(ended.standardOutput.hasPrefix("75\n"), "\(ended)")
      #expect(ended.standardOutput.contains("does not answer"), "\(ended)")
      try await sandbox.thaw()
    }
  }

  @Test(
    "a meter of 300 ms prints its line into a pipe", .server, arguments: ["", "--interval 5s"])
  func shortMeter(_ interval: String) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell("$A meter --duration 300ms \(interval) | cat")
      #expect(result.standardOutput.split(separator: "\n").count == 1, "\(result)")
    }
  }

  @Test("a truncated file is 65 once its sound was played", .server, arguments: ["wav", "flac"])
  func truncated(_ kind: String) async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A record a.\(kind) --duration 600ms > out || exit 9
        $A play a.\(kind) || exit 8
        size=$(wc -c < a.\(kind)); head -c $((size / 2)) a.\(kind) > half.\(kind)
        $A play half.\(kind)
        """)
      #expect(result.status == 65, "\(result)")
      #expect(result.standardError.contains("'half.\(kind)' is "), "\(result)")
    }
  }

  @Test("verify works beside a holder, and closes with one line", .simulatedCard)
  func verifyBesideHolder() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let result = try await sandbox.shell(
        """
        $A apply podcast --keep > /dev/null || exit 9
        $A verify podcast --duration 1s; echo $?
        $A state --json | grep -c '"name": "audiosession"'
        $A stop | grep -c '^Stopped'
        """)
      #expect(result.standardOutput.hasSuffix("\n1\n1\n"), "\(result)")
      #expect(!result.standardError.contains("holds the audio session"), "\(result)")
      let verdict = result.standardOutput.split(separator: "\n").first {
        $0.hasPrefix("Ready: ") || $0.hasPrefix("Not ready: ")
      }
      #expect(verdict != nil, "\(result)")
      let isReady = verdict?.hasPrefix("Ready: ") == true
      #expect(isReady == result.standardOutput.contains("\n0\n"), "\(result)")
      if isReady {
        #expect(verdict?.contains("Example USB Microphone") == true)
        #expect(verdict?.contains(", 48 kHz, 10 ms, ") == true, "\(verdict ?? "")")
      }
    }
  }

  @Test("verify --revert says what it restored, and not without a profile", .server)
  func verifyReverts() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\n")
      try sandbox.write(profile: "other", "[input]\ngain = \"30 %\"\n")
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A apply other > /dev/null || exit 9
        $A verify --revert 2> err; [ $? = 64 ] || exit 8
        grep -q 'revert needs a profile' err || exit 7
        $A state --json | grep -c '"profile": "other"'
        $A verify test --revert --duration 500ms; true
        """)
      #expect(result.status == 0, "\(result)")
      let lines = result.standardOutput.split(separator: "\n").map(String.init)
      #expect(lines.first == "1", "the session of somebody else stays")
      let at = try #require(lines.firstIndex(of: "restored"), "\(result)")
      #expect(lines[at...].contains { $0.contains("40 %") && $0.contains("→") }, "\(result)")
      #expect(lines.last?.hasPrefix("Not ready: ") == true, "\(result)")
    }
  }

  @Test("verify of a silent input closes with the reason, and what to do", .server)
  func silentInput() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        $A verify --duration 500ms | tail -n 1
        pactl set-source-volume mic 0; $A verify --duration 500ms | tail -n 1
        pactl set-source-mute mic 1; $A verify --duration 500ms | tail -n 1 | tee \(sandbox.directory)/last
        sh -c "$(sed 's/.*: pactl/pactl/' \(sandbox.directory)/last)"; pactl get-source-mute mic
        """)
      let lines = result.standardOutput.split(separator: "\n").map(String.init)
      try #require(lines.count == 4, "\(result)")
      #expect(
        lines[0].hasPrefix("Not ready: Microphone is no hardware, and has no sound of its own"))
      #expect(lines[1].hasPrefix("Not ready: the gain of Microphone is 0 %; to raise it: pactl "))
      #expect(lines[2].hasPrefix("Not ready: Microphone is muted; to unmute it: pactl "))
      #expect(lines[3] == "Mute: no", "the command works")
    }
  }

  @Test("notes are no findings: 0, and the count has words", .server)
  func notes() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        "pactl load-module module-switch-on-port-available > /dev/null; $A doctor --no-listen")
      #expect(result.status == 0, "\(result)")
      #expect(result.standardOutput.contains("note  module-switch-on-port-available"))
      #expect(result.standardOutput.contains(", no findings, 1 note\n"))
      #expect(result.standardOutput.contains("apply PROFILE --keep"))
      try sandbox.write(profile: "test", Profiles.podcast)
      let kept = try await sandbox.shell(
        "$A apply test --keep > /dev/null; $A doctor --no-listen; $A stop > /dev/null")
      #expect(kept.standardOutput.contains("no findings, 1 note"), "\(kept)")
      #expect(!kept.standardOutput.contains("--keep"), "\(kept)")
    }
  }

  @Test("servers have the names that people know")
  func serverNames() {
    func title(_ kind: ServerKind, _ name: String, _ version: String) -> String {
      SessionState.Server(kind: kind, name: name, version: version, address: "").title
    }
    #expect(title(.pipewire, "PulseAudio (on PipeWire 0.3.65)", "15.0.0") == "PipeWire 0.3.65")
    #expect(title(.pulseaudio, "pulseaudio", "16.1") == "PulseAudio 16.1")
  }

  @Test("a route event says what differs")
  func routeEvents() throws {
    func route(_ port: String, _ rate: Int = 48000) throws -> Route {
      let text = """
        {"inputs": [{"name": "mic", "description": "Microphone", "port": "\(port)", "channels": 1,
        "sampleRate": \(rate), "channelMap": ["mono"], "via": []}], "outputs": []}
        """
      return try JSONDecoder().decode(Route.self, from: Data(text.utf8))
    }
    func text(
      _ previous: Route, _ current: Route, names: DeviceNames = DeviceNames([])
    ) throws -> String {
      EventView.rows(
        TimedEvent(
          time: "T1",
          event: .routeChanged(.oldDeviceUnavailable, previous: previous, current: current)),
        width: nil, names: names
      ).rendered(colour: false)
    }
    #expect(try text(route("a"), route("b"), names: .none).contains("input mic: a → b"))
    #expect(
      try text(route("a"), route("b")).contains("input Microphone: a → b (a device was removed)"))
    #expect(
      try text(route("a", 44100), route("a")).contains(
        "input Microphone: 44100 Hz → 48000 Hz (a device was removed)")
    )
  }

  @Test(
    "record replaces nothing without --force, knows its formats, and Ctrl-C ends it with 0", .server
  )
  func recording() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); echo precious > talk.wav
        $A record talk.wav --duration 100ms; echo $? $(cat talk.wav)
        $A record talk.wav --duration 100ms --force > out; echo $? $(head -c 4 talk.wav)
        $A record talk.xyz --duration 100ms; echo $?
        $A record talk --duration 100ms; echo $?; ls talk 2> /dev/null
        $A record long.wav & pid=$!
        until [ "$(stat -c %s long.wav 2> /dev/null || echo 0)" -gt 50000 ]; do pause; done
        kill -INT $pid; wait $pid; echo $?
        """)
      let lines = result.standardOutput.split(separator: "\n").map(String.init)
      #expect(lines.starts(with: ["65 precious", "0 RIFF", "64", "64"]), "\(result)")
      #expect(lines.last == "0", "\(result)")
      #expect(result.standardError.contains("'talk.wav' exists already; --force replaces it"))
      #expect(result.standardError.contains("it ends in .xyz"))
      #expect(
        result.standardError.contains(
          "'talk' has no ending, so its format is not known; end it in .wav or .flac"))
      let muted = try await sandbox.shell(
        "pactl set-source-mute mic 1; $A record \(sandbox.directory)/m.wav --duration 100ms")
      #expect(muted.status == 0)
      #expect(
        muted.standardError.contains(
          "the input is muted; to unmute it: pactl set-source-mute mic 0"))
    }
  }

  @Test("silence, clipping and a full disk are reported once, and silence again after sound")
  func recordingWatch() {
    var watch = RecordingWatch()
    var progress = RecordingProgress()
    (progress.sampleRate, progress.channels) = (48000, 2)
    func warnings(_ seconds: Int64, _ peak: Float, _ left: DiskSpace.Room? = nil) -> [String] {
      (progress.frames, progress.peak) = (seconds * 48000, peak)
      return watch.warnings(progress, left: left)
    }
    #expect(warnings(1, 0) == [])
    #expect(warnings(3, 0).first?.hasPrefix("nothing but silence for 3 s") == true)
    #expect(warnings(4, 0) == [])
    #expect(warnings(5, 0.5) == [])
    #expect(warnings(7, 0) == [])
    #expect(warnings(8, 0).count == 1)
    // A buffer between two looks.
    progress.highestPeak = 1
    #expect(
      warnings(9, 0.5) == ["the sound clips at 0:09.0; lower the gain of the microphone"])
    #expect(warnings(10, 1) == [])
    #expect(warnings(11, 0.5, .init(time: .seconds(599))) == ["the disk has room for 9:59.0 more"])
    #expect(warnings(12, 0.5, .init(time: .seconds(500))) == [])
    // 4 bytes a frame of two 16-bit samples.
    #expect(DiskSpace.time(bytes: 48000 * 4 * 60, progress, .wav16) == .seconds(60))
    // A WAV file has at most 4 GB, whatever the disk has.
    (progress.frames, watch) = (1_000_000_000, RecordingWatch())
    progress.highestPeak = 0.5
    let room = DiskSpace.room(free: 1e15, progress, .wav16)
    #expect(room == .init(time: .seconds((4_294_967_295.0 - 4e9) / 192_000), isOfFormat: true))
    (progress.frames, progress.peak) = (1_060_000_000, 0.5)
    #expect(
      watch.warnings(progress, left: DiskSpace.room(free: 1e15, progress, .wav16))
        == [
          "a WAV file ends at 4 GB, in 4:46.2; record the next part into another file, or into FLAC"
        ])
    #expect(DiskSpace.room(free: 192_000, progress, .wav16) == .init(time: .seconds(1)))
    #expect(DiskSpace.room(free: 1e15, progress, .flac16)?.isOfFormat == false)
    #expect(
      RecordView.line(progress, left: .init(time: .seconds(7200 * 3))).rendered(colour: false)
        .hasSuffix("  room for 6 h"))
  }

  @Test("what was granted before a revert is asked for again, and in the plan", .server)
  func grantOfBefore() async throws {
    try await PulseSandbox.with(.nullDevices) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A plan podcast > first; $A apply podcast > /dev/null; $A revert > /dev/null
        $A plan podcast > second; cat second; cmp first second
        """)
      #expect(result.status == 0 && result.standardOutput.contains("latency"), "\(result)")
    }
  }

  @Test("state shows what is stored while a server hangs, with the reason and 75", .server)
  func watchedHang() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let session = AudioSession(
        server: sandbox.address,
        configuration: SessionConfiguration(
          timeout: .seconds(1), storeFolder: sandbox.directory + "/store", isHolding: false))
      try await sandbox.freeze()
      let (state, error) = try await StateCommand.state(of: session)
      #expect(error?.code == .timedOut && state.server == nil, "\(error as Any)")
      let result = try await sandbox.shell("$A state --timeout 1s; echo $?")
      #expect(result.standardOutput.hasSuffix("\n75\n"), "\(result)")
      #expect(result.standardError.contains("timed out"), "\(result)")
      try await sandbox.thaw()
      await session.close()
    }
  }

  @Test("the held devices are in the state, and --watch marks what changed", .simulatedCard)
  func heldAndWatched() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A apply podcast --keep > /dev/null; $A state
        $A state --watch > seen & pid=$!
        until grep -q 'podcast, active' seen; do kill -0 $pid || exit 9; pause; done
        pactl set-source-volume @DEFAULT_SOURCE@ 37%
        until grep -q '^[*].*37 %' seen; do kill -0 $pid || exit 9; pause; done
        kill -INT $pid; wait $pid; echo ended with $?
        $A stop > /dev/null
        """)
      #expect(
        result.standardOutput.contains(
          "\nheld     Example USB Microphone Analog Stereo for the 10 ms buffer"), "\(result)")
      #expect(result.standardOutput.hasSuffix("ended with 0\n"), "\(result)")
    }
  }
}
