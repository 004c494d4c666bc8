import PulseSandbox
import Testing

@Suite("Profiles")
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
      let profiles = try #require(try JSON(listed.standardOutput)["profiles"]).array
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
      let path = try sandbox.write(file: "copy.toml", first.standardOutput)
      let mode = try JSON(
        try await sandbox.audiosession("profiles", "show", "podcast", "--json").standardOutput)
      let copy = try JSON(
        try await sandbox.audiosession("profiles", "show", path, "--json").standardOutput)
      #expect(copy["mode"] == mode["mode"])
      #expect(copy["toml"] == mode["toml"])
      #expect(try await sandbox.audiosession("profiles", "show", "nowhere").status == 66)
    }
  }

  @Test("check prints every problem of every file; a good one nothing", .server)
  func check() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let good = try sandbox.write(file: "good.toml", Profiles.podcast)
      let bad = try sandbox.write(
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
      let first = try #require(try JSON(json.standardOutput)["diagnostics"]).array[0]
      #expect(first["line"] == .number(1))
      #expect(first["severity"] == .string("error"))
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
      let json = try JSON(
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
}
