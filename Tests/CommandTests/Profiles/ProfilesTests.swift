import PulseSandbox
import TestSupport
import Testing

@Suite("Profiles", .timeLimit(.minutes(10)))
struct ProfilesTests {
  @Test("the list has the user's and the built-in ones; a broken one says why", .server)
  func list() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "mine", Profiles.podcast)
      try sandbox.write(profile: "broken", "category = 5\n")
      let result = try await sandbox.audiosession("profiles")
      #expect(result.status == 0)
      #expect(result.standardOutput.contains("\nmine "))
      #expect(result.standardOutput.contains("\npodcast "))
      #expect(result.standardOutput.contains("broken.toml:1:"))
      let listed = try await sandbox.audiosession("profiles", "list", "--json")
      let profiles = try #require(try JSONValue(listed.standardOutput)["profiles"]).array
      let mine = try #require(profiles.first { $0["name"] == .string("mine") })
      #expect(mine.keys == ["name", "description", "source", "error"])
      #expect(mine["error"] == .null)
    }
  }

  @Test("what show prints is a profile that means the same", .server)
  func show() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let first = try await sandbox.audiosession("profiles", "show", "podcast")
      #expect(first.status == 0)
      #expect(first.standardOutput.hasPrefix("# podcast: built-in\ndescription = \"Podcast"))
      let path = try await sandbox.write(file: "copy.toml", first.standardOutput)
      let mode = try JSONValue(
        try await sandbox.audiosession("profiles", "show", "podcast", "--json").standardOutput)
      let copy = try JSONValue(
        try await sandbox.audiosession("profiles", "show", path, "--json").standardOutput)
      #expect(copy["mode"] == mode["mode"])
      #expect(copy["toml"] == mode["toml"])
      #expect(try await sandbox.audiosession("profiles", "show", "nowhere").status == 66)
    }
  }

  @Test("check prints every problem of every file; a good one nothing", .server)
  func check() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let good = try await sandbox.write(file: "good.toml", Profiles.podcast)
      let bad = try await sandbox.write(
        file: "bad.toml", "categroy = \"record\"\nsample-rate = 12\n")
      let fine = try await sandbox.audiosession("profiles", "check", good)
      #expect(fine.status == 0 && fine.standardOutput.isEmpty && fine.standardError.isEmpty)
      let result = try await sandbox.audiosession("profiles", "check", good, bad)
      #expect(result.status == 65)
      let lines = result.standardOutput.split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines[0].hasPrefix("\(bad):1:1: error: "))
      #expect(lines[1].hasPrefix("\(bad):2:"))
      let json = try await sandbox.audiosession("profiles", "check", bad, "--json")
      let first = try #require(try JSONValue(json.standardOutput)["diagnostics"]).array[0]
      #expect(first["line"] == .number(1))
      #expect(first["severity"] == .string("error"))
      // A folder with the name of a profile is not meant, nor a file; one with another name is.
      let beside = try await sandbox.shell(
        "cd \(sandbox.directory); mkdir podcast; $A profiles check podcast; echo $?; "
          + "cp bad.toml headset; $A profiles check headset; echo $?; "
          + "cp bad.toml voice; $A profiles check voice | grep -c '^voice:'")
      #expect(beside.standardOutput == "0\n0\n2\n", "\(beside)")
    }
  }

  @Test("check reports every mistake of a drop-in, at its place", .server)
  func checkDropIn() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "mine", "extends = \"podcast\"\n")
      let result = try await sandbox.shell(
        """
        cd $XDG_CONFIG_HOME/audiosession/profiles; mkdir mine.toml.d
        printf 'categroy = 1\\nsample-rate = true\\n' > mine.toml.d/a.toml
        $A profiles check mine --json
        """)
      #expect(result.status == 65, "\(result)")
      let found = OrderedJSON(result.standardOutput)["diagnostics"].array
      #expect(found.map { $0["line"].text } == ["1", "2"], "\(result)")
      for mistake in found {
        #expect(mistake["file"].text?.hasSuffix("/mine.toml.d/a.toml") == true, "\(result)")
      }
      // Of a part, whatever its path is called, not all has to be there.
      let part = try await sandbox.shell(
        """
        cd $XDG_CONFIG_HOME/audiosession/profiles/mine.toml.d
        printf '[input]\\npolar-pattern = "stereo"\\n' > a.toml
        printf 'extends = "podcast"\\n[input]\\nprefer = ["default"]\\nport = ["*"]\\n' > ../mine.toml
        $A profiles check a.toml ./a.toml && ln -s $PWD ../../d && $A profiles check ../../d/a.toml
        """)
      #expect(part.status == 0, "\(part)")
      let shown = try await sandbox.audiosession("profiles", "show", "mine")
      let first = shown.standardOutput.split(separator: "\n").first
      #expect(first?.hasSuffix("/mine.toml.d/a.toml") == true, "\(shown)")
      #expect(first?.contains(", with what it extends: podcast, changed by /") == true)
      let saved = try await sandbox.audiosession("profiles", "save", "mine", "--force")
      #expect(saved.status == 0)
      #expect(saved.standardError.contains("warning: it is still changed by /"), "\(saved)")
    }
  }

  @Test("detect says what fits, the best first, and what is missing", .server)
  func detect() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let none = try await sandbox.audiosession("profiles", "detect")
      #expect(none.standardOutput == "no profile has a [match]; 'profiles save' writes one\n")
      _ = try await sandbox.audiosession("profiles", "save", "here")
      try sandbox.write(profile: "also", "[match]\ninputs = [\"mic\"]\noutputs = [\"speakers\"]\n")
      try sandbox.write(profile: "away", "[match]\ninputs = [\"alsa_input.usb-*\"]\n")
      try sandbox.write(profile: "broken", "categroy = \"record\"\n")
      let result = try await sandbox.audiosession("profiles", "detect")
      #expect(
        result.standardOutput == """
          * also
              fits, 8 points
            here
              fits, 8 points, as many as also, which is first by name
            away
              not there: input alsa_input.usb-*

          """)
      #expect(result.standardError.hasPrefix("audiosession: warning: left out: "))
      let json = try JSONValue(
        try await sandbox.audiosession("profiles", "detect", "--json").standardOutput)
      #expect(json.keys == ["schema", "chosen", "ties", "profiles"])
      #expect(json["chosen"] == .string("also"))
      #expect(json["ties"] == .array([.string("here")]))
      let away = try #require(json["profiles"]?.array.last)
      #expect(
        away.keys == ["name", "description", "source", "fits", "points", "missing"])
      #expect(away["fits"] == .bool(false))
    }
  }

  @Test("edit reports every mistake in JSON", .server)
  func editMistakes() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let editor = try await sandbox.write(
        file: "editor", "#!/bin/sh\nprintf 'sample-rate = 1\\ncategroy = 1\\n' > $1\n")
      let result = try await sandbox.shell(
        "chmod +x \(editor); unset VISUAL; TMPDIR=\(sandbox.directory) EDITOR=\(editor) "
          + "$A profiles edit podcast --json < /dev/null")
      #expect(result.status == 65, "\(result)")
      let json = try JSONValue(result.standardOutput)
      #expect(json["diagnostics"]?.array.count == 2, "\(result)")
      guard case .string(let message)? = json["error"]?["message"] else {
        Issue.record("\(result)")
        return
      }
      #expect(message.contains("the profile is not changed, and your text is in /"))
    }
  }

  @Test(
    "edit leaves alone what another program has written meanwhile, and JSON is all that it prints",
    .server)
  func editMeanwhile() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "desk", "sample-rate = 48000\n")
      let editor = try await sandbox.write(
        file: "editor",
        "#!/bin/sh\necho noise; echo '# mine' >> $1\n"
          + "[ -z \"$OTHER\" ] || echo '# other' >> $OTHER\n")
      let result = try await sandbox.shell(
        """
        chmod +x \(editor); unset VISUAL; export TMPDIR=\(sandbox.directory) EDITOR=\(editor)
        $A profiles edit desk --json || exit 9
        export OTHER=$XDG_CONFIG_HOME/audiosession/profiles/desk.toml
        $A profiles edit desk --json && exit 8
        cat $OTHER
        """)
      #expect(result.status == 0, "\(result)")
      let lines = result.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
      let end = try #require(lines.firstIndex { $0 == "}" }, "\(result)")
      #expect(try JSONValue(lines[...end].joined(separator: "\n"))["changed"] == .bool(true))
      let rest = lines[(end + 1)...].joined(separator: "\n")
      #expect(rest.contains("was changed by another program"), "\(result)")
      #expect(rest.contains("your text is in /"), "\(result)")
      #expect(rest.contains("sample-rate = 48000\n# mine\n# other\n"), "\(result)")
    }
  }

  @Test("edit accepts what is right, and nothing else", .server)
  func edit() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      func edit(_ name: String, _ line: String) async throws -> CommandResult {
        let editor = try await sandbox.write(file: "editor", "#!/bin/sh\nf=$1\n\(line)\n")
        return try await sandbox.shell(
          "chmod +x \(editor); unset VISUAL; TMPDIR=\(sandbox.directory) EDITOR=\(editor) "
            + "$A profiles edit \(name)")
      }
      let same = try await edit("podcast", "true")
      #expect(same.status == 0 && same.standardOutput == "unchanged\n", "\(same)")
      let good = try await edit("podcast", "sed -i 's/48000/44100/' $f")
      #expect(good.status == 0, "\(good)")
      let config = try #require(sandbox.environment["XDG_CONFIG_HOME"])
      let path = "\(config)/audiosession/profiles/podcast.toml"
      #expect(good.standardOutput == "saved: \(path)\n")
      let text = try await sandbox.shell("cat \(path)").standardOutput
      #expect(text.contains("sample-rate = 44100\n") && text.contains("# A voice into"))
      let bad = try await edit("podcast", "echo 'sample-rate = 1' > $f")
      #expect(bad.status == 65)
      #expect(bad.standardError.contains("the profile is not changed, and your text is in /"))
      let failed = try await edit("podcast", "exit 3")
      #expect(failed.status == 65 && !failed.standardError.contains("your text"), "\(failed)")
      let saved = try await edit("podcast", "echo >> $f; exit 3")
      #expect(saved.status == 65 && saved.standardError.contains("your text is in /"), "\(saved)")
      #expect(try await sandbox.shell("cat \(path)").standardOutput == text)
      #expect(try await edit("nosuch", "true").status == 66)
      // From the folder of profiles, where the file could be meant.
      let file = try await sandbox.shell(
        "unset VISUAL; cd $XDG_CONFIG_HOME/audiosession/profiles; "
          + "EDITOR=true $A profiles edit podcast.toml; echo $?; ls")
      #expect(file.standardOutput == "65\npodcast.toml\n", "\(file)")
      #expect(file.standardError.contains("do you mean 'podcast'?"), "\(file)")
      #expect(
        try await sandbox.shell("ls \(sandbox.directory) | grep -c '^profile-'").standardOutput
          == "2\n")
      let latin = try await edit("podcast", #"printf 'description = "\374"\n' > $f"#)
      #expect(latin.status == 65, "\(latin)")
      #expect(latin.standardError.contains(".toml:1:1: this line is not UTF-8"), "\(latin)")
      #expect(latin.standardError.contains("your text is in /"), "\(latin)")
      #expect(try await sandbox.shell("cat \(path)").standardOutput == text)
      // As the profile that it will be: of its name, and beside the files that it names.
      let itself = try await edit("podcast", #"sed -i '1i extends = "podcast"' $f"#)
      #expect(itself.status == 65 && itself.standardError.contains("itself"), "\(itself)")
      try sandbox.write(profile: "base", "sample-rate = 44100\n")
      let beside = try await edit("podcast", #"sed -i '1i extends = "./base.toml"' $f"#)
      #expect(beside.status == 0, "\(beside)")
    }
  }

  @Test("edit checks the text also where a file has the profile's name", .server)
  func editBesideFile() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let editor = try await sandbox.write(
        file: "editor", "#!/bin/sh\necho 'extends = \"nothing\"' > $1\n")
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); : > podcast; chmod +x \(editor); unset VISUAL
        TMPDIR=$PWD EDITOR=\(editor) $A profiles edit podcast; echo $?
        ls $XDG_CONFIG_HOME/audiosession/profiles/podcast.toml 2> /dev/null
        """)
      #expect(result.standardOutput == "66\n", "\(result)")
    }
  }

  @Test("cycle applies the next that fits, and begins anew", .server)
  func cycle() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let none = try await sandbox.audiosession("profiles", "cycle")
      #expect(none.status == 66)
      for name in ["a", "b"] {
        try sandbox.write(
          profile: name,
          "[input]\ngain = \"\(name == "a" ? 30 : 60) %\"\n[match]\ninputs = [\"mic\"]\n")
      }
      for (name, gain) in [("a", 0.3), ("b", 0.6), ("a", 0.3)] {
        let result = try await sandbox.audiosession("profiles", "cycle", "--json")
        #expect(result.status == 0)
        #expect(result.standardError.hasPrefix("audiosession: note: profile \(name)\n"))
        let actual = try JSONValue(result.standardOutput)["properties"]?["inputGain"]?["actual"]
        guard case .number(let number) = actual else {
          Issue.record("no gain: \(result)")
          return
        }
        #expect(abs(number - gain) < 0.001)
      }
    }
  }

  @Test("cycle leaves out a file with mistakes, and says so", .server)
  func cyclePastMistake() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "one", "[match]\ninputs = [\"mic\"]\n")
      try sandbox.write(profile: "two", "categroy = 1\n[match]\ninputs = [\"mic\"]\n")
      let result = try await sandbox.audiosession("profiles", "cycle")
      #expect(result.status == 0, "\(result)")
      let text = result.standardError.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.contains("warning: left out: ") && text.contains("two.toml:1:1: "), "\(result)")
    }
  }

  @Test("cycle leaves out what cannot be applied, and fails if nothing can be", .server)
  func cyclePastFailure() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let match = "[match]\ninputs = [\"mic\"]\n"
      try sandbox.write(profile: "a", Profiles.missing + "\n" + match)
      let none = try await sandbox.audiosession("profiles", "cycle")
      #expect(none.status == 78 && !none.standardError.contains("warning"), "\(none)")
      try sandbox.write(profile: "b", "[input]\ngain = \"30 %\"\n" + match)
      for _ in 1...2 {
        let result = try await sandbox.audiosession("profiles", "cycle")
        #expect(result.status == 0)
        #expect(
          result.standardError.contains("warning: the profile 'a' is left out: "), "\(result)")
        #expect(result.standardError.contains("note: profile b\n"), "\(result)")
      }
    }
  }
}
