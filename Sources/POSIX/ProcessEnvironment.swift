@preconcurrency internal import Glibc  // `environ` is a plain C variable

package enum ProcessEnvironment {
  /// A variable's value; nil if it is not set or empty.
  package static subscript(name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// A variable's path; nil also if it is relative, as the XDG specification requires.
  package static func folder(_ name: String) -> String? {
    self[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// The folder of a user's settings: `XDG_CONFIG_HOME`, otherwise `~/.config`; nil without a home.
  ///
  /// - Parameter value: the value of a variable, if not this process's.
  package static func configFolder(
    _ value: (String) -> String? = { ProcessEnvironment[$0] }
  ) -> String? {
    func folder(_ name: String) -> String? {
      value(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return folder("XDG_CONFIG_HOME") ?? folder("HOME").map { $0 + "/.config" }
  }

  /// The folders of the system's settings: those of `XDG_CONFIG_DIRS`, otherwise `/etc/xdg`.
  package static func systemConfigFolders(
    _ value: (String) -> String? = { ProcessEnvironment[$0] }
  ) -> [String] {
    let listed = value("XDG_CONFIG_DIRS") ?? ""
    return (listed.isEmpty ? "/etc/xdg" : listed).split(separator: ":").map(String.init)
      .filter { $0.hasPrefix("/") }
  }

  /// Where a user's runtime folder usually is: what `XDG_RUNTIME_DIR` names.
  package static var usualRuntimeFolder: String { "/run/user/\(getuid())" }

  /// The user's home: from the variable, otherwise from the system.
  package static var home: String {
    folder("HOME") ?? Accounts.findUser(getuid())?.home ?? "/nonexistent"
  }

  /// All variables, also the empty ones.
  package static var all: [String: String] {
    var result: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee.map({ String(cString: $0) }) {
      entry += 1
      guard let at = text.firstIndex(of: "=") else { continue }
      result[String(text[..<at])] = String(text[text.index(after: at)...])
    }
    return result
  }
}
