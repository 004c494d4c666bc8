import PulseSandbox
import Testing

@Suite("watch")
struct WatchTests {
  /// Starts `watch` in a shell, waits for a line of its, runs the script, and ends it by a signal.
  private func watch(
    _ sandbox: PulseSandbox, _ arguments: String, signal: String = "TERM", _ script: String
  ) async throws -> CommandResult {
    try await sandbox.shell(
      """
      out=\(sandbox.directory)/watch.out
      : > "$out"
      $A watch \(arguments) > "$out" 2>"$out.err" & pid=$!
      await() { until grep -q "$1" "$out"; do kill -0 $pid || { cat "$out.err"; exit 9; }; done; }
      \(script)
      kill -\(signal) $pid
      wait $pid
      code=$?
      cat "$out"
      exit $code
      """)
  }

  @Test("keeps a profile, one JSON line an event, and ends cleanly", .simulatedCard)
  func keeps() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let result = try await watch(
        sandbox, "podcast --json",
        """
        await '"applied"'
        pactl set-default-source alsa_input.pci-0000_00_1f.3.analog-stereo
        await '"reapplied"'
        pactl get-default-source > "$out.default"
        """)
      #expect(result.status == 143)
      let lines = result.standardOutput.split(separator: "\n")
      for line in lines {
        #expect(line.hasPrefix("{") && line.hasSuffix("}"), "\(line)")
      }
      #expect(lines.last?.contains("\"stopped\"") == true)
      let now = try await sandbox.shell("cat \(sandbox.directory)/watch.out.default")
      #expect(now.standardOutput.contains("usb-Example_USB_Microphone"))
      let state = try await sandbox.audiosession("state", "--json")
      #expect(state.standardOutput.contains("\"profile\": \"podcast\""))
    }
  }

  @Test("names the holder to a second one, and restores with --revert", .server)
  func holder() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\n")
      let before = try await sandbox.audiosession("devices", "--all")
      let result = try await watch(
        sandbox, "test --revert", signal: "INT",
        """
        await applied
        $A watch test > "$out.second" 2>&1; echo $? >> "$out.second"
        """)
      #expect(result.status == 130)
      let second = try await sandbox.shell("cat \(sandbox.directory)/watch.out.second")
      #expect(second.standardOutput.contains("audiosession (process "))
      #expect(second.standardOutput.hasSuffix("76\n"))
      #expect(try await sandbox.audiosession("devices", "--all") == before)
    }
  }

  @Test("a profile that does not exist, and no stored wish", .server)
  func nothing() async throws {
    try await PulseSandbox.with(.minimal) { (sandbox) async throws in
      #expect(try await sandbox.audiosession("watch", "nosuch").status == 66)
      #expect(try await sandbox.audiosession("watch").status == 71)
    }
  }
}
