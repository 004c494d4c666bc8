import PulseSandbox
import TestSupport
import Testing

/// `watch --auto` and profiles with mistakes.
@Suite("watch --auto, with a file that has mistakes", .timeLimit(.minutes(10)))
struct AutoSwitchTests {
  /// Runs a script beside `watch --auto`, and ends that.
  private func watch(_ sandbox: PulseSandbox, _ script: String) async throws -> CommandResult {
    let config = try #require(sandbox.environment["XDG_CONFIG_HOME"])
    return try await sandbox.shell(
      """
      cd \(sandbox.directory); : > out
      profiles=\(config)/audiosession/profiles
      $A watch --auto > out 2> err & pid=$!
      await() {
        until tr -s ' \\n' ' ' < $2 | grep -q "$1"; do
          kill -0 $pid || { cat out err; exit 9; }; pause
        done
      }
      gain() {
        until pactl get-source-volume mic | grep -q " $1%"; do
          kill -0 $pid || { cat out err; exit 8; }; pause
        done
      }
      \(script)
      kill $pid; wait $pid; code=$?
      cat out; cat err >&2
      exit $code
      """)
  }

  private static let fits = "[input]\ngain = \"30 %\"\n[match]\ninputs = [\"mic\"]\n"

  @Test("on SIGHUP it is reported, and changes nothing until it is right again", .server)
  func reload() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "fits", Self.fits)
      try sandbox.write(profile: "default", "[input]\ngain = \"45 %\"\n")
      let result = try await watch(
        sandbox,
        """
        await ' applied' out
        echo 'categroy = 1' >> $profiles/fits.toml
        kill -HUP $pid
        await 'fits.toml:5:1: ' err
        $A state --json | grep -q '"profile": "fits"' || exit 7
        gain 30
        sed -i '$d; s/30/35/' $profiles/fits.toml
        kill -HUP $pid
        gain 35
        """)
      #expect(result.status == 143, "\(result)")
      #expect(!result.standardOutput.contains("default"), "\(result)")
      #expect(result.standardError.contains("categroy"), "\(result)")
    }
  }

  @Test("from the start it is left out, with a warning", .server)
  func start() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "fits", "categroy = 1\n" + Self.fits)
      try sandbox.write(profile: "default", "[input]\ngain = \"45 %\"\n")
      let result = try await watch(
        sandbox,
        """
        await ' applied' out
        await 'warning: left out: .*fits.toml:1:1: ' err
        gain 45
        """)
      #expect(result.status == 143, "\(result)")
      #expect(!result.standardError.contains("note: "), "\(result)")
    }
  }

  @Test("a folder that cannot be read for a while is read again by itself", .server)
  func unreadableFolder() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "fits", Self.fits)
      let result = try await watch(
        sandbox,
        """
        await ' applied' out
        echo '[input]' > $profiles/other.toml
        echo 'gain = "35 %"' >> $profiles/other.toml
        echo '[match]' >> $profiles/other.toml
        echo 'inputs = ["mic"]' >> $profiles/other.toml
        echo 'outputs = ["added"]' >> $profiles/other.toml
        mv $profiles away; ln -s $profiles $profiles
        pactl load-module module-null-sink sink_name=added > /dev/null
        await 'cannot be read' err
        rm $profiles; mv away $profiles
        gain 35
        """)
      #expect(result.status == 143, "\(result)")
    }
  }

  @Test("if it is the one called default, that is said", .server)
  func brokenDefault() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "default", "categroy = 1\n")
      let result = try await watch(
        sandbox,
        """
        await "note: no profile that can be read fits the devices, and the one called 'default' has mistakes" err
        await 'warning: left out: .*default.toml:1:1: ' err
        """)
      #expect(result.status == 143, "\(result)")
    }
  }
}
