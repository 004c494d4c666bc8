import PulseSandbox
import TestSupport
import Testing

@Suite("apply --keep, and the process that it leaves", .timeLimit(.minutes(10)))
struct KeepTests {
  @Test("apply --keep leaves a process that keeps it, and goes with its server", .server)
  func keep() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\ngain-lock = true\n")
      let result = try await sandbox.shell(
        """
        $A apply test --keep || exit
        pactl set-source-volume mic 90%
        until pactl get-source-volume mic | grep -q ' 40%'; do pause; done
        $A state
        """)
      #expect(result.status == 0)
      #expect(result.standardOutput.contains("holder   audiosession, process "))
      #expect(!result.standardError.contains("--keep"))
    }
  }

  @Test("apply --keep says that its holder has set more than the steps that are listed", .server)
  func keepsMore() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(
        profile: "test", "category = \"play-and-record\"\noptions = [\"duck-others\"]\n")
      let result = try await sandbox.shell(
        """
        paplay --raw --client-name=Music /dev/zero & player=$!
        until pactl list sink-inputs | grep -q Music; do pause; done
        $A apply test --keep --timeout 9s
        until pactl list sink-inputs | grep -q ' 46%'; do pause; done
        tr '\\0' ' ' < /proc/$($A state | sed -n 's/.*audiosession, process \\([0-9]*\\).*/\\1/p')/cmdline
        $A stop > /dev/null; kill $player
        """)
      // Its holder has the time that it needed.
      #expect(result.standardOutput.contains("watch --timeout 9s"), "\(result)")
      let note = "what options changes was set when the holder began, and is not listed here"
      #expect(result.standardError.contains(note), "\(result)")
    }
  }
}
