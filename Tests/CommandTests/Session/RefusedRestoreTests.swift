import PulseSandbox
import TestSupport
import Testing

/// The exit status of a command with `--revert` that could not restore all.
@Suite("A restoration at the end that is not complete", .timeLimit(.minutes(10)))
struct RefusedRestoreTests {
  /// Waits until `watch` has applied its profile, ends it, and returns its status.
  private static let watch = """
    watch() {
      $A watch "$@" --revert > out 2> err & pid=$!
      until grep -q applied out; do
        kill -0 $pid || { cat err; return 99; }
        pause
      done
      kill $pid; wait $pid
    }

    """

  @Test("a profile that is refused is 71, and the next revert restores it", .simulatedCard)
  func refused() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      try sandbox.write(
        profile: "laptop",
        """
        category = "record"
        [input]
        prefer = ["alsa_input.pci-0000_00_1f.3.analog-stereo"]
        """)
      let result = try await sandbox.shell(
        Self.watch + """
          cd \(sandbox.directory)
          card=alsa_card.pci-0000_00_1f.3 former=output:analog-stereo
          refuse() { pactl send-message /card/$card/sim fail-profile "\\"$former\\""; }
          check() {
            grep -q profile err || { cat err; exit $1; }
            $A revert > /dev/null || exit $1
            pactl list cards | grep -q "Active Profile: $former\\$" || exit $1
          }
          pactl set-card-profile $card $former
          refuse
          $A verify laptop --revert --duration 500ms > /dev/null 2> err
          [ $? = 71 ] || { cat err; exit 21; }
          check 22
          refuse
          watch laptop
          [ $? = 71 ] || { cat err; exit 23; }
          check 24
          """)
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test("settings from before that are damaged are 74", .server)
  func lost() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "first", "[input]\ngain = \"20 %\"\n")
      try sandbox.write(profile: "second", "[input]\ngain = \"30 %\"\n")
      let result = try await sandbox.shell(
        Self.watch + """
          cd \(sandbox.directory)
          damage() {
            $A apply first > /dev/null 2>&1 || exit $1
            : > "$(echo "$XDG_STATE_HOME"/audiosession/*.baseline.json)"
          }
          damage 21
          $A verify second --revert --duration 500ms > /dev/null 2> err
          [ $? = 74 ] || { cat err; exit 22; }
          damage 23
          watch second
          [ $? = 74 ] || { cat err; exit 24; }
          """)
      #expect(result.status == 0, "\(result)")
    }
  }
}
