import PulseSandbox
import TestSupport
import Testing

@testable import audiosession

@Suite("Usage", .timeLimit(.minutes(10)))
struct UsageTests {
  static let mistakes: [[String]] = [
    ["nonsense"], ["apply"], ["plan"], ["apply", "a", "b"], ["state", "--nonsense"],
    ["state", "--timeout", "0"], ["state", "--timeout", "soon"], ["state", "--timeout", "-1s"],
    ["state", "--server", ""], ["state", "--server", "unix:/x", "--sandbox"],
    ["apply", "podcast", "--keep", "--sandbox"], ["apply", "podcast", "--keep", "--dry-run"],
    ["apply", "podcast", "--strict", "--best-effort"],
    ["profiles", "save", "mine", "--sandbox"], ["help", "nonsense"], ["profiles", "check"],
    ["profiles", "nonsense"], ["sandbox", "true"],
    ["sandbox", "--server", "unix:/x", "--", "true"],
    ["tone", "H4"], ["tone", "A4", "--sweep", "100"], ["tone", "--sweep", "10-"],
    ["tone", "--level", "6"], ["tone", "C4+C4+C4+C4+C4+C4+C4+C4+C4"],
    ["tone", "--level", "-5", "C4"], ["watch", "--force"], ["devices", "--tree", "--all"],
    ["meter", "--interval", "1m"], ["verify", "--duration", "1ms"],
    ["verify", "--revert"], ["watch", "--server=", "podcast"],
    ["watch", "--trace=", "podcast"],
    ["record", "talk.wav", "--format", "flac16"], ["record", "talk.FLAC", "--format", "wav16"],
    ["record", "talk.wave", "--format", "flac24"],
    ["record", "talk.flac", "--channels", "9"],
    ["record", "talk.wav", "--format", "flac24", "--channels", "9"],
  ]

  @Test(
    "help on a word that a topic has names the topic",
    arguments: [
      ("verdicts", "json"), ("events", "json"), ("profiles-format", "profile"), ("toml", "profile"),
    ])
  func topic(_ word: String, _ topic: String) {
    let message = UnknownCommand.find(in: ["help", word])
    #expect(message == "there is no help on '\(word)'; do you mean 'help \(topic)'?")
  }

  @Test("in JSON it is one line where the command prints lines", .server)
  func oneLine() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      for (line, isOneLine) in [
        ("watch --nonsense --json", true), ("--json meter --interval 1m", true),
        ("state --watch --check --json", true), ("state --nonsense --json", false),
        ("apply --json", false),
      ] {
        let arguments = line.split(separator: " ").map(String.init)
        let result = try await sandbox.capture([builtProgram] + arguments)
        #expect(result.status == 64 && result.standardError.isEmpty, "\(line): \(result)")
        #expect(try JSONValue(result.standardOutput)["error"] != nil, "\(line)")
        let count = result.standardOutput.split(separator: "\n").count
        #expect((count == 1) == isOneLine, "\(line): \(result)")
      }
    }
  }

  @Test(
    "a command that is none names the nearest",
    arguments: [
      ("stat", "'stat'; do you mean 'state'?"),
      ("aply podcast", "'aply'; do you mean 'apply'?"),
      ("--server x --json stte", "'stte'; do you mean 'state'?"),
      ("profiles shw podcast", "'profiles shw'; do you mean 'profiles show'?"),
      ("sandbox simulate unplg x", "do you mean 'sandbox simulate unplug'?"),
      ("sandbox true", "after '--': sandbox -- COMMAND"), ("xylophone", "'xylophone'"),
      ("why default-source", "'why'; do you mean 'explain'?"),
      ("unapply", "do you mean 'revert'?"), ("mute", "do you mean 'explain mute'?"),
      ("unmute", "do you mean 'explain muted'?"),
      ("levels", "do you mean 'meter'?"), ("version", "do you mean '--version'?"),
      ("switch podcast", "do you mean 'apply PROFILE --keep'?"),
      ("profiles new mine", "'profiles new'; do you mean 'profiles save NAME'?"),
      ("profiles use podcast", "do you mean 'apply PROFILE --keep'?"),
      ("profiles delete x", "'rm FILE' with the file that 'profiles' lists?"),
      ("help profil", "help on 'profil'; do you mean 'help profile' or 'help profiles'?"),
      ("help stat", "do you mean 'help state'?"), ("help why", "do you mean 'help explain'?"),
      ("default-source", "'explain default-source'?"), ("mic", "do you mean 'explain mic'?"),
      ("inputs", "do you mean 'devices'?"),
      ("profile", "'profiles'?"), ("edit podcast", "'profiles edit NAME'?"),
      ("uninstall", "do you mean 'service uninstall'?"), ("json", "do you mean 'help json'?"),
      ("sandbox unplug usb_mic", "do you mean 'sandbox simulate unplug'?"),
      ("help profiles shw", "'profiles shw'; do you mean 'profiles show'?"),
    ])
  func unknownCommand(_ line: String, _ expected: String) throws {
    let unknown = UnknownCommand.find(in: line.split(separator: " ").map(String.init))
    #expect(try #require(unknown).contains(expected))
  }

  @Test("a value that cannot be, and an option that there is not, say what would work", .server)
  func values() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      for (line, expected) in [
        ("record b.wav --channels 33", "1 to 32, or mono"),
        ("record b.wav --rate 44.1k", "8000 to 192000"), ("tone --level abc", "-120 to 0"),
        ("apply --bogus", "'--bogus'"), ("plan --bogus=x", "'--bogus'"),
        ("apply --keep --timeout 5s --plain", "'<profile>'"),
        ("--server unix:/nonexistent apply --verbose", "'<profile>'"),
        ("--generate-completion-script tcsh", "bash, zsh or fish"),
        ("--generate-completion-script=tcsh", "bash, zsh or fish"),
      ] {
        let arguments = line.split(separator: " ").map(String.init)
        let result = try await sandbox.capture([builtProgram] + arguments)
        let words = result.standardError.split(whereSeparator: \.isWhitespace)
        #expect(result.status == 64, "\(line): \(result)")
        #expect(words.joined(separator: " ").contains(expected), "\(line): \(result)")
      }
    }
  }

  @Test("an error in JSON has the value, and the names that would work as a list", .server)
  func valuesInJSON() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      for (line, value, names) in [
        ("sandbox simulate unplug nope", "nope", ["mic"]), ("explain nope", "nope", ["sampleRate"]),
        ("record x.wav --device nope", "nope", ["mic"]), ("play nope.wav", "nope.wav", []),
        ("record nodir/a.wav", "nodir/a.wav", []), ("tone H4", "H4", []),
        ("record x.wav --rate 1", "1", []), ("tone --level=abc", "abc", []),
      ] {
        let result = try await sandbox.shell("cd \(sandbox.directory); $A \(line) --json")
        let error = try JSONValue(result.standardOutput)["error"]
        #expect(error?["value"] == .string(value), "\(line): \(result)")
        let listed = error?["alternatives"]?.array ?? []
        #expect(names.allSatisfy { listed.contains(.string($0)) }, "\(line): \(result)")
      }
    }
  }

  @Test("the list for a word without a near one has no hidden command")
  func hidden() {
    #expect(UnknownCommand.find(in: ["xylophone"])?.contains("manual") == false)
  }

  @Test(
    "a line whose commands are all there has none that is unknown",
    arguments: [
      "state --nonsense", "apply a b", "help state", "help json", "help profiles show", "help",
      "profiles", "sandbox -- true", "",
    ])
  func knownCommands(_ line: String) {
    let unknown = UnknownCommand.find(in: line.split(separator: " ").map(String.init))
    #expect(unknown == nil, "\(unknown ?? "")")
  }

  @Test("help is 0 and names each option", .server)
  func help() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let main = try await sandbox.audiosession("--help")
      #expect(main.status == 0)
      for command in [
        "apply", "plan", "state", "revert", "devices", "profiles", "service", "sandbox", "tone",
        "meter", "verify", "watch", "stop", "demo",
      ] {
        #expect(main.standardOutput.contains("\n  \(command) "))
        let help = try await sandbox.audiosession(command, "--help")
        #expect(help.status == 0)
        let same = try await sandbox.audiosession("help", command)
        #expect(help.standardOutput == same.standardOutput)
        guard command != "profiles", command != "service" else { continue }
        for option in ["--server <address>", "--sandbox", "--json", "--timeout <time>", "-v"] {
          #expect(help.standardOutput.contains(option), "\(command) \(option)")
        }
      }
    }
  }

  @Test("help and mistakes are printed for the narrowest screen", .server)
  func narrowScreen() async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        for columns in -5 0 20 26; do
          for line in --help 'help apply' 'record --help' 'apply --kep'; do
            COLUMNS=$columns \(builtProgram) $line > out 2> err; echo $?
            grep -qE 'EVERY COMMAND:|^Usage: ' out err || echo "no text: $line"
          done
        done
        script -qec 'stty cols 20; \(builtProgram) help apply' /dev/null > out; echo $?
        """)
      let statuses = Array(repeating: "0\n0\n0\n64\n", count: 4) + ["0\n"]
      #expect(result.standardOutput == statuses.joined(), "\(result)")
    }
  }

  @Test("what is not UTF-8 names no file, but is 64", .server)
  func otherBytes() async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); mkdir empty; cd empty; odd=$(printf 'r\\377')
        \(builtProgram) record "$odd.wav" --duration 100ms; echo $?
        \(builtProgram) profiles "$odd" --json; echo $?
        XDG_CONFIG_HOME="$PWD/$odd" \(builtProgram) profiles save x; echo $?
        ls -A
        """)
      let lines = result.standardOutput.split(separator: "\n")
      #expect(lines.first == "64" && lines.suffix(2) == ["64", "64"], "\(result)")
      #expect(result.standardOutput.contains("argument 2 is not UTF-8"), "\(result)")
      for start in ["argument 2 is", "the variable XDG_CONFIG_HOME is"] {
        #expect(result.standardError.contains("audiosession: \(start) not UTF-8"), "\(result)")
      }
    }
  }

  @Test("options stand before or after the command", .server)
  func placement() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let before = try await sandbox.audiosession("--json", "devices")
      let after = try await sandbox.audiosession("devices", "--json")
      #expect(before == after)
      #expect(try JSONValue(before.standardOutput)["schema"] == .number(1))
    }
  }

  @Test("the version", .server)
  func version() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.audiosession("--version")
      #expect(result.standardOutput == "audiosession 0.1.0\n")
      #expect(result.status == 0)
    }
  }
}
