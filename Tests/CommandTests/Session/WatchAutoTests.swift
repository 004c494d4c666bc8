import PulseSandbox
import TestSupport
import Testing

@Suite("watch --auto", .timeLimit(.minutes(10)))
struct WatchAutoTests {
  @Test("--auto takes what fits, and another profile when devices call for it", .simulatedCard)
  func auto() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      try sandbox.write(
        profile: "laptop", "[input]\ngain = \"30 %\"\nmute = false\n" + match("pci"))
      try sandbox.write(
        profile: "desk",
        "[input]\nprefer = [\"alsa_input.usb-*\"]\ngain = \"60 %\"\n"
          + "[match]\ninputs = [\"alsa_input.usb-*\", { property = { \"device.bus\" = \"pci\" } }]\n"
      )
      let card = "alsa_card.usb-Example_USB_Microphone-00"
      let result = try await sandbox.watch(
        "--auto --json",
        """
        await '"profile":"desk"'
        await '"applied"'
        pactl set-source-mute alsa_input.pci-0000_00_1f.3.analog-stereo 1
        pactl send-message /card/\(card)/sim unplug analog-input-mic > /dev/null
        await '"profile":"laptop"'
        until $A state --json | grep -q '"profile": "laptop"'; do :; done
        $A state --json > "$out.laptop"
        # No one has asked for an open microphone.
        pactl get-source-mute alsa_input.pci-0000_00_1f.3.analog-stereo | grep -q yes || exit 8
        pactl send-message /card/\(card)/sim plug analog-input-mic > /dev/null
        until [ $(grep -c '"profile":"desk"' "$out") = 2 ]; do kill -0 $pid || exit 9; done
        until $A state --json | grep -q '"profile": "desk"'; do :; done
        """)
      #expect(result.status == 143, "\(result)")
      let state = try await sandbox.shell("cat \(sandbox.directory)/watch.out.laptop")
      let gain = try JSONValue(state.standardOutput)["properties"]?["inputGain"]
      #expect(gain?["preferred"] == .number(0.3))
      #expect(gain?["verdict"] == .string("applied"))
      let lines = result.standardOutput.split(separator: "\n").filter {
        $0.contains("profileChosen")
      }
      #expect(lines.count == 3)
      let first = try JSONValue(String(try #require(lines.first)))
      #expect(first.keys == ["time", "event", "profile", "points", "ties"])
      #expect(first["points"] == .number(4))
    }
  }

  @Test(
    "--auto follows the first device that goes, though applying had nothing to do", .simulatedCard)
  func autoAtFirst() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      try sandbox.write(profile: "desk", match("usb"))
      try sandbox.write(profile: "default", "[input]\ngain = \"45 %\"\n")
      let result = try await sandbox.watch(
        "--auto",
        """
        await '  applied'
        $A sandbox simulate unplug alsa_card.usb-Example_USB_Microphone-00 > /dev/null
        await 'no other fits'
        """)
      #expect(result.status == 143, "\(result)")
    }
  }

  @Test("--auto tries a switch again that failed once", .simulatedCard)
  func autoAgain() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let card = "alsa_card.usb-Example_USB_Microphone-00"
      let input = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
      try sandbox.write(profile: "default", "[input]\ngain = \"45 %\"\n")
      try sandbox.write(
        profile: "desk", "[input]\nprefer = [\"\(input)\"]\n[match]\ninputs = [\"plugged\"]\n")
      let failing = try await sandbox.shell(
        """
        pactl set-card-profile \(card) off
        pactl send-message /card/\(card)/sim fail-profile '"input:analog-stereo"'
        """)
      #expect(failing.status == 0, "\(failing)")
      let result = try await sandbox.watch(
        "--auto",
        """
        await '  applied'
        pactl load-module module-null-source source_name=plugged > /dev/null
        until grep -q 'trying again until' "$out.err"; do kill -0 $pid || exit 9; pause; done
        until $A state --json | grep -q '"profile": "desk"'; do kill -0 $pid || exit 8; pause; done
        [ "$(pactl get-default-source)" = \(input) ] || exit 7
        """)
      #expect(result.status == 143, "\(result)")
      let chosen = result.standardOutput.split(separator: "\n").filter { $0.contains("desk (") }
      #expect(chosen.count == 1, "\(result)")
    }
  }

  private func match(_ bus: String) -> String {
    "[match]\ninputs = [{ property = { \"device.bus\" = \"\(bus)\" } }]\n"
  }

  @Test("--auto and a name exclude each other; without a profile that fits it waits", .server)
  func autoAlone() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      #expect(try await sandbox.audiosession("watch", "podcast", "--auto").status == 64)
      try sandbox.write(profile: "default", "[input]\ngain = \"45 %\"\n")
      let result = try await sandbox.watch(
        "--auto",
        """
        await 'no other fits'
        await applied
        """)
      #expect(result.status == 143)
      #expect(result.standardOutput.contains("profile      default (no other fits)\n"))
    }
  }
}
