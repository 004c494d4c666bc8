import Glibc
import PulseSandbox
import TestSupport
import Testing

@Suite("Installing", .timeLimit(.minutes(10)))
struct InstallTests {
  /// Completes a line as a shell would: the words that are offered.
  /// What is offered; where that is nothing it is asked for again, for who is asked waits a second only.
  private func complete(_ line: String, in sandbox: PulseSandbox) async throws -> Set<String> {
    for number in 1...20 {
      noteTry(number, of: 20)
      let offered = try await completeOnce(line, in: sandbox)
      if !offered.isEmpty { return offered }
    }
    return []
  }

  private func completeOnce(_ line: String, in sandbox: PulseSandbox) async throws -> Set<String> {
    let result = try await sandbox.capture([
      "env", "PATH=\(sandbox.directory)/root/usr/bin:/usr/bin:/bin", "bash", "-c",
      """
      . \(sandbox.directory)/root/usr/share/bash-completion/completions/audiosession
      COMP_LINE='\(line)'
      COMP_POINT=${#COMP_LINE}
      read -r -a COMP_WORDS <<< "$COMP_LINE"
      case $COMP_LINE in *' ') COMP_WORDS+=('');; esac
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _audiosession audiosession "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """,
    ])
    #expect(result.standardError.isEmpty, "\(result.standardError)")
    return Set(
      result.standardOutput.split(separator: "\n").map {
        String($0.reversed().drop { $0 == " " }.reversed())
      })
  }

  private func install(
    _ arguments: String, of program: String = builtProgram, to place: String? = nil,
    in sandbox: PulseSandbox
  ) async throws -> CommandResult {
    let place = place ?? "DESTDIR=\(sandbox.directory)/root PREFIX=/usr"
    let script = "PROGRAM=$A \(place) \(packageFolder)/.packaging/install \(arguments)"
    return try await sandbox.capture(
      ["env", "A=\(program)", "sh", "-c", script], timeout: .seconds(180))
  }

  @Test("the recipe installs program, man page and completions, and removes them", .server)
  func recipe() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let installed = try await install("", in: sandbox)
      #expect(installed.status == 0, "\(installed)")
      let root = sandbox.directory + "/root/usr"
      let files = try await sandbox.shell("cd \(root) && find . -type f | sort")
      #expect(
        files.standardOutput == """
          ./bin/audiosession
          ./share/bash-completion/completions/audiosession
          ./share/fish/vendor_completions.d/audiosession.fish
          ./share/man/man1/audiosession.1.gz
          ./share/man/man5/audiosession-profile.5.gz
          ./share/man/man7/audiosession-hooks.7.gz
          ./share/man/man7/audiosession-json.7.gz
          ./share/zsh/site-functions/_audiosession

          """)
      let page = try await sandbox.shell("gzip -dc \(root)/share/man/man1/audiosession.1.gz")
        .standardOutput
      #expect(page.hasPrefix(".TH AUDIOSESSION 1 "))
      for part in [
        ".SS audiosession apply", ".SS audiosession profiles save", ".SS audiosession watch",
        ".SH EXIT STATUS", "\\-\\-timeout", "\\fB\\-\\-dry\\-run\\fR",
      ] {
        #expect(page.contains(part), "\(part)")
      }
      #expect(!page.contains("audiosession manual"))
      #expect(try await install("--remove", in: sandbox).status == 0)
      #expect(try await sandbox.shell("find \(root) -type f").standardOutput.isEmpty)
      #expect(try await install("--nonsense", in: sandbox).status == 64)
    }
  }

  @Test(
    "what it installed and made is removed, folders of others and what is in them stay", .server)
  func removal() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      // What the program prints into the files is of no account here.
      let program = try await sandbox.write(file: "program", "#!/bin/sh\necho\n")
      let root = sandbox.directory + "/a b/prefix"
      let place = "PREFIX='\(root)'"
      func run(_ script: String) async throws -> String {
        let result = try await sandbox.shell(script)
        #expect(result.status == 0, "\(result)")
        return result.standardOutput
      }
      func paths() async throws -> String { try await run("cd '\(root)' && find . | sort") }
      _ = try await run("chmod +x '\(program)'")
      // Empty, but somebody else's.
      _ = try await run("mkdir -p '\(root)/share/man'")
      let before = try await paths()
      #expect(try await install("", of: program, to: place, in: sandbox).status == 0)
      let installed = try await paths()
      // Installed anew over itself: what was made the first time is known still.
      #expect(try await install("", of: program, to: place, in: sandbox).status == 0)
      #expect(try await paths() == installed)
      _ = try await run("touch '\(root)/share/zsh/site-functions/_other'")
      for _ in 1...2 {
        #expect(try await install("--remove", to: place, in: sandbox).status == 0)
        #expect(
          try await paths() == """
            .
            ./share
            ./share/man
            ./share/zsh
            ./share/zsh/site-functions
            ./share/zsh/site-functions/_other

            """)
      }
      _ = try await run("rm -r '\(root)/share/zsh'")
      #expect(try await paths() == before)
      // Where there was nothing at all, nothing is left.
      _ = try await run("rm -r '\(sandbox.directory)/a b'")
      #expect(try await install("", of: program, to: place, in: sandbox).status == 0)
      #expect(try await install("--remove", to: place, in: sandbox).status == 0)
      _ = try await run("test ! -e '\(sandbox.directory)/a b'")
    }
  }

  @Test("completions know commands, and profiles and devices as they are now", .server)
  func completions() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try #require(try await install("", in: sandbox).status == 0)
      try sandbox.write(profile: "mine-now", Profiles.podcast)
      #expect(try await complete("audiosession app", in: sandbox) == ["apply"])
      #expect(try await complete("audiosession apply --dry", in: sandbox) == ["--dry-run"])
      let profiles = try await complete("audiosession apply ", in: sandbox)
      #expect(profiles.isSuperset(of: ["podcast", "mine-now"]), "\(profiles)")
      #expect(try await complete("audiosession plan mine", in: sandbox) == ["mine-now"])
      let path = try await sandbox.write(file: "here.toml", "")
      let files = try await complete("audiosession apply \(sandbox.directory)/he", in: sandbox)
      #expect(files == [path])
      let devices = try await complete("audiosession sandbox simulate suspend ", in: sandbox)
      #expect(devices.isSuperset(of: ["mic", "speakers"]), "\(devices)")
      let sources = try await complete("audiosession meter --device sp", in: sandbox)
      #expect(sources == ["speakers.monitor"])
      try await sandbox.terminate()
      _ = try await completeOnce("audiosession sandbox simulate suspend ", in: sandbox)
    }
  }

  @Test(
    "without libpulse's headers the build names the package", .server,
    arguments: ["CPulse/shim.h", "CPulseStream/stream.h"])
  func headers(_ file: String) async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      let result = try await sandbox.shell(
        "gcc -fsyntax-only -nostdinc -I . -x c '\(packageFolder)/Sources/\(file)' 2>&1 | grep -m 1 error"
      )
      #expect(
        result.standardOutput.contains(
          "libpulse's headers are missing; on Debian: apt-get install libpulse-dev"), "\(result)")
    }
  }

  @Test("a Debian package has all of it, and says what it needs", .server)
  func package() async throws {
    try #require(access("/usr/bin/dpkg-deb", X_OK) == 0, "needs the package dpkg")
    try await PulseSandbox.with(.minimal) { sandbox in
      let script =
        "PROGRAM=$A DPKG_DEB_COMPRESSOR_TYPE=none \(packageFolder)/.packaging/deb "
        + sandbox.directory
      // A program with what debuggers need is large; a loaded machine takes its time.
      let built = try await sandbox.capture(
        ["env", "A=\(builtProgram)", "sh", "-c", script], timeout: .seconds(120))
      try #require(built.status == 0, "\(built)")
      let file = String(built.standardOutput.dropLast())
      #expect(file.contains("/audiosession_0."))
      let list = try await sandbox.shell("dpkg-deb -c \(file)").standardOutput
      for path in [
        "./usr/bin/audiosession", "./usr/share/man/man1/audiosession.1.gz",
        "./usr/share/zsh/vendor-completions/_audiosession",
        "./usr/share/doc/audiosession/examples/podcast.toml",
        "./usr/share/doc/audiosession/changelog.gz", "./usr/share/doc/audiosession/copyright",
      ] {
        #expect(list.contains(path), "\(path)")
      }
      #expect(!list.split(separator: "\n").contains { !$0.contains(" root/root ") })
      #expect(!list.contains("folders-made"))
      let depends = try await sandbox.shell("dpkg-deb -f \(file) Depends").standardOutput
      #expect(depends.contains("libpulse0") && depends.contains("libc6"))
    }
  }
}
