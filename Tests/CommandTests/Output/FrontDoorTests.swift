import AudioSession
import FoundationEssentials
import PulseSandbox
import TestSupport
import Testing

@testable import audiosession

/// What newcomers tried first, and what they should find.
@Suite("The front door", .timeLimit(.minutes(10)))
struct FrontDoorTests {
  @Test("a guessed option leads to the right one, as far as the command has it", .server)
  func guessedOptions() async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      for (line, answer) in [
        ("record x.wav --from mic", "there is no option '--from' here; do you mean '--device'?"),
        ("record x.wav --input=mic", "do you mean '--device'?"),
        ("record x.wav --source mic", "do you mean '--device'?"),
        ("meter --time 5s", "do you mean '--duration'?"),
        ("apply podcast --background", "do you mean '--keep'?"),
        ("meter usb", "'usb'; a device is named with --device\n"),
        ("devices usb", "Unexpected argument 'usb'\n"),
        (
          "record x.wav --duration 5x",
          "'--duration <time>'; a time is 500ms, 5s, 10m or 2h, at most 24h\n"
        ),
        ("apply --keep", "'<profile>'; 'audiosession profiles' lists them\n"),
        ("revert --keep", "Unknown option '--keep'"), ("state --from x", "Unknown option '--from'"),
      ] {
        let result = try await sandbox.shell("$A \(line)")
        #expect(result.status == 64, "\(line)")
        #expect(result.standardError.contains(answer), "\(result)")
        #expect(!result.standardError.contains("--force'"), "\(result)")
      }
    }
  }

  @Test("play takes standard input, from a file and from a pipe", .server)
  func playFromStandardInput() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A record a.flac --duration 500ms > out || exit 9
        $A play - --json < a.flac; echo $?
        cat a.flac | $A play - --json; echo $?
        $A record - --duration 300ms 2> out | $A play -; echo $?
        echo nothing | $A play -; echo $?
        mkfifo pipe; $A play - < pipe & pid=$!
        exec 3> pipe; head -c 100 a.flac >&3
        until [ -e /proc/$pid/fd/0 ] && ls -l /proc/$pid/fd | grep -q deleted; do pause; done
        kill -INT $pid; wait $pid; echo $?
        exec 3>&-
        cat a.flac > pipe & $A play pipe --json; echo $?
        timeout --preserve-status -k 30 -s INT 0.5 $A play pipe; echo $?
        """)
      let lines = result.standardOutput.split(separator: "\n").filter { Int($0) != nil }
      #expect(lines == ["0", "0", "0", "65", "130", "0", "130"], "\(result)")
      #expect(
        result.standardOutput.split(separator: "\n").count { $0.contains("\"seconds\": 0.5") } == 3,
        "\(result)")
      #expect(result.standardError.contains("'standard input' is no sound file"), "\(result)")
    }
  }

  @Test("--plain draws nothing, and keeps every word", .simulatedCard)
  func plain() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      for command in ["state", "devices --tree", "plan podcast", "meter --duration 300ms"] {
        let result = try await sandbox.shell(
          // A terminal of 40 columns.
          "script -qec 'stty cols 40; $A \(command) --plain' /dev/null")
        #expect(result.status == 0 && !result.standardOutput.isEmpty, "\(command): \(result)")
        for mark in ["├", "└", "│", "█", "\u{1b}", "…"] {
          #expect(!result.standardOutput.contains(mark), "\(command): \(result)")
        }
      }
      let tree = try await sandbox.audiosession("devices", "--tree", "--plain")
      #expect(
        tree.standardOutput.hasPrefix(
          "card Built-in Audio\n   profile output:analog-stereo+input:analog-stereo\n      port "),
        "\(tree)")
    }
  }

  @Test("state --watch reads nothing while nothing changes, and wakes for a change", .server)
  func watchSleeps() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); mkdir elsewhere
        $A apply test --keep > /dev/null || exit 9
        $A state --watch -v -v > seen 2> requests & pid=$!
        until grep -q 'test, active' seen; do kill -0 $pid || exit 8; pause; done
        # Two seconds of another server's sound: the marks of this one's start are over.
        $A --sandbox meter --duration 1s > out 2>&1
        before=$(wc -l < requests)
        $A --sandbox meter --duration 1s > out 2>&1
        echo $(($(wc -l < requests) - before)) requests
        pactl set-source-volume mic 37%
        until grep -q '^[*].*37 %' seen; do kill -0 $pid || exit 7; pause; done
        $A stop > /dev/null
        until tail -n 40 seen | grep -q '^[*].*' && ! tail -n 30 seen | grep -q holder; do
          kill -0 $pid || exit 6; pause
        done
        kill -INT $pid; wait $pid; echo $?
        """)
      #expect(result.standardOutput == "0 requests\n0\n", "\(result)")
    }
  }

  @Test(
    "state --watch shows the last events on a screen of 24 lines, and how many are missing",
    .simulatedCard)
  func watchOnAScreen() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A apply podcast --keep > /dev/null || exit 9
        script -qec "stty cols 80 rows 24; tty > terminal; exec $A state --watch" /dev/null > seen & pid=$!
        until grep -q '(5 more lines)' seen; do kill -0 $pid || exit 8; pause; done
        screen() { tr '\\33' '\\n' < seen | tac | sed '/^\\[H/q'; }
        stty -F $(cat terminal) rows 60
        while screen | grep -q 'more lines'; do kill -0 $pid || exit 6; pause; done
        stty -F $(cat terminal) rows 24
        until screen | grep -q 'more lines'; do kill -0 $pid || exit 5; pause; done
        pactl set-default-source alsa_input.pci-0000_00_1f.3.analog-stereo
        until grep -q '[*].* drift preferred input' seen; do kill -0 $pid || exit 7; pause; done
        $A stop > /dev/null; kill $pid
        """)
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test("what takes longer than half a second says what it does, on a terminal alone", .server)
  func activity() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        export NO_COLOR=1
        script -qec '$A verify --duration 1s' /dev/null > verify
        grep -c 'measuring the sound… (1 s)' verify
        # It is removed before the first line of the result.
        tr '\\r' '\\n' < verify | grep -A 1 'measuring' | tail -n 1 | cut -c 4-11
        # On a narrow screen it stays on one line, or each second would leave one.
        script -qec 'stty cols 40; $A verify --duration 1s' /dev/null | tr '\\r' '\\n' > verify
        grep -q 'measuring the sound…' verify && grep -c 'measuring the sound… (' verify
        script -qec '$A verify --plain --duration 1s' /dev/null | grep -c …
        $A verify --duration 1s 2>&1 | grep -c …
        # A machine may stand still for the half second after which it is shown.
        i=0; until [ "$(script -qec '$A devices' /dev/null | grep -c 'waiting')" = 0 ]; do
          i=$((i + 1)); echo try >&2; [ $i -lt 20 ] || break
        done
        [ $i -ge 20 ] || echo 0
        """)
      noteTries(result.standardError, of: 20)
      #expect(result.standardOutput == "1\nrecorded\n0\n0\n0\n0\n", "\(result)")
    }
  }

  @Test("a shell in a sandbox is greeted; a command is not", .server)
  func greeting() async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      let result = try await sandbox.shell(
        "script -qec 'env SHELL=/bin/true $A sandbox' /dev/null; $A sandbox -- true")
      let words = result.standardOutput.split { $0.isWhitespace }.joined(separator: " ")
      #expect(
        words.contains("this shell is in a sandbox: a private PulseAudio server"), "\(result)")
      #expect(words.contains("'exit' leaves it"))
      #expect(!result.standardError.contains("this shell"))
    }
  }

  @Test(
    "record and meter take the name that people know, and a part that is enough", .simulatedCard)
  func devicesByDescription() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        for name in "Example USB Microphone Analog Stereo" usb "built-in"; do
          $A record "$name.wav" --device "$name" --duration 200ms --json | grep '"device"'
        done
        $A meter --device usb --duration 200ms --json | head -n 1 | grep -c usb-Example
        $A record x.wav --device analog --duration 200ms; echo $?
        """)
      let lines = result.standardOutput.split(separator: "\n")
      try #require(lines.count == 5, "\(result)")
      #expect(lines[0].contains("usb-Example") && lines[1].contains("usb-Example"), "\(result)")
      #expect(lines[2].contains("alsa_input.pci-"), "\(result)")
      #expect(lines[3...] == ["1", "78"], "two have this part: \(result)")
    }
  }

  @Test(
    "a revert beside a holder tells that it still runs, and an apply that it maintains", .server)
  func holderIsNamed() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let result = try await sandbox.shell(
        """
        $A apply test --keep; $A revert; $A stop > /dev/null; $A apply test; $A revert
        $A apply test --keep > /dev/null; $A revert --stop > /dev/null; $A | grep session
        $A revert --stop
        """)
      #expect(result.standardError.components(separatedBy: ": note: stopped ").count == 2)
      #expect(result.standardOutput.contains("session  none; nothing is maintained\n"), "\(result)")
      let words = ["; to end it: audiosession stop", "still runs, and maintains the next profile"]
      #expect(result.standardOutput.components(separatedBy: words[0]).count == 2, "\(result)")
      #expect(result.standardError.components(separatedBy: words[1]).count == 2, "\(result)")
    }
  }

  @Test("revert --stop prints what it reverted also if the holder is not its to end", .server)
  func revertedOnly() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\n")
      // By its name it is a program with a session of its own.
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        ln -s \(builtProgram) other
        ./other watch test > out 2>&1 & pid=$!
        until grep -q applied out; do kill -0 $pid || { cat out; exit 9; }; pause; done
        $A revert --stop; code=$?
        kill $pid; wait $pid
        exit $code
        """)
      #expect(result.status == 76, "\(result)")
      #expect(result.standardOutput.contains("40 % → 100 %"), "\(result)")
      #expect(result.standardError.contains("a program of its own"), "\(result)")
    }
  }
}
