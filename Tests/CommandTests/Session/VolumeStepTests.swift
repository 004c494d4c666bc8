import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// Hardware without a decibel scale has few volumes; PipeWire reports the nearest to the one that was set,
/// PulseAudio the one that was set.
@Suite("Hardware with few volumes", .simulatedCard, .pipewire, .timeLimit(.minutes(10)))
struct VolumeStepTests {
  private static let device = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"

  /// As PulseAudio and snd-dummy do; with a hundred steps 35.4 % is 35 % to the mixer.
  @Test("a level that a mixer rounds after it was set is set again, and kept")
  func mixer() async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards(["kind=usb-mic volume_steps=101 mixer=yes"]))
    try await PulseSandbox.with(configuration) { sandbox in
      try sandbox.write(profile: "test", "category = \"record\"\n[input]\ngain = \"35.4 %\"\n")
      let volume = "pactl get-source-volume \(Self.device)"
      // What the mixer reports is taken over.
      _ = try await sandbox.shell("pactl set-source-volume \(Self.device) 46300")
      _ = try await sandbox.shell("until \(volume) | grep ' 46530 '; do pause; done")
      let applied = try await sandbox.audiosession("apply", "test", "--json")
      #expect(applied.status == 0, "\(applied)")
      let gain = try JSONValue(applied.standardOutput)["properties"]?["inputGain"]
      #expect(gain?["verdict"] == .string("applied"), "\(applied)")
      #expect(gain?["actual"] == .number(0.354))
      #expect(try await sandbox.audiosession("state", "--check").status == 0)
    }
  }

  @Test(
    "the nearest volume is applied, maintained and reverted",
    arguments: [(ServerKind.pulseaudio, 43), (.pipewire, 40)])
  func nearest(on kind: ServerKind, shown: Int) async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards(["kind=usb-mic volume_steps=11"], on: kind))
    try await PulseSandbox.with(configuration) { sandbox in
      try sandbox.write(
        profile: "test",
        "category = \"record\"\n[input]\nprefer = [\"*usb*\"]\ngain = \"43 %\"\ngain-lock = true\n")
      let volume = "pactl get-source-volume \(Self.device)"
      _ = try await sandbox.shell(
        "until \(volume) | grep 70%; do pactl set-source-volume \(Self.device) 70%; pause; done")
      let applied = try await sandbox.audiosession("apply", "test", "--json")
      #expect(applied.status == 0, "\(applied)")
      let gain = try JSONValue(applied.standardOutput)["properties"]?["inputGain"]
      #expect(gain?["verdict"] == .string("applied"))
      #expect(gain?["actual"] == .number(Double(shown) / 100))
      #expect(try await sandbox.shell(volume).standardOutput.contains("\(shown)%"))
      #expect(try await sandbox.audiosession("plan", "test").standardOutput == "nothing to do\n")
      let watch = try await Watching.start(sandbox, "test --json")
      _ = try await sandbox.shell("pactl set-source-volume \(Self.device) 90%")
      #expect(try await watch.says("\"reapplied\""))
      _ = try await sandbox.shell("until \(volume) | grep \(shown)%; do pause; done")
      #expect(try await watch.end() == 143)
      #expect(try await sandbox.audiosession("revert").status == 0)
      #expect(try await sandbox.shell(volume).standardOutput.contains("70%"))
    }
  }
}
