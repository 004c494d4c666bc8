import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("Commands", .timeLimit(.minutes(10)))
struct CommandTests {
  @Test("plan shows the steps that apply then makes; a second plan is empty", .server)
  func planThenApply() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let plan = try JSONValue(
        try await sandbox.audiosession("plan", "test", "--json").standardOutput)
      let dryRun = try await sandbox.audiosession("apply", "test", "--dry-run", "--json")
      #expect(try JSONValue(dryRun.standardOutput) == plan)
      let apply = try JSONValue(
        try await sandbox.audiosession("apply", "test", "--json").standardOutput)
      let names = ["phase", "name", "object", "property", "from", "to", "deferred", "why"]
      let planned = try #require(plan["steps"]).array
      let done = try #require(apply["steps"]).array
      #expect(!planned.isEmpty)
      for step in planned { #expect(step.keys == Set(names)) }
      #expect(
        done.map { step in names.map { step[$0] } } == planned.map { s in names.map { s[$0] } })
      for step in done { #expect(step["outcome"] == .string("applied")) }
      let again = try await sandbox.audiosession("plan", "test")
      #expect(again.standardOutput == "nothing to do\n")
      let twice = try JSONValue(
        try await sandbox.audiosession("apply", "test", "--json").standardOutput)
      #expect(twice["steps"] == .array([]))
    }
  }

  @Test("what apply prints, to the letter", .server)
  func applyOutput() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let result = try await sandbox.audiosession("apply", "test")
      #expect(result.status == 0)
      #expect(
        result.standardOutput == """
          channel map, orientation
             audiosession.input  channel map     none → front-right,front-left    applied
             server              default source  Microphone → audiosession.input  applied
          gain, mute, volume, latency offset
             Microphone          volume          100 % → 80 %                     applied

          category         applied  record
          preferred input  applied  Microphone
          channel map      applied  front-right, front-left
          input gain       applied  80 %

          """)
      #expect(
        result.standardError == """
          audiosession: note: no process maintains the session now: the channel map is not rebuilt \
          after a replug or a restart of the server. Add --keep to maintain it

          """)
    }
  }

  @Test("an unmet hint is a warning, and 0; strict it is 78", .server)
  func hints() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(
        profile: "rate", "category = \"record\"\nsample-rate = 96000\ninput.prefer = [\"mic\"]\n")
      let result = try await sandbox.audiosession("apply", "rate")
      #expect(result.status == 0)
      #expect(
        result.standardError.hasPrefix(
          "audiosession: warning: sample rate is 44100 Hz, not 96000 Hz: "))
      let strict = try await sandbox.audiosession("apply", "rate", "--strict", "--json")
      #expect(strict.status == 78)
      #expect(try JSONValue(strict.standardOutput)["error"]?["code"] == .string("hintNotGranted"))
    }
  }

  @Test("the state in another process has the mode with its verdicts", .server)
  func state() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      _ = try await sandbox.audiosession("apply", "test")
      let state = try JSONValue(try await sandbox.audiosession("state", "--json").standardOutput)
      #expect(state["profile"] == .string("test"))
      #expect(state["active"] == .bool(true))
      let gain = state["properties"]?["inputGain"]
      #expect(gain?["preferred"] == .number(0.8))
      #expect(gain?["verdict"] == .string("applied"))
      #expect(gain?["reason"] == .null)
      #expect(state["holder"] == .null)
      #expect(try await sandbox.audiosession("state", "--check").status == 0)
      _ = try await sandbox.shell("pactl set-source-volume mic 30%")
      let check = try await sandbox.audiosession("state", "--check")
      #expect(check.status == 3)
      #expect(check.standardOutput.contains("overridden  30 %  (preferred: 80 %)"))
    }
  }

  @Test("without a server the state is the stored mode", .server)
  func storedState() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      _ = try await sandbox.audiosession("apply", "test")
      try await sandbox.terminate()
      let result = try await sandbox.audiosession("state", "--json")
      #expect(result.status == 69)
      let state = try JSONValue(result.standardOutput)
      #expect(state["server"] == .null)
      #expect(state["profile"] == .string("test"))
      #expect(state["properties"]?["inputGain"]?["preferred"] == .number(0.8))
      #expect(state["properties"]?["inputGain"]?["verdict"] == .string("pending"))
      let text = try await sandbox.audiosession("state")
      #expect(text.status == 69)
      #expect(text.standardOutput.contains("input gain       pending  -  (preferred: 80 %)\n"))
      #expect(text.standardError.hasPrefix("audiosession: "))
    }
  }

  @Test("revert goes back, and leaves what somebody changed", .server)
  func revert() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let before = try await sandbox.audiosession("devices", "--all")
      try sandbox.write(profile: "test", Profiles.podcast)
      _ = try await sandbox.audiosession("apply", "test")
      let revert = try await sandbox.audiosession("revert")
      #expect(revert.status == 0)
      #expect(try await sandbox.audiosession("devices", "--all") == before)
      #expect(try await sandbox.audiosession("revert").standardOutput == "nothing to restore\n")
      _ = try await sandbox.audiosession("apply", "test")
      _ = try await sandbox.shell("pactl set-source-volume mic 30%")
      let left = try JSONValue(try await sandbox.audiosession("revert", "--json").standardOutput)
      #expect(left["schema"] == .number(1))
      let lines = (left["left"]?.array ?? []).map { "\($0)" }
      #expect(lines.count == 2, "\(lines)")
      #expect(lines.contains { $0.contains("volume of mic is 30 %") })
      #expect(lines.contains { $0.contains("the default source stays chosen, as mic: ") })
      #expect(left["steps"]?.array.isEmpty == false)
    }
  }

  @Test("devices, with what they can give", .server)
  func devices() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.audiosession("devices")
      #expect(
        result.standardOutput == """
          inputs
          * Microphone
              mic
              44100 Hz, front-left front-right
              patterns: stereo, omnidirectional, cardioid

          outputs
          * Built-in Speakers
              speakers
              44100 Hz, front-left front-right

          """)
      let all = try JSONValue(
        try await sandbox.audiosession("devices", "--all", "--json").standardOutput)
      #expect(
        all["inputs"]?.array.compactMap { $0["kind"] } == [.string("monitor"), .string("hardware")])
      #expect(all["cards"] == .array([]))
    }
  }

  @Test(
    "cards, profiles and ports, each with its type, on both servers", .bothServers,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func cards(on kind: ServerKind) async throws {
    try await PulseSandbox.with(.demo(on: kind)) { sandbox in
      let result = try await sandbox.audiosession("devices")
      #expect(
        result.standardOutput.contains("* analog-input-internal-mic  built-in-mic  available\n"))
      #expect(result.standardOutput.contains("  headset-mic   not plugged in\n"))
      #expect(result.standardOutput.contains("    * output:analog-stereo+input:analog-stereo\n"))
      let list = try JSONValue(try await sandbox.audiosession("devices", "--json").standardOutput)
      let ports = ["inputs", "outputs", "cards"].flatMap { list[$0]?.array ?? [] }
        .flatMap { $0["ports"]?.array ?? [] }
      // Of the cards six and one, of the devices five and one.
      #expect(ports.count == 13)
      for port in ports { #expect(port["type"] != .null, "\(port)") }
    }
  }

  @Test(
    "devices without a card are at 100 % at first, and have no ports", .pipewire,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func withoutCards(on kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      let list = try JSONValue(try await sandbox.audiosession("devices", "--json").standardOutput)
      let devices = ["inputs", "outputs"].flatMap { list[$0]?.array ?? [] }
      #expect(devices.map { $0["name"] } == [.string("mic"), .string("speakers")])
      for device in devices {
        #expect(device["volume"] == .number(1) && device["ports"] == .array([]), "\(device)")
      }
    }
  }
}
