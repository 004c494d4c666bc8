import FoundationEssentials
import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("Names that a shell completes", .timeLimit(.minutes(10)))
struct CompletionTests {
  enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// What the shell reads first, so that it knows the completions of a folder's `program`.
    func start(in folder: String) -> String {
      switch self {
      case .bash:
        "env PROMPT_COMMAND=': >\(folder)/ready' bash --noprofile --rcfile '\(folder)/audiosession.bash' -i"
      case .zsh: "env ZDOTDIR='\(folder)' zsh -d -i"
      case .fish: "fish -i -N -C 'source \(folder)/start.fish'"
      }
    }

    /// The file of the completions in a folder.
    var file: String { self == .zsh ? "_audiosession" : "audiosession.\(self)" }
  }

  /// Names of which each would do something where a shell takes it for more than text.
  private static let hostile = [
    "$(touch ran).toml", "`touch ran`.toml", ";touch ran;.toml", "$HOME.toml", "a b.toml",
    "q'u\"o.toml", "{c,d}.toml", "*.toml", "~e.toml", "col:on.toml", "per%cent.toml",
    "<i>|j.toml", "-k.toml", "back\\slash.toml", "é&f#h.toml",
  ]

  /// Types lines with a tab in a real terminal; what the program gets as its last argument, for each.
  private func typed(
    _ lines: [String], _ shell: Shell, _ folder: String, _ sandbox: PulseSandbox
  ) async throws -> [String] {
    // A shell that takes its terminal over may drop what came before, its end too: it is ended then.
    let time = 30 + 5 * lines.count
    let script = """
      cd '\(folder)'
      export PATH='\(folder)/bin':/usr/bin:/bin HOME='\(folder)' TERM=dumb LANG=C.UTF-8 PS1='> '
      rm -f seen ready
      {
        n=0; until [ -e ready ] || [ $n -eq 600 ]; do sleep 0.05; n=$((n + 1)); done
        printf '%b\\nexit\\n' "$LINE"
      } | timeout -s KILL \(time) script -qec "\(shell.start(in: folder))" /dev/null > screen 2>&1
      [ ! -e seen ] || cat seen
      """
    let result = try await sandbox.capture(
      ["env", "LINE=\(lines.joined(separator: "\\n"))", "sh", "-c", script],
      timeout: .seconds(60 + time))
    #expect(result.status == 0, "\(result)")
    return result.standardOutput.split(separator: "\n").map(String.init)
  }

  /// The same of one line; a machine that stands still may show the terminal's end before the tab.
  private func typed(
    _ line: String, _ shell: Shell, _ folder: String, _ sandbox: PulseSandbox
  ) async throws -> String? {
    for number in 1...4 {
      noteTry(number, of: 4)
      if let seen = try await typed([line], shell, folder, sandbox).last { return seen }
    }
    return nil
  }

  /// A folder with the completion script, and a program that says what it was given.
  private func prepare(_ shell: Shell, _ sandbox: PulseSandbox) async throws -> String {
    let folder = sandbox.directory + "/shell"
    let made = try await sandbox.shell(
      """
      set -e
      mkdir -p '\(folder)/bin'; cd '\(folder)'
      cat > bin/audiosession <<'END'
      #!/bin/sh
      case $1 in ---completion) exec '\(builtProgram)' "$@";; esac
      for last; do :; done
      printf '%s\\n' "$last" >> seen
      END
      chmod +x bin/audiosession
      '\(builtProgram)' --generate-completion-script \(shell) > \(shell.file)
      printf 'fpath=("$ZDOTDIR" $fpath)\\nautoload -Uz compinit\\ncompinit -u -D\\n' > .zshrc
      echo "precmd() { : >'\(folder)/ready' }" >> .zshrc
      echo "source '\(folder)/audiosession.fish'
      function ready --on-event fish_prompt; true >'\(folder)/ready'; end" > start.fish
      """)
    try #require(made.status == 0, "\(made)")
    return folder
  }

  @Test(
    "are never run, and come as they are",
    .enabled(
      if: ["bash", "zsh", "fish", "script"].allSatisfy { access("/usr/bin/" + $0, X_OK) == 0 },
      "needs the packages zsh and fish"), .server, arguments: Shell.allCases)
  func names(_ shell: Shell) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let folder = try await prepare(shell, sandbox)
      for (number, name) in Self.hostile.enumerated() {
        mkdir("\(folder)/\(number)", 0o700)
        try Data().write(to: URL(filePath: "\(folder)/\(number)/\(name)"))
      }
      let lines = Self.hostile.indices.map { "audiosession plan \($0)/\\t" }
      let all = try await typed(lines, shell, folder, sandbox)
      for (number, name) in Self.hostile.enumerated() {
        // In zsh's list of candidates a backslash could not be told from one that escapes a colon.
        let isLeftOut = shell == .zsh && name.contains("\\")
        let expected = "\(number)/" + (isLeftOut ? "" : name)
        // A shell may read the next line before its terminal is ready for a tab: then one by one.
        let isSeen = all.contains(expected)
        let seen = isSeen ? expected : try await typed(lines[number], shell, folder, sandbox)
        #expect(seen == expected)
      }
      // All of them at once, listed.
      mkdir("\(folder)/all", 0o700)
      for name in Self.hostile { try Data().write(to: URL(filePath: "\(folder)/all/\(name)")) }
      _ = try await typed("audiosession plan all/\\t\\t", shell, folder, sandbox)
      let ran = try await sandbox.shell("find '\(folder)' -name ran")
      #expect(ran.standardOutput.isEmpty, "a name was run")
      // What has begun with backslashes goes on.
      let begun =
        try await typed(#"audiosession plan all/\\$\\(\t"#, shell, folder, sandbox)
      #expect(begun == "all/$(touch ran).toml")
    }
  }

  @Test(
    "what can be simulated in a sandbox, and its devices",
    .enabled(
      if: ["bash", "zsh", "fish", "script"].allSatisfy { access("/usr/bin/" + $0, X_OK) == 0 },
      "needs the packages zsh and fish"), .server, arguments: Shell.allCases)
  func simulate(_ shell: Shell) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let folder = try await prepare(shell, sandbox)
      for (line, expected) in [
        (#"audiosession sandbox simulate freez\t"#, "freeze"),
        (#"audiosession record x.wav --format flac2\t"#, "flac24"),
        (#"audiosession sandbox simulate suspend spea\t"#, "speakers"),
      ] {
        #expect(try await typed(line, shell, folder, sandbox) == expected, "\(shell)")
      }
    }
  }

  @Test("of devices are escaped for the shell that asks, and left out for one unknown", .pipewire)
  func devices() async throws {
    // PulseAudio takes no such name; PipeWire does.
    let configuration = SandboxConfiguration(
      modules: ["module-null-sink sink_name=plain"], server: .pipewire)
    try await PulseSandbox.with(configuration) { sandbox in
      let loaded = try await sandbox.shell(
        #"pactl load-module module-null-sink 'sink_name="$(touch ran);x:y"'"#)
      try #require(loaded.status == 0, "\(loaded)")
      for (shell, expected) in [
        ("bash", #"\$\(touch\ ran\)\;x:y"#), ("zsh", #"$(touch ran);x\:y"#),
        ("fish", "$(touch ran);x:y"), ("", ""),
      ] {
        let result = try await sandbox.shell(
          """
          \(shell.isEmpty ? "" : "export SAP_SHELL=\(shell)")
          \(builtProgram) ---completion sandbox simulate suspend -- positional@0 4 0 \
            audiosession sandbox simulate suspend ''
          """)
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.contains("plain"), "\(shell): \(result)")
        #expect(lines.filter { $0.contains("touch") } == (expected.isEmpty ? [] : [expected]))
      }
    }
  }
}
