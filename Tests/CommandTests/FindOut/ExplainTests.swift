import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// `explain`: what makes a property what it is, on real servers.
@Suite("Explain", .timeLimit(.minutes(10)))
struct ExplainTests {
  private func explain(_ sandbox: PulseSandbox, _ property: String) async throws -> JSONValue {
    let result = try await sandbox.audiosession("explain", property, "--json")
    #expect(result.status == 0, "\(result)")
    return try JSONValue(result.standardOutput)
  }

  private func causes(_ sandbox: PulseSandbox, _ property: String) async throws -> String {
    try await explain(sandbox, property)["causes"]?.array.map { cause in
      if case .string(let text) = cause { text } else { "" }
    }.joined(separator: "\n") ?? ""
  }

  private func names(_ json: JSONValue) -> [JSONValue?] {
    json["choices"]?.array.map { $0["name"] } ?? []
  }

  @Test("a gain that the session restored is its own, and no other program's", .server)
  func restoredGain() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(
        profile: "locked",
        "category = \"record\"\n[input]\nprefer = [\"mic\"]\ngain = \"80 %\"\ngain-lock = true\n")
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); $A apply locked --keep > /dev/null || exit 9
        pactl set-source-volume mic 30%
        until $A state --json | grep -q '"reapplied"'; do pause; done
        $A explain gain | sed 's/process [0-9]*/process/; s/at [-0-9]* [0-9:]*,/at then,/'
        $A stop > /dev/null; pactl set-source-volume mic 30%; $A explain gain
        """)
      #expect(
        result.standardOutput == """
          input gain  applied  80 %

          - the session's profile 'locked' asks for this value; audiosession (process) maintains the session
          - it had another value at then, and the session restored this one
          - Microphone is at 80 %, which the server applies in software
          input gain  overridden  30 %  (preferred: 80 %)
              Microphone is at 30 %: it has changed since it was set

          - the session's profile 'locked' asks for another value; no running process maintains it
          - Microphone is at 30 %, which the server applies in software
          - the server does not report which program set it

          """, "\(result)")
    }
  }

  @Test("all keys are there, and causes", .server)
  func keys() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      for property in ["category", "inputMuted", "outputLatencyOffset"] {
        let json = try await explain(sandbox, property)
        #expect(
          json.keys == [
            "schema", "property", "preferred", "actual", "verdict", "reason", "waitingFor",
            "causes", "choices",
          ])
        #expect(json["property"] == .string(property))
        #expect(json["causes"]?.array.isEmpty == false, "\(property)")
      }
    }
  }

  @Test(
    "the default source: the server's own choice, then a person's", .pipewire,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func defaultSource(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.nullDevices(on: kind)) { sandbox in
      let own = try await explain(sandbox, "preferredInput")
      let first = try #require(own["choices"]?.array.first)
      #expect(first["name"] == own["actual"])
      #expect(first["chosen"] == .bool(true))
      _ = try await sandbox.shell(
        """
        pactl set-default-source speakers.monitor
        until [ "$(pactl get-default-source)" = speakers.monitor ]; do pause; done
        """)
      let chosen = try await explain(sandbox, "default-source")
      #expect(chosen["actual"] == .string("speakers.monitor"))
      let text = try await causes(sandbox, "preferred-input")
      #expect(text.contains("chose speakers.monitor"))
      // The best of the others; each after it is ranked below it.
      let best = try #require(chosen["choices"]?.array.dropFirst().first)
      #expect(
        best["reason"] == .string("would be the default if speakers.monitor had not been chosen"))
    }
  }

  @Test("a default that the session found as preferred was not its choice", .server)
  func foundDefault() async throws {
    try await PulseSandbox.with(.nullDevices) { sandbox in
      for name in ["internal_mic", "usb_mic"] {
        try sandbox.write(profile: name, "[input]\nprefer = [\"\(name)\"]\n")
        let applied = try await sandbox.shell("pactl set-default-source \(name); $A apply \(name)")
        #expect(applied.status == 0, "\(applied)")
        let text = try await causes(sandbox, "preferredInput")
        #expect(!text.contains("the session chose"), "\(text)")
        #expect(try await sandbox.audiosession("revert").status == 0)
      }
    }
  }

  /// The order is the server's own: what it takes without a choice comes first.
  @Test(
    "the ranking names what the server takes", .simulatedCard, .pipewire,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func ranking(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.demo(on: kind)) { sandbox in
      for property in ["preferredInput", "preferredOutput"] {
        let json = try await explain(sandbox, property)
        #expect(json["choices"]?.array.first?["chosen"] == .bool(true))
        let text = try await causes(sandbox, property)
        #expect(text.contains("own first choice"), "\(text)")
      }
    }
  }

  @Test("who keeps the rate, and who asks for the buffer", .server)
  func streams() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let script = """
        pacat -r --client-name=recorder --latency-msec=20 -d mic >/dev/null & pid=$!
        until pactl list short source-outputs | grep -q .; do :; done
        $A explain sampleRate; $A explain ioBufferDuration
        kill $pid
        """
      let text = try await sandbox.shell(script).standardOutput
      #expect(text.contains("recorder uses it with 44100 Hz"))
      #expect(text.contains("devices of module-null-source.c have one rate"))
      #expect(text.contains("recorder is on it"))
    }
  }

  @Test(
    "ports, with what is plugged in", .simulatedCard, .pipewire,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func ports(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.demo(on: kind)) { sandbox in
      // PipeWire acknowledges before it acts.
      _ = try await sandbox.shell(
        """
        pactl set-default-source alsa_input.pci-0000_00_1f.3.analog-stereo
        until [ "$(pactl get-default-source)" = alsa_input.pci-0000_00_1f.3.analog-stereo ]
        do pause; done
        """)
      let json = try await explain(sandbox, "inputPort")
      #expect(names(json).contains(.string("analog-input-headset-mic")))
      let headset = json["choices"]?.array.first {
        $0["name"] == .string("analog-input-headset-mic")
      }
      #expect(headset?["reason"] == .string("is not plugged in"))
    }
  }

  @Test("the session's own remap, and the pin that asks for the buffer", .server)
  func ours() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      _ = try await sandbox.audiosession("apply", "test")
      let map = try await causes(sandbox, "channelMap")
      #expect(map.contains("audiosession.input is on it: it takes front-right,front-left"))
      let input = try await causes(sandbox, "preferredInput")
      #expect(input.contains("the session's own device on mic"))
      try sandbox.write(profile: "held", "category = \"record\"\nbuffer-duration = \"10 ms\"\n")
      let watching = try await Watching.start(sandbox, "held")
      let buffer = try await causes(sandbox, "ioBufferDuration")
      #expect(buffer.contains("the session's pin asks for 10 ms"), "\(buffer)")
      #expect(try await watching.end() == 143)
    }
  }

  @Test("an unknown property is 64, with the list and a suggestion", .server)
  func unknown() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.audiosession("explain", "samplRate")
      #expect(result.status == 64)
      #expect(result.standardOutput.isEmpty)
      #expect(result.standardError.contains("do you mean sampleRate?"))
      #expect(result.standardError.contains("ioBufferDuration"))
      let far = try await sandbox.audiosession("explain", "zzzzzzzzz")
      #expect(far.status == 64)
      #expect(!far.standardError.contains("do you mean"))
    }
  }

  @Test("without a server the mode is explained: 69", .server)
  func noServer() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      _ = try await sandbox.audiosession("apply", "test")
      try await sandbox.terminate()
      let result = try await sandbox.audiosession("explain", "inputGain", "--json")
      #expect(result.status == 69)
      #expect(try JSONValue(result.standardOutput)["preferred"] == .number(0.8))
    }
  }

  @Test("what it prints, to the letter", .server)
  func output() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.audiosession("explain", "preferredInput")
      #expect(
        result.standardOutput == """
          preferred input  -  Microphone

          - Microphone is the server's own first choice; whether it was also chosen cannot be read

          * Microphone
              is the default, priority 1000
            Monitor of Built-in Speakers
              is a monitor: it records what Built-in Speakers plays, priority 1000

          """)
    }
  }
}
