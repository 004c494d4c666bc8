import Glibc
import POSIX
import SessionCore

/// The configuration files of the sound servers and their clients.
///
/// Files are located as the programs do it, from the variables of the process to which they apply.
struct ConfigurationFiles {
  let environment: [String: String]

  private func variable(_ name: String) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The folder of a user's files; a server of the system has none.
  private var home: String { variable("HOME") ?? "/nonexistent" }
  private var userFolder: String { variable("XDG_CONFIG_HOME") ?? home + "/.config" }

  /// The folder of the user's settings for PulseAudio and its clients.
  var pulseFolder: String { variable("PULSE_CONFIG_PATH") ?? userFolder + "/pulse" }

  /// The file in which a user would change PipeWire's rates.
  var graphPlace: String {
    (variable("HOME") == nil ? "/etc" : userFolder) + "/pipewire/pipewire.conf.d/rates.conf"
  }

  /// The effective file of PulseAudio: the variable's, otherwise the user's, otherwise the
  /// system's.
  func pulseFile(_ name: String, _ variableName: String) -> String {
    if let path = variable(variableName) { return path }
    let own = "\(pulseFolder)/\(name)"
    return access(own, R_OK) == 0 ? own : "/etc/pulse/\(name)"
  }

  var clientSettings: [MachineFacts.Line] {
    Self.withParts(pulseFile("client.conf", "PULSE_CLIENTCONFIG"), ".conf").flatMap(Self.settings)
  }

  var daemonSettings: [MachineFacts.Line] {
    Self.withParts(pulseFile("daemon.conf", "PULSE_CONFIG"), ".conf").flatMap(Self.settings)
  }

  /// PulseAudio's startup file; one for the system has another name, and no user's version.
  func startupFile(isOfSystem: Bool) -> String {
    isOfSystem
      ? variable("PULSE_SCRIPT") ?? "/etc/pulse/system.pa" : pulseFile("default.pa", "PULSE_SCRIPT")
  }

  /// The `load-module` lines of a startup file of PulseAudio.
  static func startup(_ file: String) -> [MachineFacts.Line] {
    withParts(file, ".pa").flatMap { file in
      lines(of: file).compactMap { text, number in
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.first == "load-module", words.count > 1 else { return nil }
        return MachineFacts.Line(
          String(words[1]), words.count > 2 ? String(words[2]) : "", file: file, number: number)
      }
    }
  }

  /// PipeWire's settings: the first file of that name, and the parts in all folders, the system's
  /// first.
  var graphSettings: [MachineFacts.Line] {
    let folders =
      ["/usr/share/pipewire", "/etc/pipewire", userFolder + "/pipewire"]
      + (variable("PIPEWIRE_CONFIG_DIR").map { [$0] } ?? [])
    let main = folders.last { access($0 + "/pipewire.conf", R_OK) == 0 }
    let parts = folders.flatMap { Self.parts($0 + "/pipewire.conf.d", ".conf") }
    return ((main.map { [$0 + "/pipewire.conf"] } ?? []) + parts).flatMap(GraphSettings.read)
  }

  /// The cookie's file: the variable's, otherwise the setting's, otherwise the user's.
  var cookie: String {
    variable("PULSE_COOKIE") ?? clientSettings["cookie-file"]?.value ?? pulseFolder + "/cookie"
  }

  /// A file, and the files of its folder `NAME.d`.
  private static func withParts(_ file: String, _ suffix: String) -> [String] {
    [file] + parts(file + ".d", suffix)
  }

  private static func parts(_ folder: String, _ suffix: String) -> [String] {
    Folder.names(folder).filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
  }

  /// PulseAudio's `key = value` lines.
  private static func settings(_ file: String) -> [MachineFacts.Line] {
    lines(of: file).compactMap { text, number in
      guard let at = text.firstIndex(of: "=") else { return nil }
      let key = String(text[..<at].trimmed)
      guard !key.isEmpty, !key.contains(" ") else { return nil }
      return MachineFacts.Line(
        key, String(text[text.index(after: at)...].trimmed), file: file, number: number)
    }
  }

  /// The lines of a file with their numbers, without comments; empty if it cannot be read.
  private static func lines(of file: String) -> [(String, Int)] {
    File.text(file).split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { (String($1.prefix { $0 != "#" }.trimmed), $0 + 1) }
      .filter { !$0.0.isEmpty && !$0.0.hasPrefix(";") }
  }
}
