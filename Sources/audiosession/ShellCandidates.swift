import ArgumentParser

/// What a shell is offered: names of files, devices and ports, which are other people's text.
///
/// Each shell does something else with a line that it gets: bash expands it (`compgen -W`), so that
/// `$(…)` in a name would run; zsh takes what follows a colon as a description. So a name is escaped for
/// the shell that asks, and left out where it cannot be.
enum ShellCandidates {
  /// The names, each as the shell's script must get it.
  static func escaped(_ names: [String], for shell: CompletionShell?) -> [String] {
    names.compactMap { escaped($0, for: shell) }
  }

  private static func escaped(_ name: String, for shell: CompletionShell?) -> String? {
    // A line is one candidate, and a tab begins a description.
    guard visible(name) == name, !name.isEmpty else { return nil }
    switch shell {
    case .bash: return name.backslashed
    // Only a colon can be escaped; a backslash before one could not be told from that.
    case .zsh: return name.contains("\\") ? nil : name.replacing(":", with: "\\:")
    // It takes the lines as they are, and escapes what it inserts, apart from a tilde at the beginning.
    case .fish: return name.hasPrefix("~") ? nil : name
    // A script of an older version does not say which shell it is for.
    default: return name.backslashed == name ? name : nil
    }
  }

  /// A word as it is typed, without the backslashes that keep a shell from acting on it.
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
  /// With a backslash before every ASCII character that could mean something to a shell.
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
