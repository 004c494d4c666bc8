import PulseSandbox
import TestSupport
import Testing

@testable import audiosession

@Suite("Names for people", .timeLimit(.minutes(10)))
struct DeviceNameTests {
  private static let usb = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"

  private func entry(
    _ name: String, _ description: String, _ kind: String = "input"
  ) -> DeviceNames.Entry {
    DeviceNames.Entry(name: name, description: description, kind: kind)
  }

  @Test("a whole name is replaced, and no part of another one")
  func whole() {
    let names = DeviceNames([
      entry("mic", "Microphone"), entry("mic.monitor", "Monitor of Microphone"),
      entry("audiosession.input", "Audio session input"), entry("quiet", ""),
    ])
    #expect(
      names.text("mic, mic.monitor, \"mic\": (mic). mic-2 usb_mic analog-input-mic quiet mic.")
        == "Microphone, Monitor of Microphone, \"Microphone\": (Microphone). mic-2 usb_mic "
        + "analog-input-mic quiet Microphone.")
    #expect(names.text("audiosession.input") == "audiosession.input")
    #expect(DeviceNames.none.text("mic. …") == "mic. …")
  }

  @Test("equal descriptions are told apart, by the direction or by the server's name")
  func equal() {
    let names = DeviceNames([
      entry("in", "Built-in Audio"), entry("out", "Built-in Audio", "output"),
      entry("usb.1", "USB Microphone"), entry("usb.2", "USB Microphone"),
    ])
    #expect(names.text("in → out") == "Built-in Audio (input) → Built-in Audio (output)")
    #expect(names["in"] == "Built-in Audio")
    #expect(names.text("usb.1, usb.2") == "usb.1, usb.2")
  }

  @Test(
    "plan, apply, state, explain and revert name devices as people do; -v as the server does",
    .simulatedCard)
  func commands() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      for command in [
        "plan podcast", "apply podcast", "state", "explain mic", "explain sampleRate", "revert",
      ] {
        let result = try await sandbox.shell("$A \(command)")
        #expect(result.standardOutput.contains("Example USB Microphone"), "\(result)")
        #expect(!result.standardOutput.contains(Self.usb), "\(result)")
        _ = try await sandbox.shell("[ '\(command)' = revert ] || $A apply podcast")
      }
      let verbose = try await sandbox.audiosession("plan", "podcast", "-v")
      #expect(verbose.standardOutput.contains(Self.usb), "\(verbose)")
    }
  }
}
