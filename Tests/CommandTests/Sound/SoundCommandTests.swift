import POSIX
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("tone, meter and verify", .timeLimit(.minutes(10)))
struct SoundCommandTests {
  /// Runs the program as long as sound takes on a machine that is busy with other tests.
  static func run(_ sandbox: PulseSandbox, _ arguments: String...) async throws -> CommandResult {
    try await sandbox.capture(
      [builtProgram, "--timeout", "60s"] + arguments, timeout: .seconds(180)
    ).withTrueRates()
  }

  static func shell(_ sandbox: PulseSandbox, _ script: String) async throws -> CommandResult {
    try await sandbox.capture(
      ["env", "A=\(builtProgram) --timeout 60s", "sh", "-c", script], timeout: .seconds(180)
    ).withTrueRates()
  }

  @Test("tone names each speaker as it plays, and is heard there", .server)
  func speakers() async throws {
    try await PulseSandbox.with(.monitorOnly) { sandbox in
      let result = try await Self.run(sandbox, "tone", "--duration", "100ms", "--level", "-18")
      #expect(result.standardOutput == "front-left\nfront-right\n")
      #expect(result.standardError.isEmpty)
      #expect(result.status == 0)
      // While the right speaker plays for long, a meter on the monitor sees it alone.
      let heard = try await Self.shell(
        sandbox,
        """
        $A tone --channel right --duration 60s > /dev/null & pid=$!
        i=0
        until $A meter --json --duration 300ms --interval 100ms --device speakers.monitor \
          > out.json && tail -n 1 out.json | grep -q '"peak":0\\.1'; do
          i=$((i + 1)); echo try >&2; [ $i -lt 30 ] || break
        done
        kill $pid; wait $pid; tail -n 1 out.json
        """.replacing("out.json", with: sandbox.directory + "/out.json"))
      noteTries(heard.standardError + "try", of: 30)
      let levels = try JSONValue(heard.standardOutput)["levels"]?.array ?? []
      #expect(levels.map { $0["channel"] } == [.string("front-left"), .string("front-right")])
      #expect(levels.first?["peak"] == .number(0))
      if case .number(let peak) = levels.last?["peak"] {
        #expect(abs(peak - 0.1259) < 0.001)  // -18 dB
      } else {
        Issue.record("no peak")
      }
    }
  }

  @Test("play refuses a file with more channels than a stream can have", .server)
  func wideFile() async throws {
    try await PulseSandbox.with(.monitorOnly) { sandbox in
      let path = "\(sandbox.directory)/wide.wav"
      // 33 channels of 16 bits, two frames: a header and zeros.
      let made = try await Self.shell(
        sandbox,
        """
        { printf 'RIFF\\250\\0\\0\\0WAVEfmt \\20\\0\\0\\0\\1\\0\\41\\0\\104\\254\\0\\0'
          printf '\\310\\153\\54\\0\\102\\0\\20\\0data\\204\\0\\0\\0'
          head -c 132 /dev/zero; } > \(path)
        """)
      #expect(made.status == 0)
      let result = try await Self.run(sandbox, "play", path)
      #expect(result.status == 65)
      #expect(result.standardOutput.isEmpty)
      #expect(
        result.standardError.replacing("\n", with: " ").contains("has 33 channels; 1 to 32 can be"))
    }
  }

  @Test(
    "play tells how long the gaps of its sound were", .bothServers, .soundFiles,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func interrupted(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.monitorOnly(on: kind)) { sandbox in
      let (path, recorded) = (sandbox.directory + "/a.wav", sandbox.directory + "/heard")
      try WaveFile(channels: 1, rate: 44100, frames: 44100 * 6, loud: 0).write(to: path)
      let result = try await sandbox.shell(
        """
        : > \(recorded)
        parec --raw --format=float32le --rate=44100 --channels=1 --latency-msec=20 \
          -d speakers.monitor > \(recorded) & listener=$!
        size() { stat -c %s \(recorded); }
        until [ $(size) -gt 0 ]; do pause; done
        date +%s.%N > \(recorded).begin
        $A play --json \(path) & player=$!
        until tr -d '\\0' < \(recorded) | grep -q .; do kill -0 $player || exit 9; pause; done
        freeze $player
        stopped=$(size)
        until [ $(size) -gt $((stopped + 44100 * 4)) ]; do pause; done
        kill -CONT $player
        wait $player; code=$?
        date +%s.%N > \(recorded).end
        kill $listener
        exit $code
        """)
      #expect(result.status == 0, "\(result)")
      let samples =
        try File.bytes(of: recorded).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
      let (first, last) = (
        try #require(samples.firstIndex { $0 != 0 }), try #require(samples.lastIndex { $0 != 0 })
      )
      let silent = samples[first...last].count { $0 == 0 }
      guard case .number(let told)? = try JSONValue(result.standardOutput)["dropouts"] else {
        Issue.record("\(result)")
        return
      }
      #expect(told > 0.5, "\(result)")
      #expect(result.standardError.contains("warning: the sound had gaps of"))
      // The server has read up to a cycle ahead when its sound ends; the clock of a sink without
      // hardware stops while a busy machine delays it. What took longer than the file was no sound.
      let times = try [".begin", ".end"].map { ending in
        try #require(Double(File.text(recorded + ending).filter { !$0.isNewline }))
      }
      let heard = Double(silent) / 44100
      let longest = max(heard, times[1] - times[0] - 6)
      #expect((heard / 2...longest * 1.2 + 0.2).contains(told), "\(heard), \(times), \(result)")
    }
  }

  @Test("tone plays notes, chords and sweeps", .server)
  func tones() async throws {
    try await PulseSandbox.with(.monitorOnly) { sandbox in
      let notes = try await Self.run(sandbox, "tone", "A4", "C4+E4+G4", "--duration", "50ms")
      #expect(notes.standardOutput == "A4\nC4+E4+G4\n")
      #expect(notes.status == 0)
      let sweep = try await Self.run(
        sandbox, "tone", "--sweep", "20-20000", "--duration", "200ms", "--json")
      #expect(
        sweep.standardOutput == """
          {
            "schema": 1,
            "device": "speakers",
            "sampleRate": 44100,
            "played": [{ "what": "20-20000 Hz", "seconds": 0.2 }]
          }

          """)
      for (sweep, possible) in [("30000", "22049"), ("20-22050", "20-22049")] {
        let tooHigh = try await Self.run(sandbox, "tone", "--sweep", sweep)
        #expect(tooHigh.status == 78)
        let words = "speakers has 44100 Hz, so its highest frequency is 22049 Hz\n  \(possible)\n"
        #expect(tooHigh.standardError.hasSuffix(words), "\(tooHigh)")
      }
      let nowhere = try await Self.run(sandbox, "tone", "--channel", "rear-left")
      #expect(nowhere.status == 78)
      #expect(nowhere.standardError.contains("speakers has no channel 'rear-left'"))
      #expect(nowhere.standardError.contains("front-right"))
    }
    let slow = SandboxConfiguration(modules: ["module-null-sink sink_name=slow rate=8000"])
    try await PulseSandbox.with(slow) { sandbox in
      for notes in ["C8", "A4+C8"] {
        let tooHigh = try await Self.run(sandbox, "tone", "C4", notes, "--duration", "50ms")
        #expect(tooHigh.status == 78 && tooHigh.standardOutput.isEmpty, "\(tooHigh)")
        let words = "slow has 8000 Hz, so its highest frequency is 3999 Hz\n  B7\n"
        #expect(tooHigh.standardError.hasSuffix(words), "\(tooHigh)")
      }
      #expect(try await Self.run(sandbox, "tone", "B7", "--duration", "50ms").status == 0)
    }
  }

  @Test("meter prints a line a reading where nobody draws", .server)
  func meter() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await Self.run(
        sandbox, "meter", "--duration", "350ms", "--interval", "100ms")
      #expect(result.status == 0)
      let lines = result.standardOutput.split(separator: "\n")
      #expect(!lines.isEmpty)
      #expect(
        lines.allSatisfy {
          $0 == "front-left -120.0 (peak -120.0) dB, front-right -120.0 (peak -120.0) dB"
        })
      let missing = try await Self.run(sandbox, "meter", "--device", "nowhere")
      #expect(missing.status == 78)
      #expect(missing.standardError.contains("no source 'nowhere'"))
      let twins = try await sandbox.shell(
        """
        for name in one two; do
          pactl load-module module-null-source source_name=$name description=Studio > /dev/null
        done
        $A meter --device studio
        """)
      #expect(twins.status == 78)
      #expect(twins.standardError.contains("'studio' fits 2 inputs"), "\(twins)")
    }
  }

  @Test("meter names the input that it shows, also after a change of the default", .server)
  func meterFollows() async throws {
    var sources = SandboxConfiguration(modules: [
      "module-null-source source_name=one", "module-null-source source_name=two",
    ])
    sources.commands = ["set-default-source one"]
    try await PulseSandbox.with(sources) { sandbox in
      let result = try await sandbox.shell(
        """
        out=\(sandbox.directory)/out
        $A meter --json --interval 50ms > $out & pid=$!
        until grep -q '"one"' $out; do kill -0 $pid || exit 9; pause; done
        pactl set-default-source two
        until grep -q '"two"' $out; do kill -0 $pid || exit 9; pause; done
        kill -INT $pid; wait $pid
        """)
      #expect(result.status == 130, "\(result)")
    }
  }

  @Test(
    "meter shows no level of an input that delivers nothing, warns of it, and goes on", .server,
    arguments: ["", "--json"])
  func stalledMeter(_ option: String) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); : > err
        ( timeout 60 $A meter --interval 50ms \(option) > out 2> err & echo $! > pid; wait $! )&
        until [ -s out ]; do pause; done
        pactl suspend-source mic 1
        until grep -q 'has delivered nothing for' err; do
          [ -d /proc/$(cat pid) ] || exit 9; pause
        done
        tail -n 1 out > stalled
        pactl suspend-source mic 0
        until grep -q 'delivers again' err; do
          [ -d /proc/$(cat pid) ] || exit 9; pause
        done
        lines=$(wc -l < out)
        until [ $(wc -l < out) -gt $lines ]; do [ -d /proc/$(cat pid) ] || exit 9; pause; done
        tail -n 1 out > again; kill $(cat pid); cat stalled again
        """)
      #expect(result.status == 0, "\(result)")
      let lines = result.standardOutput.split(separator: "\n").map(String.init)
      try #require(lines.count == 2, "\(result)")
      if option.isEmpty {
        #expect(lines[0] == "no sound arrives" && lines[1].contains(" dB"), "\(lines)")
      } else {
        let levels = try lines.map { try JSONValue($0)["levels"]?.array.count }
        #expect(levels == [0, 2], "\(lines)")
      }
    }
  }

  @Test("meter ends by a signal", .server)
  func meterSignal() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await Self.shell(
        sandbox,
        """
        $A meter --interval 50ms > \(sandbox.directory)/out & pid=$!
        until [ -s \(sandbox.directory)/out ]; do kill -0 $pid || exit 9; done
        kill -INT $pid; wait $pid
        """)
      #expect(result.status == 130)
      #expect(result.standardError.isEmpty)
    }
  }

  @Test("meter ends when nobody reads it any more", .server)
  func meterUnread() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await Self.shell(
        sandbox, "{ $A meter --interval 50ms; echo $? >&2; } | head -n 1 > /dev/null")
      #expect(result.standardError == "0\n")
    }
  }

  @Test("what is not played, or not recorded to the end, is no success", .server)
  func standstill() async throws {
    try await PulseSandbox.with(.monitorOnly) { sandbox in
      let result = try await Self.shell(
        sandbox,
        """
        pactl suspend-sink speakers 1
        $A tone A4 --duration 100ms > /dev/null & notes=$!
        $A tone --duration 100ms > /dev/null; echo $?
        $A tone --duration 100ms --json > /dev/null; echo $?
        wait $notes; echo $?
        pactl suspend-sink speakers 0
        $A verify --duration 60s > /dev/null & pid=$!
        until pactl list short source-outputs | grep -q .; do kill -0 $pid || exit 9; sleep 0.02; done
        sleep 1
        pactl unload-module module-null-sink
        wait $pid; [ $? != 0 ] && echo noticed
        """)
      #expect(result.standardOutput == "75\n75\n75\nnoticed\n", "\(result)")
    }
  }

  @Test("tone ends with its server, however long a note is", .server)
  func toneWithoutServer() async throws {
    try await PulseSandbox.with(.monitorOnly) { sandbox in
      let path = sandbox.directory + "/tone"
      let begun = try await sandbox.shell(
        """
        ( $A tone A4 --duration 60s > \(path).out 2> \(path).err < /dev/null
          echo $? > \(path).status ) > /dev/null 2>&1 < /dev/null &
        until pactl list short sink-inputs | grep -q .; do
          [ ! -s \(path).status ] || { cat \(path).err; exit 9; }
          pause
        done
        """)
      try #require(begun.status == 0, "\(begun)")
      let start = ContinuousClock.now
      try await sandbox.kill()
      let ended = try await sandbox.shell(
        "until [ -s \(path).status ]; do pause; done; cat \(path).status \(path).err")
      #expect(ended.standardOutput.hasPrefix("69\n"), "\(ended)")
      #expect(ContinuousClock.now - start < .seconds(30))
    }
  }

  @Test("a recording that is appended to a file changes nothing that is there", .server)
  func appended() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await Self.shell(
        sandbox,
        """
        cd \(sandbox.directory); printf before > out
        $A record - --duration 2s >> out 2> /dev/null; echo $?
        head -c 6 out; grep -aob RIFF out | wc -l
        """)
      #expect(result.standardOutput.hasPrefix("0\nbefore1\n"), "\(result)")
    }
  }

  @Test("no device is said", .server)
  func noDevice() async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      for command in ["tone", "meter", "verify"] {
        let result = try await Self.run(sandbox, command)
        #expect(result.status == 78, "\(command)")
        #expect(result.standardError.contains("no"), "\(command)")
      }
    }
  }

  @Test(
    "verify plays nothing where any output can be heard, unless it is asked to",
    .simulatedCard)
  func inaudible() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let result = try await sandbox.shell(
        """
        cd $AUDIOSESSION_SANDBOX; hardware=$(pactl get-default-sink)
        pactl load-module module-remap-sink sink_name=remap master=$hardware > /dev/null
        pactl load-module module-null-sink sink_name=null > /dev/null
        for sink in $hardware remap null; do
          pactl set-default-sink $sink
          for play in '' --play; do
            $A verify --duration 500ms $play --json > out
            grep -c '"check": "roundTrip"' out || [ -z "$play" ] || cat out >&2
          done
        done
        """)
      #expect(result.standardOutput == "0\n1\n0\n1\n0\n1\n", "\(result)")
    }
  }

  @Test("verify proves a profile by its sound", .simulatedCard)
  func verify() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      try sandbox.write(
        profile: "turned",
        """
        category = "record"
        sample-rate = 48000
        buffer-duration = "20 ms"
        [input]
        prefer = [{ property = { "device.bus" = "usb" } }]
        channel-map = "swap"
        """)
      var (status, checks): (Int32, [JSONValue]) = (-1, [])
      func check(_ name: String) -> JSONValue? { checks.first { $0["check"] == .string(name) } }
      // The simulated card of a machine that is too busy delivers several buffers at once.
      for number in 1...3 where check("ioBufferDuration")?["ok"] != .bool(true) {
        noteTry(number, of: 3)
        let result = try await Self.run(sandbox, "verify", "turned", "--json", "--revert")
        status = result.status
        checks = try JSONValue(result.standardOutput)["checks"]?.array ?? []
      }
      #expect(check("ioBufferDuration")?["ok"] == .bool(true))
      let turned = JSONValue.array([.string("front-right"), .string("front-left")])
      #expect(check("channels")?["measured"] == turned)
      #expect(check("channels")?["ok"] == .bool(true))
      for fault in ["silence", "deadChannel", "dualMono", "clipping", "offset"] {
        #expect(check(fault)?["measured"] == .array([]), "\(fault)")
      }
      // A machine that is too busy loses sound, and verify says so: 3 is no mistake then.
      let isAsWanted = checks.allSatisfy { $0["ok"] == .bool(true) }
      #expect(status == (isAsWanted ? 0 : 3))
      #expect(check("sampleRate")?["wanted"] == .number(48000))
      #expect(check("sampleRate")?["claimed"] == .number(48000))
      if case .number(let rate) = check("sampleRate")?["measured"] {
        #expect(abs(rate - 48000) < 1000)
      } else {
        Issue.record("no rate")
      }
      // What was there before is there again.
      let state = try await Self.run(sandbox, "state", "--json")
      #expect(try JSONValue(state.standardOutput)["profile"] == .null)
    }
  }

  @Test("verify of a profile that only plays listens to the output, also without its name", .server)
  func verifyPlayback() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      #expect(try await Self.run(sandbox, "apply", "music-low-latency").status == 0)
      var devices: [String] = []
      for profile in ["", "music-low-latency"] {
        let result = try await Self.shell(
          sandbox, "$A verify \(profile) --duration 500ms --json")
        let report = OrderedJSON(result.standardOutput)
        devices.append(report["device"].text ?? "")
        let checks = report["checks"].array.compactMap { $0["check"].text }
        #expect(checks.contains("sampleRate") && !checks.contains("silence"), "\(result)")
      }
      #expect(devices[0].hasSuffix(".monitor") && devices[0] == devices[1], "\(devices)")
    }
  }

  @Test(
    "verify measures on PipeWire what can be promised there", .pipewireCards,
    arguments: ["podcast", "voice-chat", "music-low-latency"])
  func verifyOnPipeWire(_ profile: String) async throws {
    try await PulseSandbox.with(.demo(on: .pipewire)) { sandbox in
      var checks: [JSONValue] = []
      func isOK(_ name: String) -> Bool? {
        checks.first { $0["check"] == .string(name) }.map { $0["ok"] == .bool(true) }
      }
      // A machine that is too busy delivers several cycles at once.
      for number in 1...3 where isOK("ioBufferDuration") != true {
        noteTry(number, of: 3, after: "a buffer of \(profile) that was another")
        let result = try await Self.run(
          sandbox, "verify", profile, "--json", "--duration", "500ms")
        checks = try JSONValue(result.standardOutput)["checks"]?.array ?? []
      }
      #expect(isOK("ioBufferDuration") == true, "\(checks)")
      // Who only plays has none to tell apart.
      #expect(isOK("channels") == (profile == "music-low-latency" ? nil : true), "\(checks)")
    }
  }

  @Test("verify finds what a server does not say", .server)
  func faults() async throws {
    let twice = SandboxConfiguration(modules: [
      "module-sine-source source_name=one rate=44100 frequency=441",
      "module-remap-source source_name=two master=one channels=2"
        + " channel_map=front-left,front-right master_channel_map=mono,mono remix=no",
      "module-null-sink sink_name=out rate=44100",
    ])
    var configuration = twice
    configuration.commands = ["set-default-source two"]
    try await PulseSandbox.with(configuration) { sandbox in
      let result = try await Self.run(sandbox, "verify", "--duration", "1s", "--json")
      #expect(result.status == 3)
      let checks = try JSONValue(result.standardOutput)["checks"]?.array ?? []
      func check(_ name: String) -> JSONValue? { checks.first { $0["check"] == .string(name) } }
      #expect(check("dualMono")?["measured"] == .array([.string("front-left = front-right")]))
      #expect(check("dualMono")?["ok"] == .bool(false))
      #expect(check("silence")?["ok"] == .bool(true))
      // The null sink is no hardware, so the way through it is measured.
      #expect(check("roundTrip")?["ok"] == .bool(true))
      #expect(check("outputChannels")?["ok"] == .bool(true))
    }
    try await PulseSandbox.with(.minimal) { sandbox in
      let silent = try await Self.run(sandbox, "verify", "--duration", "500ms")
      #expect(silent.status == 3)
      #expect(silent.standardOutput.contains("every channel"))
      #expect(try await Self.run(sandbox, "verify", "nosuch").status == 66)
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips where PipeWire or its simulated cards are missing.
  fileprivate static var pipewireCards: Self {
    .enabled(
      if: ServerProgram.isInstalled(.pipewire) && SimulatedCard.programPath() != nil,
      "needs the packages pipewire, pipewire-pulse and wireplumber, and Tests/SimulatedCard/build")
  }
}
