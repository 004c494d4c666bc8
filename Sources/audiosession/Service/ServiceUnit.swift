import AudioSession
import POSIX

/// The systemd user unit that runs `watch`.
enum ServiceUnit {
  static let name = "audiosession.service"

  /// The first line distinguishes a unit that this program wrote.
  static let marker = "# Written by 'audiosession service install'."

  static func isOurs(_ text: String) -> Bool { text.hasPrefix(marker) }

  /// Whether a process belongs to the unit, by its control group.
  static func runs(_ process: Int32) -> Bool {
    File.text("/proc/\(process)/cgroup", atMost: 4096).contains("/\(name)")
  }

  /// The text of the unit's file.
  ///
  /// - Parameters:
  ///   - program: The absolute path of this program.
  ///   - environment: Variables that the service needs and its manager may lack.
  static func text(
    program: String, environment: [(name: String, value: String)] = []
  ) throws(SessionError) -> String {
    let variables = environment.map { "Environment=\(quoted("\($0.name)=\($0.value)"))\n" }
    return """
      \(marker)
      # 'audiosession service uninstall' removes it. To change it: systemctl --user edit audiosession

      [Unit]
      Description=Audio session: maintains the declared audio setup
      # Whichever is installed. Neither is started from here: which server runs is the user's choice.
      After=pulseaudio.service pulseaudio.socket pipewire-pulse.service pipewire-pulse.socket
      # A server may be down for long; trying again costs next to nothing.
      StartLimitIntervalSec=0

      [Service]
      # It is ready when the stored profile is in effect.
      Type=notify
      ExecStart=\(try path(program)) watch
      ExecReload=kill -HUP $MAINPID
      Restart=on-failure
      RestartSec=5
      # What trying again does not fix: wrong usage, a bad or missing profile, an error of the program, a
      # store that cannot be written, access denied.
      RestartPreventExitStatus=\(Status.lasting.map { "\($0.rawValue)" }.joined(separator: " "))
      # Its exit status when it is asked to end.
      SuccessExitStatus=143
      \(variables.joined())
      # It talks to a socket, and writes its own small files. Options that need a file system of their
      # own (ProtectSystem, PrivateTmp) are left out: in a user's unit they work only where users may
      # make namespaces, and a private /tmp would hide the sockets of sound servers that are there.
      NoNewPrivileges=yes
      RestrictSUIDSGID=yes
      LockPersonality=yes
      MemoryDenyWriteExecute=yes
      RestrictNamespaces=yes
      RestrictRealtime=yes
      # The server's socket; a server on another machine, and finding it.
      RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
      SystemCallArchitectures=native
      SystemCallFilter=@system-service
      UMask=0077

      [Install]
      WantedBy=default.target

      """
  }

  /// Whether our unit is installed, for the server and the stored modes that a command uses.
  static func isInstalled(for options: GlobalOptions) -> Bool {
    // A hook has its server as a variable, also if that is the usual one.
    let isOfHook =
      ProcessEnvironment["AUDIOSESSION_SERVER"].map { $0 == ProcessEnvironment["PULSE_SERVER"] }
      == true
    let environment = ServiceInstallCommand.environment.filter {
      $0.name != "PULSE_SERVER" || !isOfHook
    }
    guard options.server == nil, !options.sandbox, let file = try? ServiceFile(),
      let text = try? file.read()
    else { return false }
    return isOurs(text) && has(environment, in: text)
  }

  /// Whether a unit is for the server, and the stored modes, that variables name.
  static func has(_ environment: [(name: String, value: String)], in text: String) -> Bool {
    let names = ["PULSE_SERVER", "XDG_STATE_HOME"]
    let wanted = environment.filter { names.contains($0.name) }
      .map { "Environment=" + quoted("\($0.name)=\($0.value)") }
    let written = text.split(separator: "\n").filter { line in
      names.contains { line.hasPrefix("Environment=\"\($0)=") }
    }
    return Set(wanted) == Set(written.map(String.init))
  }

  /// A program's path in systemd's syntax, which cannot represent some characters.
  private static func path(_ program: String) throws(SessionError) -> String {
    let isPlain = program.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && scalar.value != 0x7f && !"\"'\\".unicodeScalars.contains(scalar)
    }
    guard program.hasPrefix("/"), isPlain else {
      throw SessionError(
        .invalidValue, stage: .configuration,
        "systemd cannot run \(visible(program)): its path has a quote, a backslash or a control "
          + "character; install the program elsewhere",
        value: program)
    }
    // Quotes are for spaces; a percent sign would begin a specifier.
    return "\""
      + program.split(separator: "%", omittingEmptySubsequences: false)
      .joined(separator: "%%") + "\""
  }

  /// A quoted word in systemd's syntax.
  private static func quoted(_ word: String) -> String {
    "\""
      + word.unicodeScalars.map { scalar in
        switch scalar {
        case "%": "%%"
        case "\"", "\\": "\\\(scalar)"
        case "\n": "\\n"
        case "\t": "\\t"
        // A carriage return also ends a line of a unit; other control characters are not allowed in
        // a line.
        case "\u{1}"..."\u{1f}", "\u{7f}":
          (scalar.value < 16 ? "\\x0" : "\\x") + String(scalar.value, radix: 16)
        default: String(scalar)
        }
      }.joined() + "\""
  }
}
