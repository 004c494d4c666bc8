import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// A verdict is about the device in use, whatever another one has.
@Suite("The device in use", .timeLimit(.minutes(10)))
struct DeviceInUseTests {
  /// A device of the laptop that a mode prefers, and the one that another program uses instead.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let table: String
    let level: String
    /// The end of the commands of `pactl`.
    let kind: String
    let own: String
    let other: String
    let levelProperty: String
    let preferred: String
    let route: String
  }

  static let cases = [
    Case(
      testDescription: "source", table: "input", level: "gain", kind: "source",
      own: "alsa_input.pci-0000_00_1f.3.analog-stereo",
      other: "alsa_input.usb-Example_USB_Headset-00.mono-fallback", levelProperty: "inputGain",
      preferred: "preferredInput", route: "inputs"),
    Case(
      testDescription: "sink", table: "output", level: "volume", kind: "sink",
      own: "alsa_output.pci-0000_00_1f.3.analog-stereo",
      other: "alsa_output.usb-Example_USB_Headset-00.analog-stereo", levelProperty: "outputVolume",
      preferred: "preferredOutput", route: "outputs"),
  ]

  @Test(
    "another program's default is judged, and not the device that was asked for",
    .simulatedCard, .pipewire, arguments: cases, [ServerKind.pulseaudio, .pipewire])
  func overridden(_ which: Case, _ kind: ServerKind) async throws {
    let cards = ["kind=laptop", "kind=usb-headset"]
    let configuration = try #require(SandboxConfiguration.simulatedCards(cards, on: kind))
    try await PulseSandbox.with(configuration) { sandbox in
      try sandbox.write(
        profile: "test",
        """
        category = "\(which.table == "input" ? "record" : "playback")"
        sample-rate = 48000
        reapply = "never"
        [\(which.table)]
        prefer = ["\(which.own)"]
        \(which.level) = "35 %"
        """)
      let watching = try await Watching.start(sandbox, "test")
      let result = try await sandbox.shell(
        """
        pactl set-default-\(which.kind) \(which.other)
        until [ "$(pactl get-default-\(which.kind))" = \(which.other) ]; do pause; done
        $A state --json
        """)
      let state = try JSONValue(result.standardOutput)
      #expect(state["route"]?[which.route]?.array.first?["name"] == .string(which.other))
      for property in ["sampleRate", which.levelProperty, which.preferred] {
        let report = state["properties"]?[property]
        #expect(report?["verdict"] == .string("overridden"), "\(property): \(report as Any)")
      }
      #expect(
        state["properties"]?[which.levelProperty]?["reason"]
          == .string("\(which.other) is in use, not \(which.own)"))
      if kind == .pulseaudio {
        #expect(state["properties"]?["sampleRate"]?["actual"] == .number(44100))
      }
      #expect(try await watching.end() == 143)
    }
  }
}
