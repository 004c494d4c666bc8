import AudioSession
import Glibc
import PulseSandbox
import TestSupport
import Testing

@testable import audiosession

/// The unit's text.
@Suite("Service unit", .timeLimit(.minutes(10)))
struct ServiceUnitTests {
  @Test(
    "a program's path, by systemd's rules",
    arguments: [
      ("/usr/bin/audiosession", "\"/usr/bin/audiosession\""),
      ("/a b/c", "\"/a b/c\""), ("/100%/%h", "\"/100%%/%%h\""), ("/é/$x", "\"/é/$x\""),
    ])
  func program(_ path: String, _ quoted: String) throws {
    #expect(try ServiceUnit.text(program: path).contains("\nExecStart=\(quoted) watch\n"))
  }

  @Test("a path that systemd cannot run", arguments: ["a", "/a\"b", "/a'b", "/a\\b", "/a\nb"])
  func refused(_ path: String) {
    #expect(throws: (any Error).self) { try ServiceUnit.text(program: path) }
  }

  @Test("a variable cannot leave its line")
  func variable() throws {
    let text = try ServiceUnit.text(
      program: "/x", environment: [("PULSE_SERVER", "a \"b\" \\ 50%\n[Install]")])
    let odd = try ServiceUnit.text(
      program: "/x", environment: [("A", "1\r[Install]\r\n\u{b}\u{7f}\u{85}2")])
    #expect(odd.contains("Environment=\"A=1\\x0d[Install]\\x0d\\n\\x0b\\x7f\u{85}2\"\n"))
    #expect(!odd.unicodeScalars.contains("\r"))
    #expect(
      text.contains(#"Environment="PULSE_SERVER=a \"b\" \\ 50%%\n[Install]""# + "\n"))
    #expect(text.split(separator: "\n").filter { $0 == "[Install]" }.count == 1)
  }

  @Test("a unit for another server, or other stored modes, is not started for this one")
  func server() throws {
    let here = [("PULSE_SERVER", "unix:/a \"b\""), ("XDG_CONFIG_HOME", "/c")]
    let text = try ServiceUnit.text(program: "/x", environment: here)
    #expect(ServiceUnit.has(here, in: text))
    #expect(ServiceUnit.has([here[0]], in: text))
    #expect(!ServiceUnit.has([], in: text))
    #expect(!ServiceUnit.has([("PULSE_SERVER", "tcp:studio")], in: text))
    #expect(!ServiceUnit.has(here + [("XDG_STATE_HOME", "/s")], in: text))
    #expect(ServiceUnit.has([], in: try ServiceUnit.text(program: "/x")))
  }

  @Test("it is started again after what watch itself tries again, and after nothing that lasts")
  func lasting() throws {
    let text = try ServiceUnit.text(program: "/x")
    #expect(text.contains("\nRestartPreventExitStatus=64 65 66 70 74 77\n"))
    let errors: [(SessionError.Code, SessionError.Stage)] = [
      (.invalidValue, .configuration), (.unknownKey, .configuration),
      (.profileNotFound, .configuration), (.storeFailed, .session), (.accessDenied, .server),
      (.serverUnreachable, .server), (.serverLost, .server), (.timedOut, .server),
      (.isBusy, .session), (.inputNotAvailable, .device), (.refused, .server),
    ]
    for (code, stage) in errors {
      let error = SessionError(code, stage: stage, "")
      var backoff = StartBackoff()
      let isTriedAgain = backoff.pause(after: error) != nil
      #expect(isTriedAgain != Status.lasting.contains(Status(error)), "\(code)")
    }
  }

  @Test("only the first line makes it ours")
  func ours() throws {
    #expect(ServiceUnit.isOurs(try ServiceUnit.text(program: "/x")))
    #expect(!ServiceUnit.isOurs("[Unit]\n" + ServiceUnit.marker))
    #expect(!ServiceUnit.isOurs(""))
  }
}

/// The service manager is the edge of what a test can have: a program named systemctl, first in
/// `PATH`, records what it is asked. All else is real.
@Suite("service", .timeLimit(.minutes(10)))
struct ServiceTests {
  /// - Parameter systemctl: what it does after it has recorded.
  private func service(
    _ sandbox: PulseSandbox, _ arguments: String, systemctl: String = "exit 0"
  ) async throws -> CommandResult {
    let folder = sandbox.directory
    _ = try await sandbox.write(
      file: "systemctl", "#!/bin/sh\necho \"$*\" >> \(folder)/asked\n\(systemctl)\n")
    return try await sandbox.shell(
      """
      chmod +x \(folder)/systemctl; : > \(folder)/asked
      PATH=\(folder):$PATH env -u AUDIOSESSION_SANDBOX $A service \(arguments)
      """)
  }

  private func asked(_ sandbox: PulseSandbox) async throws -> [String] {
    try await sandbox.shell("cat $AUDIOSESSION_SANDBOX/asked").standardOutput
      .split(separator: "\n").map(String.init)
  }

  private func unit(_ sandbox: PulseSandbox) async throws -> String {
    try await sandbox.shell("cat $XDG_CONFIG_HOME/systemd/user/audiosession.service").standardOutput
  }

  @Test("install writes the unit, enables and starts it; uninstall undoes that", .server)
  func installs() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      for _ in 0..<2 {
        let result = try await service(sandbox, "install")
        #expect(result.status == 0 && result.standardOutput.contains("started  "), "\(result)")
        #expect(
          try await asked(sandbox) == [
            "--user show-environment", "--user daemon-reload",
            "--user enable audiosession.service", "--user restart audiosession.service",
          ])
        let text = try await unit(sandbox)
        #expect(text.contains("\nExecStart=\"\(builtProgram)\" watch\n"), "\(text)")
        #expect(text.contains("\nEnvironment=\"PULSE_SERVER=\(sandbox.address)\"\n"))
      }
      let result = try await service(sandbox, "uninstall")
      #expect(result.status == 0 && result.standardOutput.hasPrefix("removed  "), "\(result)")
      #expect(
        try await asked(sandbox) == [
          "--user show-environment", "--user disable --now audiosession.service",
          "--user daemon-reload",
        ])
      let rest = try await sandbox.shell("ls -A $XDG_CONFIG_HOME/systemd/user")
      #expect(rest.standardOutput.isEmpty)
      let again = try await service(sandbox, "uninstall")
      #expect(again.status == 0 && again.standardOutput == "no service is installed\n")
    }
  }

  @Test("install writes into no relative home", .server)
  func relativeHome() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        mkdir \(sandbox.directory)/here; cd \(sandbox.directory)/here
        env -u AUDIOSESSION_SANDBOX -u XDG_CONFIG_HOME HOME=rel $A service install; echo $?; ls -A
        """)
      #expect(result.standardOutput == "74\n", "\(result)")
      #expect(result.standardError.contains("to an absolute path"), "\(result)")
    }
  }

  @Test("install replaces a process that 'apply --keep' left behind", .server)
  func takesOver() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      _ = try await sandbox.audiosession("apply", "test", "--keep")
      let result = try await service(sandbox, "install")
      #expect(result.status == 0)
      #expect(
        result.standardError.contains("the service replaces audiosession (process "), "\(result)")
      let state = try JSONValue(try await sandbox.audiosession("state", "--json").standardOutput)
      #expect(state["holder"] == .null)
      #expect(state["active"] == .bool(true))
    }
  }

  @Test("a unit that systemd does not accept leaves the holder", .server)
  func refused() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      _ = try await sandbox.audiosession("apply", "test", "--keep")
      let result = try await service(
        sandbox, "install", systemctl: "case $2 in enable) echo no >&2; exit 1;; esac")
      #expect(result.status == 71 && result.standardError.contains("enable"), "\(result)")
      let state = try JSONValue(try await sandbox.audiosession("state", "--json").standardOutput)
      #expect(state["holder"] != .null)
    }
  }

  @Test(
    "stop ends a service that waits for its server, and asks of no service without a unit", .server)
  func waiting() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let folder = sandbox.directory
      _ = try await service(sandbox, "install", systemctl: "case $2 in show) echo 4242;; esac")
      let stop = "PATH=\(folder):$PATH env -u AUDIOSESSION_SANDBOX $A stop"
      let stopped = try await sandbox.shell(": > \(folder)/asked; \(stop)")
      #expect(
        stopped.standardOutput.hasPrefix("Stopped audiosession (process 4242)."), "\(stopped)")
      #expect(try await asked(sandbox).last == "--user stop audiosession.service")
      let own = try await sandbox.shell(": > \(folder)/asked; \(stop) --sandbox")
      #expect(own.standardOutput.contains("nothing to stop"), "\(own)")
      #expect(try await asked(sandbox).isEmpty)
      let other = try await sandbox.shell(
        ": > \(folder)/asked; XDG_STATE_HOME=/other \(stop)")
      #expect(other.standardOutput.contains("nothing to stop"), "\(other)")
      #expect(try await asked(sandbox).isEmpty)
    }
  }

  @Test("without a service manager it says what is left to do", .server)
  func noManager() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await service(
        sandbox, "install", systemctl: "echo Failed to connect to bus >&2; exit 1")
      #expect(result.status == 0)
      #expect(result.standardError.contains("Failed to connect to bus"))
      #expect(
        result.standardOutput.hasSuffix(
          """
          left to do:
            systemctl --user daemon-reload
            systemctl --user enable --now audiosession

          """), "\(result)")
      #expect(try await unit(sandbox).contains("ExecStart="))
    }
  }

  @Test("inside of a sandbox the user's service manager is left alone", .server)
  func inside() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      _ = try await service(sandbox, "status")
      let result = try await sandbox.shell(
        """
        : > $AUDIOSESSION_SANDBOX/asked; export PATH=$AUDIOSESSION_SANDBOX:$PATH
        for each in install status uninstall; do $A service $each || exit 9; done
        """)
      #expect(result.status == 0 && result.standardError.contains("a sandbox has no"), "\(result)")
      // What is typed here would reach the user's own service.
      #expect(!result.standardOutput.contains("systemctl"), "\(result)")
      #expect(try await asked(sandbox).isEmpty)
    }
  }

  @Test("uninstall without a service manager leaves no link, and what it says then works", .server)
  func withoutManager() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      #expect(try await service(sandbox, "install").status == 0)
      let wants = "$XDG_CONFIG_HOME/systemd/user/default.target.wants"
      _ = try await sandbox.shell(
        "mkdir -p \(wants); ln -s ../audiosession.service \(wants)/audiosession.service")
      let result = try await service(
        sandbox, "uninstall", systemctl: "case $2 in show-environment) exit 1;; esac")
      #expect(
        result.status == 0 && result.standardOutput.contains("user stop audiosession"), "\(result)")
      #expect(!result.standardOutput.contains("disable"), "\(result)")
      #expect(try await sandbox.shell("ls \(wants)").standardOutput == "")
    }
  }

  @Test("a unit that somebody else wrote is left, unless --force", .server)
  func foreign() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      _ = try await sandbox.shell(
        """
        mkdir -p $XDG_CONFIG_HOME/systemd/user
        echo '[Unit]' > $XDG_CONFIG_HOME/systemd/user/audiosession.service
        """)
      for command in ["install", "uninstall"] {
        let result = try await service(sandbox, command)
        #expect(result.status == 74 && result.standardError.contains("was not written by"))
        #expect(try await unit(sandbox) == "[Unit]\n")
        #expect(try await asked(sandbox).isEmpty)
      }
      #expect(try await service(sandbox, "install --force").status == 0)
      #expect(try await unit(sandbox).contains("ExecStart="))
    }
  }

  @Test("a service that does not start is 71, and says where to look", .server)
  func failing() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await service(
        sandbox, "install", systemctl: "case $2 in restart) echo no >&2; exit 1;; esac")
      #expect(result.status == 71 && result.standardError.contains("journalctl --user"))
      let stuck = try await service(
        sandbox, "install --timeout 10s", systemctl: "case $2 in restart) sleep 60;; esac")
      #expect(stuck.status == 0 && stuck.standardError.contains("is still at work"), "\(stuck)")
      #expect(!stuck.standardOutput.contains("started"), "\(stuck)")
      let kept = try await service(
        sandbox, "uninstall",
        systemctl: "case $2 in disable) echo 'no such unit' >&2; exit 1;; esac")
      #expect(kept.status == 71 && kept.standardError.contains("no such unit"), "\(kept)")
      #expect(try await unit(sandbox).contains("ExecStart="))
    }
  }

  @Test("status says what is installed, what runs, and who holds", .server)
  func status() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let none = try await service(sandbox, "status")
      #expect(none.standardOutput == "unit    not installed\nholder  none\n", "\(none)")
      let words = "case $2 in is-enabled) echo enabled;; is-active) echo failed; exit 3;; esac"
      _ = try await service(sandbox, "install")
      let json = try JSONValue(
        try await service(sandbox, "status --json", systemctl: words).standardOutput)
      #expect(json.keys == ["schema", "unit", "ours", "enabled", "active", "holder"])
      #expect(json["ours"] == .bool(true) && json["holder"] == .null)
      #expect(json["enabled"] == .string("enabled") && json["active"] == .string("failed"))
      let held = try await sandbox.shell(
        """
        out=$AUDIOSESSION_SANDBOX/out; : > $out
        $A watch podcast > $out 2>&1 & pid=$!
        until grep -q applied $out; do kill -0 $pid || exit 9; pause; done
        $A service; kill $pid; wait $pid; echo $pid
        """)
      let process = held.standardOutput.split(separator: "\n").last ?? ""
      #expect(
        held.standardOutput.contains("holder   audiosession, process \(process)\n"), "\(held)")
    }
  }

  /// Applies with `--keep` beside a service manager that starts the service as one would, and then ends
  /// with a status.
  private func keep(_ sandbox: PulseSandbox, starting status: Int) async throws {
    _ = try await service(sandbox, "install")
    let folder = sandbox.directory
    _ = try await sandbox.write(
      file: "systemctl",
      """
      #!/bin/sh
      echo "$*" >> \(folder)/asked
      AUDIOSESSION_SANDBOX=\(folder)
      case $2 in start) $A watch > $AUDIOSESSION_SANDBOX/out 2>&1 &
        until grep -q applied $AUDIOSESSION_SANDBOX/out; do sleep 0.02; done; exit \(status) ;; esac

      """)
    let result = try await sandbox.shell(
      """
      : > $AUDIOSESSION_SANDBOX/asked; : > $AUDIOSESSION_SANDBOX/out
      PATH=\(folder):$PATH env -u AUDIOSESSION_SANDBOX $A apply podcast --keep || exit 9
      pid=$($A state --json | sed -n 's/.*"holder": .*"pid": \\([0-9]*\\).*/\\1/p')
      kill $pid && tail --pid=$pid -f /dev/null
      """)
    #expect(result.status == 0, "\(result)")
  }

  @Test("apply --keep leaves it to the service, where one is installed and starts", .server)
  func keep() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try await keep(sandbox, starting: 0)
      #expect(try await asked(sandbox).last == "--user start audiosession.service")
    }
  }

  @Test("apply --keep does not fail where another holder was faster", .server)
  func keptByAnother() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      // The holder is there, though its start is said to have failed.
      try await keep(sandbox, starting: 1)
    }
  }

  @Test("watch tells its service manager when it is ready, and when it ends", .server)
  func notifies() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let manager = try Datagrams(path: sandbox.directory + "/notify")
      let result = try await sandbox.shell(
        """
        export NOTIFY_SOCKET=$AUDIOSESSION_SANDBOX/notify out=$AUDIOSESSION_SANDBOX/out; : > $out
        $A apply podcast || exit 9; $A watch > $out 2>&1 & pid=$!
        until grep -q 'applied$' $out; do kill -0 $pid || exit 9; pause; done
        kill $pid; wait $pid
        """)
      #expect(result.status == 143)
      #expect(manager.received() == ["READY=1\nSTATUS=Maintaining podcast", "STOPPING=1"])
    }
  }
}

/// What a service manager listens with.
private struct Datagrams: ~Copyable {
  private let socket: Int32

  init(path: String) throws {
    socket = try boundSocket(SOCK_DGRAM, at: path)
  }

  /// All that has come so far.
  func received() -> [String] {
    var messages: [String] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT)),
      count > 0
    {
      messages.append(String(decoding: buffer[..<count], as: UTF8.self))
    }
    return messages
  }

  deinit { close(socket) }
}
