import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// A verdict is about the device in use, whatever another one has.
@Suite("The device in use")
struct DeviceInUseTests {
  private static let laptop = "alsa_input.pci-0000_00_1f.3.analog-stereo"
  private static let usb = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"

  @Test(
    "another program's default source is judged, and not the one that was asked for",
    .simulatedCard, .pipewire, arguments: [ServerKind.pulseaudio, .pipewire])
  func overridden(_ kind: ServerKind) async throws {
    let cards = ["kind=laptop", "kind=usb-mic"]
    let configuration = try #require(SandboxConfiguration.simulatedCards(cards, on: kind))
    try await PulseSandbox.with(configuration) { sandbox in
      try sandbox.write(
        profile: "test",
        """
        category = "record"
        sample-rate = 48000
        reapply = "never"
        [input]
        prefer = ["\(Self.laptop)"]
        gain = "40 %"
        """)
      let watching = try await Watching.start(sandbox, "test")
      let result = try await sandbox.shell(
        """
        pactl set-default-source \(Self.usb)
        until [ "$(pactl get-default-source)" = \(Self.usb) ]; do pause; done
        $A state --json
        """)
      let state = try JSONValue(result.standardOutput)
      #expect(state["route"]?["inputs"]?.array.first?["name"] == .string(Self.usb))
      for property in ["sampleRate", "inputGain", "preferredInput"] {
        let report = state["properties"]?[property]
        #expect(report?["verdict"] == .string("overridden"), "\(property): \(report as Any)")
      }
      #expect(
        state["properties"]?["inputGain"]?["reason"]
          == .string("\(Self.usb) is in use, not \(Self.laptop)"))
      if kind == .pulseaudio {
        #expect(state["properties"]?["sampleRate"]?["actual"] == .number(44100))
      }
      #expect(try await watching.end() == 143)
    }
  }
}
