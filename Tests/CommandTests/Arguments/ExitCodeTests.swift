import FoundationEssentials
import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("Exit codes", .timeLimit(.minutes(10)))
struct ExitCodeTests {
  @Test("an unknown profile is 66 and names the nearest", .server)
  func unknownProfile() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.audiosession("apply", "podcst")
      #expect(result.status == 66)
      #expect(result.standardOutput.isEmpty)
      #expect(
        result.standardError.hasPrefix(
          "audiosession: there is no profile 'podcst'; do you mean 'podcast'? "))
      #expect(result.standardError.hasSuffix("\n  podcast\n"))
    }
  }

  @Test(
    "a bad profile is 65, with its place", .server,
    arguments: ["sample-rate = [", "sample-rate = 12", "categroy = \"record\"", "schema = 99"])
  func badProfile(_ text: String) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let path = try await sandbox.write(file: "bad.toml", text + "\n")
      for command in ["apply", "plan"] {
        let result = try await sandbox.audiosession(command, path)
        #expect(result.status == 65)
        #expect(result.standardError.hasPrefix("audiosession: \(path):1:"))
      }
      let check = try await sandbox.audiosession("profiles", "check", path)
      #expect(check.status == 65)
      #expect(check.standardOutput.hasPrefix("\(path):1:"))
      #expect(check.standardOutput.contains(": error: "))
    }
  }

  @Test("a profile that may not be read is 77", .server)
  func unreadableProfile() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let path = try await sandbox.write(file: "secret.toml", "")
      // Root may read every file, unless it gives that right up.
      let result = try await sandbox.shell(
        """
        chmod 0 \(path); rights=-dac_override,-dac_read_search
        [ "$(id -u)" = 0 ] && user="setpriv --inh-caps=$rights --bounding-set=$rights"
        $user \(builtProgram) --version > /dev/null || { echo skipped; exit; }
        for command in apply "profiles check"; do
          $user $A $command \(path) > /dev/null 2>&1; echo $?
        done
        """)
      #expect(["77\n77\n", "skipped\n"].contains(result.standardOutput), "\(result)")
    }
  }

  @Test("a folder of profiles that may not be read is 77, and no other profile is applied", .server)
  func unreadableFolder() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "podcast", Profiles.podcast)
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        folder=$XDG_CONFIG_HOME/audiosession/profiles; rights=-dac_override,-dac_read_search
        chmod 0 $folder
        [ "$(id -u)" = 0 ] && user="setpriv --inh-caps=$rights --bounding-set=$rights"
        $user \(builtProgram) --version > /dev/null || { echo skipped; exit; }
        for command in "apply podcast" "plan podcast" "profiles detect" "profiles cycle" profiles \
          "watch --auto" "profiles check podcast"
        do
          $user $A $command > out 2>&1; echo $?
          grep -q "$folder: .*this folder of profiles cannot be read: Permission denied" out \
            || { echo "$command:"; cat out; }
        done
        chmod 700 $folder
        """)
      let text = String(repeating: "77\n", count: 7)
      #expect([text, "skipped\n"].contains(result.standardOutput), "\(result)")
    }
  }

  @Test("an empty variable with the server's address is named, and counts as no server", .server)
  func emptyVariable() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); export PULSE_SERVER=
        for command in "apply podcast" "watch podcast" state; do
          $A $command > out 2> err; echo $?
          tr -s ' \\n' ' ' < err | grep -q 'variable PULSE_SERVER is empty' || cat err
        done
        grep -q '^session ' out || cat out
        $A doctor > out; echo $?
        grep -q 'PULSE_SERVER is empty' out && grep -q 'unset PULSE_SERVER' out || cat out
        """)
      #expect(result.standardOutput == "69\n69\n69\n69\n", "\(result)")
    }
  }

  @Test("an empty file is no trace", .server)
  func emptyTrace() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let path = try await sandbox.write(file: "empty", "")
      let result = try await sandbox.audiosession("replay", path)
      #expect(result.status == 65, "\(result)")
      #expect(result.standardError.contains("is empty, and so no trace"), "\(result)")
    }
  }

  @Test("a profile with several mistakes: each is named, whatever asked for it", .server)
  func severalMistakes() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(
        profile: "worse",
        "sample-rate = 12\ncategroy = \"record\"\n[input]\ngain = \"loud\"\n")
      try sandbox.write(profile: "heir", "extends = \"worse\"\n")
      let file =
        try #require(sandbox.environment["XDG_CONFIG_HOME"])
        + "/audiosession/profiles/worse.toml"
      let check = try await sandbox.audiosession("profiles", "check", file)
      let mistakes = check.standardOutput.split(separator: "\n").map {
        $0.replacing(" error:", with: "")
      }
      #expect(mistakes.count == 3, "\(check)")
      for words in [
        ["apply", "worse"], ["plan", "worse"], ["watch", "worse"], ["verify", "worse"],
        ["profiles", "show", "worse"], ["apply", "heir"],
      ] {
        let result = try await sandbox.capture([builtProgram] + words)
        #expect(result.status == 65, "\(words)")
        let lines = result.standardError.split(separator: "\n").map(String.init)
        #expect(lines == mistakes.map { "audiosession: " + $0 }, "\(words)")
      }
      let json = OrderedJSON(
        try await sandbox.audiosession("apply", "worse", "--json").standardOutput)
      #expect(json.keys == ["schema", "error", "diagnostics"])
      #expect(json["diagnostics"].array.count == 3)
      #expect(
        json["diagnostics"].array[0].keys == [
          "severity", "code", "message", "file", "line", "column", "property", "value",
          "alternatives",
        ])
    }
  }

  @Test("without a server every command that needs one is 69", .server)
  func noServer() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let server = "unix:\(sandbox.directory)/nowhere"
      for command in [
        ["apply", "podcast"], ["plan", "podcast"], ["devices"], ["revert"], ["state"],
      ] {
        let result = try await sandbox.capture([builtProgram] + command + ["--server", server])
        #expect(result.status == 69, "\(command)")
        #expect(result.standardError.contains("audiosession: "))
      }
      let result = try await sandbox.audiosession("devices", "--json", "--server", server)
      #expect(try JSONValue(result.standardOutput)["error"]?["value"] == .string(server))
      // Where no server is set, it is the user's, and not the system's, which libpulse tries last.
      let runtime = "\(sandbox.directory)/runtime"
      let unset = try await sandbox.shell(
        """
        mkdir \(runtime); unset PULSE_SERVER PULSE_RUNTIME_PATH DISPLAY
        XDG_RUNTIME_DIR=\(runtime) $A devices
        """)
      #expect(unset.status == 69)
      #expect(unset.standardError.contains("(server \(runtime)/pulse/native)"), "\(unset)")
    }
  }

  @Test(
    "a server that does not answer is 75 within the time", .bothServers,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func frozen(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      try await sandbox.freeze()
      let commands = [
        "", "apply podcast", "plan podcast", "devices", "revert", "state", "doctor",
        "explain default-source", "verify podcast", "record b.wav", "play a.wav", "meter", "tone",
        "profiles detect", "profiles save new", "profiles cycle", "apply podcast --keep",
      ]
      // All at once: each waits for its time.
      let results = try await sandbox.shell(
        """
        cd \(sandbox.directory); head -c 1044 /dev/zero > tail
        printf 'RIFF\\070\\004\\0\\0WAVEfmt \\020\\0\\0\\0\\001\\0\\001\\0\\104\\254\\0\\0\\210\\130\\001\\0\\002\\0\\020\\0data\\024\\004\\0\\0' | cat - tail > a.wav
        for command in \(commands.map { "'\($0)'" }.joined(separator: " ")); do
          { $A $command --timeout 500ms > /dev/null 2> "$command.err" < /dev/null
            echo "$command: $? $(cat "$command.err")"; } &
        done
        wait
        """)
      for command in commands {
        let line = results.standardOutput.split(separator: "\n").first {
          $0.hasPrefix("\(command): ")
        }
        #expect(line?.hasPrefix("\(command): 75 ") == true, "\(line ?? "")")
        // doctor prints it as what it found. More programs than the server lets wait are refused.
        let isNamed =
          line?.contains("accepts no more connections") == true
          || ["timed out", "waiting for the server"].allSatisfy { line?.contains($0) == true }
        #expect(isNamed || command == "doctor", "\(line ?? "")")
      }
      try await sandbox.thaw()
    }
  }

  @Test("a machine that cannot is 78, and nothing was changed", .server)
  func machineCannot() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "missing", Profiles.missing)
      let before = try await sandbox.audiosession("devices", "--all", "--json")
      let result = try await sandbox.audiosession("apply", "missing", "--json")
      #expect(result.status == 78)
      let error = try #require(try JSONValue(result.standardOutput)["error"])
      #expect(error["code"] == .string("inputNotAvailable"))
      #expect(error["property"] == .string("preferredInput"))
      #expect(error["restored"] == .null)
      #expect(error["alternatives"]?.array.contains { "\($0)".contains("mic") } == true)
      #expect(try await sandbox.audiosession("devices", "--all", "--json") == before)
    }
  }

  @Test("a best effort that was not all is 3; a state that is not as preferred too", .server)
  func unmet() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let half = Profiles.missing + "\n[output]\nvolume = \"40 %\"\n"
      try sandbox.write(profile: "half", half)
      try sandbox.write(profile: "effort", "on-failure = \"best-effort\"\n" + half)
      #expect(try await sandbox.audiosession("apply", "effort").status == 3)
      #expect(try await sandbox.audiosession("apply", "half", "--best-effort").status == 3)
      #expect(try await sandbox.audiosession("state").status == 0)
      let check = try await sandbox.audiosession("state", "--check")
      #expect(check.status == 3)
      #expect(check.standardOutput.contains(/\noutput volume +applied  40 %\n/))
      #expect(try await sandbox.audiosession("revert").status == 0)
      #expect(try await sandbox.audiosession("state", "--check").status == 0)
    }
  }

  @Test("an unmet hint is a warning in a best effort, too, unless strict names it", .server)
  func unmetHint() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let rate = "category = \"record\"\nsample-rate = 192000\n"
      try sandbox.write(profile: "hint", rate)
      try sandbox.write(profile: "strict", "strict = [\"sample-rate\"]\n" + rate)
      let buffer = "category = \"record\"\nbuffer-duration = \"20 ms\"\n"
      try sandbox.write(profile: "buffer", "strict = [\"buffer-duration\"]\n" + buffer)
      for (profile, status) in [("hint", Int32(0)), ("strict", 78), ("buffer", 0)] {
        let result = try await sandbox.audiosession("apply", profile, "--best-effort")
        #expect(result.status == status, "\(profile): \(result)")
        let isWarned = result.standardError.contains("warning: ")
        #expect(isWarned == (profile == "hint"), "\(profile): \(result)")
      }
      let help = try await sandbox.audiosession("apply", "--help").standardOutput
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(help.contains("exit with status 3 if a preference is unmet that is no hint."))
      #expect(help.contains("a warning, unless the profile's 'strict' names them"))
      let manual = try await sandbox.audiosession("manual").standardOutput
      #expect(manual.contains("hints do not count"))
    }
  }

  @Test("a store that cannot be written is 74", .server)
  func store() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let result = try await sandbox.shell("XDG_STATE_HOME=/dev/null/x $A apply test")
      #expect(result.status == 74)
      #expect(result.standardError.contains("XDG_STATE_HOME"))
    }
  }

  @Test("a relative folder is none, as XDG has it, and without a home there is the user's", .server)
  func folders() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory) && mkdir here && cd here || exit 9
        HOME=$PWD/home XDG_STATE_HOME=relative $A apply test --timeout 60s >/dev/null; echo $?
        find . -type d | sort
        env -u HOME -u XDG_STATE_HOME $A state --json --timeout 60s >/dev/null; echo $?
        """)
      #expect(
        result.standardOutput == """
          0
          .
          ./home
          ./home/.local
          ./home/.local/state
          ./home/.local/state/audiosession
          0

          """)
    }
  }

  @Test("a session that another process holds is 76, and names it", .server)
  func busy() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      _ = try await sandbox.audiosession("apply", "test")
      let result = try await sandbox.shell(
        """
        lock=$(echo $XDG_STATE_HOME/audiosession/*.lock)
        echo '1999999999 holder holder' > "$lock"
        flock "$lock" $A apply test
        """)
      #expect(result.status == 76)
      #expect(result.standardError.contains("holder (process 1999999999)"))
    }
  }

  @Test("a server that lets nobody in without its cookie is 77", .server)
  func accessDenied() async throws {
    var configuration = SandboxConfiguration.minimal
    configuration.cookieRequired = true
    try await PulseSandbox.with(configuration) { sandbox in
      let cookie = try await sandbox.write(file: "other", String(repeating: "x", count: 256))
      let result = try await sandbox.shell("PULSE_COOKIE=\(cookie) $A state")
      #expect(result.status == 77)
      #expect(try await sandbox.audiosession("state").status == 0)
    }
  }

  @Test("a result that cannot be written is 74; one that nobody reads is none", .server)
  func output() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      #expect(try await sandbox.shell("$A devices > /dev/full").status == 74)
      let result = try await sandbox.shell("{ $A devices --json; echo $? >&2; } | true")
      #expect(result.standardError == "0\n")
      // What would not end by itself does then.
      for command in ["state --watch", "state --watch --json", "meter"] {
        for output in ["> /dev/full", ">&-"] {
          let lost = try await sandbox.shell("timeout 60 $A \(command) \(output)")
          #expect(lost.status == 74, "\(command) \(output): \(lost)")
        }
      }
    }
  }

  @Test("sound for a terminal is 64", .server)
  func soundForTerminal() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        "script -qec '$A record - --duration 300ms' /dev/null < /dev/null")
      #expect(result.status == 64)
      #expect(result.standardOutput.contains("'-' would write sound to the terminal"), "\(result)")
    }
  }

  @Test(
    "help and version that cannot be written are 74, with a message", .server,
    arguments: [
      "--version", "--help", "apply --help", "help profile", "manual",
      "--generate-completion-script bash",
    ])
  func help(_ arguments: String) async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      let result = try await sandbox.shell("\(builtProgram) \(arguments) > /dev/full")
      #expect(result.status == 74)
      #expect(result.standardError.hasPrefix("audiosession: cannot write the result: "))
    }
  }

  @Test("closed standard descriptors: a lost result is 74, and every command ends", .server)
  func closedDescriptors() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let lost = try await sandbox.shell("$A profiles >&-")
      #expect(lost.status == 74)
      #expect(lost.standardError.hasPrefix("audiosession: cannot write the result: "))
      let mute = try await sandbox.shell("$A profiles 2>&-")
      #expect(mute.status == 0 && mute.standardOutput.contains("podcast"), "\(mute)")
      #expect(try await sandbox.shell("$A devices <&- 2>&-").status == 0)
      #expect(try await sandbox.shell("$A play - <&-").status != 0)
    }
  }
}
