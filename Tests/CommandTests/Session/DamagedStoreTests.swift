import Glibc
import PulseSandbox
import TestSupport
import Testing

/// What a power cut, or a full disk, leaves of a session's files.
@Suite("Files that are damaged, or cannot be written", .timeLimit(.minutes(10)))
struct DamagedStoreTests {
  private func run(_ sandbox: PulseSandbox, _ script: String) async throws -> CommandResult {
    for (name, gain) in [("first", 20), ("second", 30)] {
      try sandbox.write(profile: name, "[input]\ngain = \"\(gain) %\"\n")
    }
    return try await sandbox.shell(
      """
      cd \(sandbox.directory)
      gain() { pactl get-source-volume mic | sed -n 's/.*front-left:.* \\([0-9]*\\)%.*/\\1/p' | head -1; }
      store() { echo "$XDG_STATE_HOME"/audiosession/*."$1"; }
      first=$(gain)
      $A apply first > /dev/null || exit 20
      \(script)
      """)
  }

  private static let damages = [
    "emptied": ": > $f", "cut short": "head -c 30 $f > cut && cat cut > $f",
    "zeros": "head -c 300 /dev/zero > $f", "no session": "echo 'category = \"record\"' > $f",
  ]

  @Test("a stored mode that is damaged is no mode", .server, arguments: damages.keys.sorted())
  func mode(_ damage: String) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await run(
        sandbox,
        """
        f=$(store mode.toml); \(Self.damages[damage] ?? "")
        $A state > state.out || exit 21
        grep -q 'mode.toml is damaged' state.out || exit 22
        $A | tr -s ' \\n' ' ' | grep -q 'note .*mode.toml is damaged' || exit 33
        $A state --check > /dev/null; [ $? = 3 ] || exit 31
        $A doctor > doctor.out
        grep -q 'mode.toml is damaged' doctor.out || exit 23
        $A explain gain > explain.out 2> explain.err || exit 24
        grep -q 'mode.toml is damaged' explain.err || exit 25
        $A watch > watch.out 2> watch.err & pid=$!
        until grep -q 'it is now .*mode.toml.damaged' watch.err; do
          kill -0 $pid || { cat watch.err; exit 26; }
          pause
        done
        gain
        $A apply second > /dev/null 2> apply.err || { cat apply.err; exit 27; }
        gain
        kill $pid; wait $pid
        [ -e $f.damaged.old ] && [ ! -e $f.damaged ] || exit 28
        $A revert > /dev/null || exit 29
        [ $(gain) = $first ] || exit 30
        $A state --check > /dev/null || exit 32
        """)
      #expect(result.status == 0, "\(result)")
      // Not what was before: whoever adopts a mode that asks for nothing would undo what is set.
      #expect(result.standardOutput == "20\n30\n")
    }
  }

  @Test(
    "a damaged baseline is set aside, and nothing else fails", .server,
    arguments: ["emptied", "cut short", "zeros"], ["apply second", "revert"])
  func baseline(_ damage: String, _ command: String) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await run(
        sandbox,
        """
        f=$(store baseline.json); \(Self.damages[damage] ?? "")
        $A state > state.out || exit 21
        grep -q 'baseline.json is damaged' state.out || exit 22
        grep -q 'input gain .*20' state.out || { cat state.out; exit 23; }
        $A \(command) > /dev/null 2> err
        [ $? = \(command == "revert" ? 74 : 0) ] || { cat err; exit 24; }
        grep -q 'baseline.json is damaged: .* it is now .*baseline.json.damaged' err || { cat err; exit 25; }
        $A state > state.out || exit 26
        grep -q damaged state.out && exit 27
        [ \(command == "revert" ? "-e $f.damaged.old -a ! -e $f.damaged" : "-e $f.damaged") ]
        """)
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test("a revert that does not know what was before says so, once", .server)
  func lostBaseline() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await run(
        sandbox,
        """
        f=$(store baseline.json); : > $f
        $A apply second > /dev/null 2>&1 || exit 21
        $A revert --json > out 2> /dev/null; [ $? = 74 ] || { cat out; exit 22; }
        grep -qF "cannot restore: the settings from before are not known ($f is damaged; kept as $f.damaged.old)" out \
          || { cat out; exit 23; }
        $A apply first > /dev/null 2>&1 || exit 24
        : > $f
        $A revert > out 2> /dev/null; [ $? = 74 ] || { cat out; exit 25; }
        grep -q '^cannot restore: ' out || { cat out; exit 26; }
        grep -q 'nothing to restore' out && exit 27
        $A apply second > /dev/null 2> err || exit 28
        $A revert > out || { cat out; exit 29; }
        """)
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test("revert --forget says what it forgets", .server)
  func forgotten() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(
        profile: "usb", "[input]\nprefer = [\"usb_mic\"]\ngain = \"40 %\"\nmute = false\n")
      let result = try await run(
        sandbox,
        """
        $A revert > /dev/null
        module=$(pactl load-module module-null-sink sink_name=usb)
        remap=$(pactl load-module module-remap-source source_name=usb_mic master=usb.monitor)
        pactl set-source-mute usb_mic 1
        $A apply usb > /dev/null || exit 21
        pactl unload-module $remap
        $A revert --forget
        """)
      #expect(result.status == 0, "\(result)")
      #expect(
        result.standardOutput.hasSuffix("\nforgotten: gain and mute of usb_mic\n"), "\(result)")
    }
  }

  @Test("what a newer version recorded is kept, said, and forgotten only by request", .server)
  func newer() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await run(
        sandbox,
        """
        f=$(store baseline.json)
        entry='{"setting":{"loudness":{"device":"mic"}},"before":{"curve":{"_0":"flat"}}}'
        sed -i 's/"entries":\\[/&'"$entry"',/' "$f"; grep -qF "$entry" "$f" || exit 21
        note='1 setting was recorded by a newer version of AudioSession'
        $A state > out || exit 22; grep -q "$note" out || { cat out; exit 23; }
        $A apply second > out 2>&1 || { cat out; exit 24; }
        [ $(gain) = 30 ] && grep -qF "$entry" "$f" || exit 25
        $A revert > out 2>&1 || { cat out; exit 26; }
        [ $(gain) = $first ] || exit 27
        grep -q "$note" out || { cat out; exit 28; }
        grep -qF "$entry" "$f" || exit 29
        [ ! -e "$f.damaged" ] || exit 30
        $A revert --forget > out 2>&1 || { cat out; exit 31; }
        [ ! -e "$f" ] || exit 32
        """)
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test("with a full disk revert restores, and says what it could not record", .server)
  func fullDisk() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await run(
        sandbox,
        """
        for f in mode.toml status.json baseline.json; do
          ln -s /dev/full $(store mode.toml | sed "s/mode.toml$/$f.new/")
        done
        rm $(store lock); ln -s /dev/full "$(store mode.toml | sed 's/mode.toml$/lock/')"
        $A revert > /dev/null 2> err || { cat err; exit 21; }
        [ $(gain) = $first ] || exit 22
        cat err
        """)
      #expect(result.status == 0, "\(result)")
      #expect(result.standardOutput == "")
    }
  }

  @Test(
    "a revert whose end cannot be stored is 74, and the next one stores it", .server, .namespaces)
  func unrecorded() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await run(
        sandbox,
        """
        f=$(store mode.toml)
        # A file on which something is mounted cannot be removed, by root either.
        unshare -m sh -c 'mount --bind "$1" "$1" && exec $A revert' - "$f" > /dev/null 2> err
        [ $? = 74 ] || { cat err; exit 21; }
        [ $(gain) = $first ] || exit 22
        grep -q 'restored, but not recorded: cannot remove' err || { cat err; exit 23; }
        [ -e "$f" ] || exit 24
        $A revert > /dev/null || exit 25
        [ ! -e "$f" ] || exit 26
        """)
      #expect(result.status == 0, "\(result)")
    }
  }

  private static let hasStrace = access("/usr/bin/strace", X_OK) == 0

  /// What is synced and renamed, by the endings of the names.
  private static func trace(_ text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      guard line.contains("fsync(") || line.contains("rename(") else { return nil }
      let call = line.contains("fsync(") ? "sync" : "rename"
      let kinds = ["baseline.json", "mode.toml", "status.json"]
      return call + " " + (kinds.first { line.contains($0) } ?? "folder")
    }
  }

  @Test(
    "the baseline is on the disk before the server is changed, and the mode before it is acknowledged",
    .server, .enabled(if: hasStrace, "needs the package strace"))
  func syncs() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await run(
        sandbox,
        """
        trace() { strace -f -y -e trace=fsync,fdatasync,rename -o trace.out "$@" > /dev/null 2>&1 || exit 21; cat trace.out; echo --; }
        trace $A revert
        trace $A apply first
        trace $A apply first
        trace $A state
        """)
      #expect(result.status == 0, "\(result)")
      let traces = result.standardOutput.split(separator: "--\n", omittingEmptySubsequences: false)
        .map { Self.trace(String($0)) }
      try #require(traces.count == 5)
      #expect(
        traces[0] == [
          "sync baseline.json", "rename baseline.json", "sync folder", "rename status.json",
          "sync folder",
        ])
      #expect(
        traces[1] == [
          "sync baseline.json", "rename baseline.json", "sync folder", "rename status.json",
          "sync baseline.json", "rename baseline.json", "sync mode.toml", "rename mode.toml",
          "sync folder",
        ])
      #expect(
        // The baseline is there, with the same bytes.
        traces[2] == ["rename status.json", "sync mode.toml", "rename mode.toml", "sync folder"])
      #expect(traces[3] == [])
    }
  }

  @Test(
    "a disk that fails to sync leaves the server as it was", .server,
    .enabled(if: hasStrace, "needs the package strace"), arguments: 1...5)
  func failingSync(_ number: Int) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await run(
        sandbox,
        """
        $A revert > /dev/null || exit 21
        pactl subscribe > events.out & events=$!
        trap 'kill $events 2> /dev/null' EXIT
        # Until all that has happened is in events.out: pactl needs time to begin, and to print.
        catch_up() {
          until
            id=$(pactl load-module module-intended-roles); pactl unload-module $id; pause
            grep -q "'remove' on module #$id\\$" events.out
          do kill -0 $events || exit 28; done
        }
        catch_up
        strace -f -e trace=fsync -e inject=fsync:error=EIO:when=\(number) -o trace.out $A apply first > /dev/null 2> err
        [ $? = 74 ] || { cat err; exit 22; }
        [ $(gain) = $first ] || exit 23
        catch_up
        kill $events
        $A state | grep -q 'input gain .*20' && exit 24
        $A apply second > /dev/null || exit 25
        $A revert > /dev/null || exit 26
        [ $(gain) = $first ] || exit 27
        grep -c "'change' on source" events.out
        exit 0
        """)
      #expect(result.status == 0, "\(result)")
      let isBefore = number <= 2
      #expect((result.standardOutput == "0\n") == isBefore, "\(result)")
    }
  }
}
