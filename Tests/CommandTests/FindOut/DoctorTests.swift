import FoundationEssentials
import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// `doctor` on real servers: each trouble that can be made there is made, and found.
@Suite("Doctor", .timeLimit(.minutes(10)))
struct DoctorTests {
  /// Two stereo devices whose rate can switch, and a source that is heard: nothing is wrong.
  static let healthy = SandboxConfiguration(modules: [
    "module-null-sink sink_name=speakers rate=44100", "module-sine-source source_name=sine",
  ])

  /// What is found, as `code severity object`.
  static func findings(_ result: CommandResult) throws -> [String] {
    try #require(JSONValue(result.standardOutput)["findings"]).array.map { finding in
      ["code", "severity", "object"].map { key in
        if case .string(let text)? = finding[key] { text } else { "-" }
      }.joined(separator: " ")
    }
  }

  private func doctor(
    _ sandbox: PulseSandbox, _ before: String = "true", listens: Bool = false
  ) async throws -> [String] {
    var result = try await sandbox.shell(
      "\(before) && $A doctor --json \(listens ? "" : "--no-listen")")
    // A machine with too much to do may not record in time; it says so.
    var tries = 1
    while listens, tries < 20, result.standardError.contains("could be recorded") {
      tries += 1
      noteTry(tries, of: 20)
      result = try await sandbox.shell("$A doctor --json")
    }
    let findings = try Self.findings(result)
    // Notes alone are no findings to a script.
    #expect(result.status == (findings.allSatisfy { $0.contains(" note ") } ? 0 : 3), "\(result)")
    return findings
  }

  @Test("nothing found is 0", .server)
  func healthy() async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      let result = try await sandbox.audiosession("doctor", "--json")
      #expect(result.status == 0)
      #expect(try Self.findings(result) == [])
      let text = try await sandbox.audiosession("doctor", "--no-listen")
      #expect(
        text.standardOutput.hasSuffix(
          """
           checks (5 not made), no findings
            not made: silent input, dead channel, dual mono, clipped input, offset input: no input \
          was recorded

          """), "\(text)")
    }
  }

  /// A change of a healthy server, and what is found then.
  static let troubles: [(String, String)] = [
    (
      "pactl load-module module-switch-on-connect",
      "switchOnConnect warning module-switch-on-connect"
    ),
    (
      "pactl load-module module-switch-on-port-available",
      "switchOnPortAvailable note module-switch-on-port-available"
    ),
    ("pactl load-module module-role-cork", "roleModule note module-role-cork"),
    ("pactl load-module module-role-ducking", "roleModule note module-role-ducking"),
    (
      "pactl load-module module-null-sink sink_name=easyeffects_sink",
      "filter note easyeffects_sink"
    ),
    (
      "pactl load-module module-remap-source source_name=audiosession.input master=sine "
        + "source_properties=audiosession.role=remap", "leftover warning audiosession.input"
    ),
    ("pactl set-source-mute sine 1", "mutedInput warning sine"),
    ("export PULSE_SOURCE=speakers.monitor", "environment warning PULSE_SOURCE"),
    ("export XDG_STATE_HOME=/dev/null/x", "unwritableStore problem /dev/null"),
    ("export PULSE_LATENCY_MSEC=30", "environment note PULSE_LATENCY_MSEC"),
  ]

  @Test("trouble on a server, or around it", .server, arguments: troubles)
  func trouble(_ command: String, _ found: String) async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      let first = try await doctor(sandbox, "\(command) >/dev/null")
      // Nothing was changed: it is found again.
      let again = try await doctor(sandbox, command.hasPrefix("export") ? command : "true")
      #expect([first, again] == [[found], [found]])
    }
  }

  /// A stereo input of which the right channel is dead: a sink that is played on its left alone.
  static let half = """
    load() { pactl load-module module-$@ >/dev/null; }
    load null-sink sink_name=room channels=2
    load remap-sink sink_name=left master=room channels=1 channel_map=mono \\
      master_channel_map=front-left remix=no
    load sine sink=left
    load remap-source source_name=half master=room.monitor channels=2 \\
      channel_map=front-left,front-right remix=no
    """

  /// The same without a module that plays by itself, on either server: the inputs hear noise.
  static let played = """
    load() { pactl load-module module-$@ >/dev/null; }
    load null-sink sink_name=room channels=2 channel_map=front-left,front-right
    head -c 8000000 /dev/urandom > "$XDG_STATE_HOME/noise"
    pacat --raw --format=s16le --rate=44100 --volume=10000 -d room PLAYER \\
      "$XDG_STATE_HOME/noise" & pid=$!
    load remap-source source_name=ours master=room.monitor channels=2 \\
      channel_map=front-left,front-right remix=no
    """

  @Test(
    "a dead channel and one microphone twice are heard on both servers", .pipewire,
    arguments: [ServerKind.pulseaudio, .pipewire],
    [
      ("--channels=2 --channel-map=front-left,aux0 --no-remix", "deadChannel warning ours"),
      ("--channels=1 --channel-map=mono", "dualMono note ours"),
    ])
  func heard(_ kind: ServerKind, _ trouble: (String, String)) async throws {
    let (player, found) = trouble
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      let result = try await sandbox.shell(
        """
        \(Self.played.replacing("PLAYER", with: player))
        until $A doctor --json > "$XDG_STATE_HOME/found"; grep -q '"\(found.prefix { $0 != " " })"' \
          "$XDG_STATE_HOME/found"; do
          i=$((i + 1)); echo try >&2; [ $i -lt 30 ] || break; kill -0 $pid || break; pause
        done
        kill $pid
        cat "$XDG_STATE_HOME/found"
        """)
      noteTries(result.standardError + "try", of: 30)
      #expect(try Self.findings(result).contains(found), "\(result.standardError)")
    }
  }

  @Test(
    "what the inputs deliver, heard", .server,
    arguments: [
      ("pactl load-module module-null-source source_name=quiet", "silentInput note quiet"),
      (
        "pactl load-module module-remap-source source_name=twice master=sine channels=2 "
          + "channel_map=front-left,front-right", "dualMono note twice"
      ),
      (half, "deadChannel warning half"),
    ])
  func sound(_ script: String, _ found: String) async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      _ = try await sandbox.shell(script)
      let heard = try await doctor(sandbox, listens: true)
      let result = try await sandbox.audiosession("doctor", "--no-listen", "--json")
      #expect(heard == [found])
      #expect(result.status == 0, "nothing is recorded")
      #expect(
        try JSONValue(result.standardOutput)["skipped"]?.array.contains(.string("dualMono")) == true
      )
    }
  }

  @Test("the channel map that is proposed for a dead channel mends it", .server)
  func mended() async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      _ = try await sandbox.shell(Self.half)
      var result = try JSONValue(try await sandbox.audiosession("doctor", "--json").standardOutput)
      var tries = 1
      while tries < 20, result["skipped"]?.array.isEmpty == false {
        tries += 1
        noteTry(tries, of: 20)
        result = try JSONValue(try await sandbox.audiosession("doctor", "--json").standardOutput)
      }
      guard case .string(let line)? = result["findings"]?.array.first?["remedy"]?["line"] else {
        Issue.record("no line: \(result)")
        return
      }
      #expect(line == "channel-map = \"left\"")
      try sandbox.write(
        profile: "mend", "category = \"record\"\n[input]\nprefer = [\"half\"]\n\(line)\n")
      let after = try await sandbox.shell("$A apply mend >/dev/null 2>&1 && $A doctor")
      #expect(after.status == 0, "\(after)")
    }
  }

  @Test("a module's number in the remedy is the one to unload", .server)
  func remedy() async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      let loaded = try await sandbox.shell("pactl load-module module-switch-on-connect")
      let result = try JSONValue(
        try await sandbox.audiosession("doctor", "--no-listen", "--json").standardOutput)
      let number = loaded.standardOutput.filter(\.isNumber)
      let remedy = result["findings"]?.array.first?["remedy"]
      #expect(remedy?["command"] == .string("pactl unload-module \(number)"))
      _ = try await sandbox.shell("pactl unload-module \(number)")
      #expect(try await sandbox.audiosession("doctor", "--no-listen").status == 0)
    }
  }

  @Test("equal rates, with the file and the line", .server)
  func equalRates() async throws {
    var configuration = Self.healthy
    configuration.alternateSampleRate = 44100
    try await PulseSandbox.with(configuration) { sandbox in
      let result = try JSONValue(
        try await sandbox.audiosession("doctor", "--no-listen", "--json").standardOutput)
      let finding = try #require(result["findings"]?.array.first)
      #expect(finding["code"] == .string("equalRates"))
      #expect(
        finding["remedy"]?["file"] == .string("\(sandbox.directory)/home/daemon.conf:3"))
      #expect(finding["remedy"]?["line"] == .string("alternate-sample-rate = 48000"))
    }
  }

  @Test("of a server on another machine no file of this one is named", .server)
  func remote() async throws {
    var configuration = Self.healthy
    configuration.alternateSampleRate = 44100
    try await PulseSandbox.with(configuration) { sandbox in
      // An address that leads here, and is not known to.
      let result = try await sandbox.shell(
        """
        pactl load-module module-switch-on-connect > /dev/null
        port=$((20000 + $$ % 20000))
        until pactl load-module module-native-protocol-tcp listen=127.0.0.1 port=$port auth-anonymous=1 \
          > /dev/null 2>&1
        do port=$((port + 1)); done
        $A doctor --no-listen --json --server tcp:0.0.0.0:$port
        """)
      let diagnosis = try JSONValue(result.standardOutput)
      let findings = try #require(diagnosis["findings"]).array
      #expect(findings.map { $0["code"] } == [.string("switchOnConnect")], "\(result)")
      #expect(findings.first?["remedy"]?["file"] == .null, "\(result)")
      #expect(diagnosis["skipped"]?.array.contains(.string("equalRates")) == true)
    }
  }

  @Test("nor of a server whose socket leads out of this container", .server, .namespaces)
  func container() async throws {
    var configuration = Self.healthy
    configuration.alternateSampleRate = 44100
    try await PulseSandbox.with(configuration) { sandbox in
      // Another network has no listener at the socket's path, as a container has none.
      let result = try await sandbox.shell(
        "unshare -n $A doctor --no-listen --json")
      let diagnosis = try JSONValue(result.standardOutput)
      #expect(diagnosis["findings"]?.array.isEmpty == true, "\(result)")
      #expect(diagnosis["skipped"]?.array.contains(.string("equalRates")) == true)
    }
  }

  @Test("a stream that somebody moved is remembered elsewhere", .server)
  func savedStream() async throws {
    var configuration = Self.healthy
    configuration.modules =
      ["module-stream-restore", "module-null-sink sink_name=other"] + configuration.modules
    try await PulseSandbox.with(configuration) { sandbox in
      let script = """
        pacat -r --client-name=recorder -d sine >/dev/null & pid=$!
        until n=$(pactl list short source-outputs | cut -f1) && [ -n "$n" ]; do :; done
        pactl move-source-output "$n" other.monitor
        until $A doctor --no-listen --json >$XDG_STATE_HOME/found; grep -q streamRestore $XDG_STATE_HOME/found; do :; done
        kill $pid; wait $pid
        cat $XDG_STATE_HOME/found
        """
      let result = try await sandbox.shell(script)
      #expect(
        try Self.findings(result) == ["streamRestore warning recorder"], "\(result.standardError)")
    }
  }

  @Test("another server where programs look for one", .server)
  func otherServer() async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      try await PulseSandbox.with(.empty) { other in
        let folder = try #require(sandbox.environment["XDG_RUNTIME_DIR"]) + "/pulse"
        mkdir(folder, 0o700)
        let load = "pactl load-module module-native-protocol-unix socket=\(folder)/native"
        #expect(try await other.shell(load).status == 0)
        #expect(try await doctor(sandbox) == ["otherServer warning \(folder)/native"])
        let astray = try await sandbox.shell("$A doctor --no-listen --server unix:/none")
        #expect(astray.standardOutput.contains("listens at \(folder)/native: name it"), "\(astray)")
        #expect(!astray.standardOutput.contains("beside"), "\(astray)")
      }
    }
  }

  @Test("a second socket of the same server is no other one", .server)
  func secondSocket() async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      let folder = try #require(sandbox.environment["XDG_RUNTIME_DIR"]) + "/pulse"
      mkdir(folder, 0o700)
      let load = "pactl load-module module-native-protocol-unix socket=\(folder)/native"
      let result = try await sandbox.shell("\(load) && $A doctor --no-listen")
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test("the cookie: others can read it, it cannot be read, it is no cookie", .server)
  func cookie() async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      let path = sandbox.directory + "/cookie"
      let found = [
        try await doctor(sandbox, "chmod 644 \(path)"),
        try await doctor(sandbox, "chmod 600 \(path) && export PULSE_COOKIE=\(path)/none"),
        try await doctor(sandbox, "export PULSE_COOKIE=\(sandbox.directory)"),
      ]
      #expect(
        found == [
          ["cookie warning \(path)"], ["cookie note \(path)/none"],
          ["cookie note \(sandbox.directory)"],
        ])
    }
  }

  @Test("autospawn and a client's default, from its file", .server)
  func clientSettings() async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      let folder = try #require(sandbox.environment["XDG_CONFIG_HOME"]) + "/pulse"
      let write =
        "mkdir -p \(folder) && printf 'autospawn = yes\\ndefault-sink = other\\n' "
        + "> \(folder)/client.conf"
      let found = try await doctor(sandbox, write)
      #expect(found.contains("environment warning default-sink"))
      // The superuser's programs never start a server.
      #expect(found.contains("autospawn note autospawn") == (geteuid() != 0))
    }
  }

  @Test("a mode that no process maintains, and files that are damaged", .server)
  func store() async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      try sandbox.write(
        profile: "test",
        "category = \"record\"\n[input]\nprefer = [\"sine\"]\ngain = \"80 %\"\n"
          + "channel-map = [\"mono\", \"mono\"]\n")
      let apply = "$A apply test >/dev/null 2>&1"
      let good = try await sandbox.shell("\(apply) && $A doctor --json")
      #expect(good.status == 0)
      #expect(
        try await doctor(sandbox, "pactl set-source-volume sine 30%") == ["staleMode warning test"])
      let sources = try await sandbox.shell("pactl list short sources").standardOutput
      #expect(sources.contains("audiosession.input"))
      let folder = try #require(sandbox.environment["XDG_STATE_HOME"]) + "/audiosession"
      let found = try await doctor(
        sandbox, "for f in \(folder)/*.mode.toml \(folder)/*.baseline.json; do echo '{' > $f; done")
      // The channel map is not called a leftover: the mode that asks for it cannot be read.
      #expect(found.count == 2, "\(found)")
      #expect(found.allSatisfy { $0.hasPrefix("damagedStore problem \(folder)/") })
      // What cannot be read, as a folder or without permission, may be whole.
      let unread = try await sandbox.shell(
        "for f in \(folder)/*.baseline.json; do rm $f; mkdir $f; done; $A doctor --json --no-listen"
      )
      #expect(unread.standardOutput.contains("chmod u+rw "), "\(unread)")
      #expect(!unread.standardOutput.contains(".baseline.json; make it writable"), "\(unread)")
      #expect(unread.standardOutput.contains("; make it readable"), "\(unread)")
    }
  }

  @Test("a full disk, where nothing can be stored; nothing is left there", .server, .namespaces)
  func fullDisk() async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"80 %\"\n")
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); mkdir disk
        unshare -m sh -c '
          mount -t tmpfs -o size=300k tmpfs disk; mkdir disk/state
          export XDG_STATE_HOME=$PWD/disk/state
          $A apply test > /dev/null && $A doctor --no-listen > /dev/null || exit 9
          $A revert > /dev/null || exit 8
          head -c 400k /dev/zero > disk/fill 2> /dev/null
          $A apply test 2> /dev/null; [ $? = 74 ] || exit 7
          ls -laR disk > before; $A doctor --no-listen --json; code=$?
          ls -laR disk | cmp - before || exit 6
          exit $code'
        """)
      #expect(result.status == 3, "\(result)")
      let folder = sandbox.directory + "/disk/state/audiosession"
      #expect(try Self.findings(result) == ["unwritableStore problem \(folder)"], "\(result)")
      #expect(result.standardOutput.contains("No space left on device"), "\(result)")
      #expect(result.standardOutput.contains("Make room there"), "\(result)")
    }
  }

  @Test("without a server the checks that need none are made: 69", .server)
  func noServer() async throws {
    try await PulseSandbox.with(Self.healthy) { sandbox in
      let result = try await sandbox.shell(
        "PULSE_SINK=x $A doctor --json --server unix:/nonexistent/socket")
      #expect(result.status == 69)
      #expect(
        try Self.findings(result) == [
          "serverUnreachable problem unix:/nonexistent/socket", "environment warning PULSE_SINK",
        ])
      let json = try JSONValue(result.standardOutput)
      #expect(json["server"] == .null)
      #expect(json["skipped"]?.array.contains(.string("switchOnConnect")) == true)
    }
  }
}

/// `doctor` on PipeWire.
@Suite("Doctor on PipeWire", .timeLimit(.minutes(10)))
struct PipeWireDoctorTests {
  /// What is found without listening, besides the one rate that PipeWire has by default.
  private func findings(_ sandbox: PulseSandbox, _ before: String = "true") async throws -> [String]
  {
    let result = try await sandbox.shell("\(before) >/dev/null && $A doctor --no-listen --json")
    let findings = try DoctorTests.findings(result)
    #expect(result.status == (findings.allSatisfy { $0.contains(" note ") } ? 0 : 3), "\(result)")
    return findings.filter { !$0.hasPrefix("allowedRates note") }
  }

  @Test("allowed rates, and a session manager that is gone", .pipewire)
  func pipewire() async throws {
    try await PulseSandbox.with(.minimal(on: .pipewire)) { sandbox in
      let before = try JSONValue(
        try await sandbox.audiosession("doctor", "--no-listen", "--json").standardOutput)
      #expect(before["server"]?["kind"] == .string("pipewire"))
      let rates = before["findings"]?.array.compactMap { $0["code"] }
      #expect(rates == [.string("allowedRates")])
      try await sandbox.kill(.wireplumber)
      let after = try JSONValue(
        try await sandbox.audiosession("doctor", "--no-listen", "--json").standardOutput)
      let first = after["findings"]?.array.first
      #expect(first?["code"] == .string("sessionManager"))
      #expect(first?["severity"] == .string("problem"))
    }
  }

  static let troubles: [(String, [String])] = [
    (
      "pactl load-module module-switch-on-connect",
      ["switchOnConnect warning module-switch-on-connect"]
    ),
    (
      "pactl load-module module-null-sink sink_name=easyeffects_sink",
      ["filter note easyeffects_sink"]
    ),
    (
      "pactl load-module module-echo-cancel source_name=theirs sink_name=their_sink "
        + "source_master=mic sink_master=speakers",
      ["filter note theirs", "filter note their_sink"]
    ),
    (
      "pactl load-module module-remap-source source_name=audiosession.input master=mic "
        + "source_properties=audiosession.role=remap", ["leftover warning audiosession.input"]
    ),
    ("pactl load-module module-remap-source source_name=plain master=mic", []),
    // PipeWire 1.4 tells the mute of a null source once it has run.
    (
      "pactl set-source-mute mic 1; parec -d mic | head -c 1 >/dev/null",
      ["mutedInput warning mic"]
    ),
    ("export PULSE_SINK=speakers", ["environment warning PULSE_SINK"]),
  ]

  @Test("trouble on a server, or around it", .pipewire, arguments: troubles)
  func trouble(_ command: String, _ found: [String]) async throws {
    try await PulseSandbox.with(.minimal(on: .pipewire)) { sandbox in
      var seen = try await findings(sandbox, command)
      // PipeWire acknowledges before it acts.
      _ = try await eventually(within: .seconds(30)) {
        if seen == found { return true }
        seen = try await findings(sandbox, command.hasPrefix("export") ? command : "true")
        return seen == found
      }
      #expect(seen == found)
    }
  }
}
