import PulseSandbox
import TestSupport
import Testing

@Suite("profiles save", .timeLimit(.minutes(10)))
struct SaveTests {
  /// A machine, what a person did on it, and what the saved profile must have.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Kinds of simulated cards; without any, `configuration`.
    var cards: [String] = []
    var configuration = SandboxConfiguration.minimal
    var hand = ""
    /// What somebody changes afterwards; applying undoes it.
    var later = ""
    var has: [String] = []
    var hasNot: [String] = []

    var machine: SandboxConfiguration {
      guard !cards.isEmpty, let path = SimulatedCard.modulePath() else { return configuration }
      return SandboxConfiguration(modules: cards.map { "\(path) kind=\($0)" })
    }
  }

  private static let laptop = "alsa_card.pci-0000_00_1f.3"
  private static let headset = "bluez_card.00_11_22_33_44_55"

  static let plain: [Case] = [
    Case(testDescription: "no device", configuration: .empty, hasNot: ["[input]", "[match]"]),
    Case(
      testDescription: "a monitor only", configuration: .monitorOnly,
      has: [#"prefer = ["speakers.monitor"]"#, #"prefer = ["speakers"]"#], hasNot: ["inputs ="]),
    Case(
      testDescription: "null devices", hand: "pactl set-source-volume mic 37%",
      later: "pactl set-source-volume mic 90%", has: [#"gain = "37 %""#, #"prefer = ["mic"]"#],
      hasNot: ["volume =", "port =", "sample-rate", "category"]),
    Case(
      testDescription: "a category and a map in force", configuration: .nullDevices,
      hand: """
        printf 'category = "record"\\nreapply = "on-route-change"\\n[input]\\nprefer = ["usb_mic"]\\n' > x.toml
        printf 'channel-map = "mono"\\ngain = "50 %%"\\ngain-lock = true\\n' >> x.toml
        $A apply ./x.toml > /dev/null 2>&1
        """,
      later: "$A revert > /dev/null",
      has: [
        #"category = "record""#, #"reapply = "on-route-change""#, #"channel-map = "mono""#,
        "gain-lock",
      ]),
  ]

  static let cards: [Case] = [
    Case(
      testDescription: "laptop", cards: ["laptop"],
      hand: """
        pactl set-sink-volume @DEFAULT_SINK@ 50%
        pactl set-source-mute @DEFAULT_SOURCE@ 1
        pactl set-port-latency-offset \(laptop) analog-output-speaker 12000
        """,
      later: "pactl set-card-profile \(laptop) output:analog-stereo",
      has: [#"volume = "50 %""#, "mute = true", #"latency-offset = "12 ms""#, "device.bus_path"],
      hasNot: ["port ="]),
    Case(
      testDescription: "laptop, another port", cards: ["laptop"],
      hand: """
        pactl send-message /card/\(laptop)/sim plug analog-output-headphones > /dev/null
        pactl set-sink-port @DEFAULT_SINK@ analog-output-speaker
        """,
      later: "pactl set-sink-port @DEFAULT_SINK@ analog-output-headphones",
      has: [#"port = ["analog-output-speaker"]"#]),
    Case(
      testDescription: "usb-mic", cards: ["laptop", "usb-mic channels=4"],
      hand: "pactl set-source-volume @DEFAULT_SOURCE@ 80%",
      later: "pactl set-default-source alsa_input.pci-0000_00_1f.3.analog-stereo",
      has: [#"{ "device.serial" = "Example_USB_Microphone_0001" }"#]),
    Case(
      testDescription: "two of a kind", cards: ["usb-mic", "usb-mic"],
      later: "pactl set-default-source alsa_input.usb-Example_USB_Microphone-00.2.analog-stereo",
      has: [#"prefer = ["alsa_input.usb-Example_USB_Microphone-00.analog-stereo"]"#]),
    Case(
      testDescription: "usb-headset", cards: ["laptop", "usb-headset"],
      hand: """
        pactl set-default-sink alsa_output.usb-Example_USB_Headset-00.analog-stereo
        pactl set-default-source alsa_input.usb-Example_USB_Headset-00.mono-fallback
        """,
      later: "pactl set-card-profile alsa_card.usb-Example_USB_Headset-00 output:analog-stereo",
      has: [#"{ "device.serial" = "Example_USB_Headset_0001" }"#]),
    Case(
      testDescription: "hdmi, plugged in", cards: ["laptop", "hdmi"],
      hand: """
        pactl send-message /card/alsa_card.pci-0000_01_00.1/sim plug hdmi-output-0 > /dev/null
        pactl set-card-profile alsa_card.pci-0000_01_00.1 output:hdmi-stereo
        pactl set-default-sink alsa_output.pci-0000_01_00.1.hdmi-stereo
        """,
      later: "pactl set-default-sink alsa_output.pci-0000_00_1f.3.analog-stereo",
      has: [#""device.bus_path" = "pci-0000:01:00.1""#]),
    Case(
      testDescription: "bluetooth, music", cards: ["laptop", "bluetooth"],
      hand: "pactl set-default-sink bluez_sink.00_11_22_33_44_55.a2dp_sink",
      later: "pactl set-card-profile \(headset) headset_head_unit",
      has: [#""device.string" = "00:11:22:33:44:55""#, #"name = "*.a2dp_sink""#]),
    Case(
      testDescription: "bluetooth, a call", cards: ["laptop", "bluetooth"],
      hand: """
        pactl set-card-profile \(headset) headset_head_unit
        pactl set-default-sink bluez_sink.00_11_22_33_44_55.headset_head_unit
        pactl set-default-source bluez_source.00_11_22_33_44_55.headset_head_unit
        """,
      later: "pactl set-card-profile \(headset) a2dp_sink",
      has: [#"options = ["allow-bluetooth-hfp"]"#, #"name = "*.headset_head_unit""#],
      hasNot: ["sample-rate"]),
  ]

  @Test("saving and applying has nothing to do; later it restores", .server, arguments: plain)
  func saves(_ machine: Case) async throws { try await check(machine) }

  @Test("likewise with cards", .simulatedCard, arguments: cards)
  func savesCards(_ machine: Case) async throws { try await check(machine) }

  private func check(_ machine: Case) async throws {
    try await PulseSandbox.with(machine.machine) { sandbox in
      _ = try await sandbox.shell("cd \(sandbox.directory); \(machine.hand)")
      let before = try await sandbox.audiosession("devices")
      let saved = try await sandbox.audiosession("profiles", "save", "mine")
      #expect(saved.status == 0, "\(saved.standardError)")
      #expect(saved.standardError.isEmpty)
      let path = try #require(sandbox.environment["XDG_CONFIG_HOME"])
      let file = "\(path)/audiosession/profiles/mine.toml"
      #expect(saved.standardOutput == "saved: \(file)\n")
      let text = try await sandbox.shell("cat \(file)").standardOutput
      for part in machine.has { #expect(text.contains(part), "\(part) in\n\(text)") }
      for part in machine.hasNot { #expect(!text.contains(part), "no \(part) in\n\(text)") }
      let check = try await sandbox.audiosession("profiles", "check", file)
      #expect(check.status == 0 && check.standardOutput.isEmpty, "\(check.standardOutput)")
      let plan = try await sandbox.audiosession("plan", "mine")
      #expect(plan.standardOutput == "nothing to do\n", "\(plan)\n\(text)")
      guard !machine.later.isEmpty else { return }
      _ = try await sandbox.shell(machine.later)
      let apply = try await sandbox.audiosession("apply", "mine")
      #expect(apply.status == 0, "\(apply)\n\(text)")
      let after = try await sandbox.audiosession("devices")
      #expect(after.standardOutput == before.standardOutput)
    }
  }

  @Test("never over another without --force; JSON; what cannot be said", .server)
  func force() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "mine", "sample-rate = 48000\n")
      let refused = try await sandbox.audiosession("profiles", "save", "mine")
      #expect(refused.status == 65)
      #expect(refused.standardError.contains("--force replaces it"))
      let kept = try await sandbox.audiosession("profiles", "show", "mine", "--json")
      #expect(try JSONValue(kept.standardOutput)["mode"]?["sampleRate"] == .number(48000))
      _ = try await sandbox.shell("pactl set-sink-volume speakers 50% 60%")
      let forced = try await sandbox.audiosession(
        "profiles", "save", "mine", "--force", "--json")
      #expect(forced.status == 0)
      #expect(
        forced.standardError.hasPrefix("audiosession: warning: left out: speakers has a volume "))
      let json = try JSONValue(forced.standardOutput)
      #expect(json.keys == ["schema", "name", "source", "left", "mode", "toml"])
      let now = try await sandbox.audiosession("profiles", "show", "mine", "--json")
      #expect(try JSONValue(now.standardOutput)["mode"] == json["mode"])
      #expect(try await sandbox.audiosession("profiles", "save", "../mine").status == 65)
      try await sandbox.terminate()
      #expect(try await sandbox.audiosession("profiles", "save", "other").status == 69)
    }
  }
}
