import ArgumentParser

/// The candidates for a shell: names of files, devices and ports, which are untrusted text.
///
/// Each shell treats a line differently: bash expands it (`compgen -W`), so that `$(…)` in a name
/// would run; zsh takes what follows a colon as a description. So a name is escaped for the
/// requesting shell, and omitted if that is impossible.
enum ShellCandidates {
  /// The names, each as the shell's script needs it.
  static func escaped(_ names: [String], for shell: CompletionShell?) -> [String] {
    names.compactMap { escaped($0, for: shell) }
  }

  private static func escaped(_ name: String, for shell: CompletionShell?) -> String? {
    // A line is one candidate, and a tab begins a description.
    guard visible(name) == name, !name.isEmpty else { return nil }
    switch shell {
    case .bash: return name.backslashed
    // Only a colon can be escaped; a backslash before one would be ambiguous.
    case .zsh: return name.contains("\\") ? nil : name.replacing(":", with: "\\:")
    // fish takes the lines literally, and escapes what it inserts, except for a tilde at the
    // beginning.
    case .fish: return name.hasPrefix("~") ? nil : name
    // A script of an older version does not name its shell.
    default: return name.backslashed == name ? name : nil
    }
  }

  /// A word as typed, without the backslashes that escape it for the shell.
  static func unescaped(_ word: String) -> String {
    var result = ""
    var isEscaped = false
    for character in word {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(character)
        isEscaped = false
      }
    }
    return result
  }
}

extension String {
  /// The text with a backslash before every ASCII character that is special in a shell.
  fileprivate var backslashed: String {
    var result = ""
    for scalar in unicodeScalars {
      let isPlain =
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ":", "@", "+", ",", "%": true
        default: !scalar.isASCII
        }
      if !isPlain { result.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}
