import SessionCore
import SessionProfiles
import TestSupport
import Testing

/// All that is wrong with a file, not only the first.
@Suite struct CheckTests {
  private let folder = TemporaryFolder()

  private func check(_ text: String) -> [String] {
    let path = folder.write(text, to: "check.toml")
    return Profile.check(file: path, environment: [:]).map { diagnostic in
      #expect(diagnostic.file == path)
      return diagnostic.description.replacing(path + ":", with: "")
    }
  }

  @Test func `every problem in the order of the file`() {
    let found = check(
      """
      categry = "record"
      sample-rate = 0
      [input]
      prefer = [5, "a", {}]
      polar-pattern = "stereo"
      port = "x"
      gain = "400 %"
      mute = 1
      [output]
      volume = "500 %"
      """)
    #expect(
      found == [
        "1:1: error: unknown key 'categry'; did you mean 'category'?",
        "2:1: error: sample-rate is 0 Hz; it must be 4000 to 384000 Hz, such as 48000",
        "4:11: error: an element of input.prefer must be a name or a table, not the number 5",
        "4:19: error: an empty table in input.prefer matches nothing; it can have name, "
          + "port-type, form-factor, property or all",
        "6:1: error: input.port must be an array of names, globs and types, such as [\"x\"], "
          + "not the string \"x\"",
        "7:1: error: input.gain is 400 %; it must be 0 % to 300 %, such as \"80 %\" or \"-6 dB\"",
        "8:1: error: input.mute must be true or false (without quotes), not the number 1",
        "10:1: error: output.volume is 500 %; it must be 0 % to 300 %, such as \"80 %\" or \"-6 dB\"",
      ])
  }

  @Test func `a good file has nothing to say`() {
    #expect(check("category = 'record'").isEmpty)
    #expect(check("").isEmpty)
  }

  @Test func `what has no effect is a warning, and the profile can be used`() throws {
    #expect(
      check("strict = ['sample-rate', 'buffer-duration']\ninput.gain-lock = true") == [
        "1:1: warning: strict names \"sample-rate\", but no sample-rate is set",
        "1:1: warning: strict names \"buffer-duration\", but no buffer-duration is set",
        "2:1: warning: gain-lock has no gain to hold; set input.gain",
      ])
    _ = try Profile.named(folder.path + "/check.toml")
    #expect(
      check(
        """
        mode = 'measurement'
        reapply = 'never'
        echo-canceller = 'speex'
        input.gain = '50 %'
        input.gain-lock = true
        """) == [
          "3:1: warning: echo-canceller has no effect in the mode \"measurement\"",
          "5:1: warning: gain-lock has no effect beside reapply = \"never\"",
        ])
    #expect(
      check("unload-idle-echo-canceller = true") == [
        "1:1: warning: unload-idle-echo-canceller has no effect without the mode of a call"
      ])
  }

  @Test func `problems of a base are said where it is named`() {
    let base = folder.write("sample-rate = 'x'", to: "base.toml")
    #expect(
      check("mode = 'x'\nextends = 'base'") == [
        "1:1: error: mode \"x\" is not known; it can be default, voice-chat, video-chat, "
          + "game-chat, measurement, movie-playback, video-recording or spoken-audio",
        "2:1: error: extends \"base\": \(base):1:1: sample-rate must be a whole number of Hz, "
          + "such as 48000, not the string \"x\"",
      ])
  }

  @Test func `a file that cannot be read at all`() {
    let missing = Profile.check(file: "/nowhere.toml")
    #expect(missing.map(\.description) == ["/nowhere.toml: error: there is no such file"])
    #expect(missing.map(\.code) == [.profileNotFound])
    #expect(Profile.check(file: folder.path).map(\.code) == [.invalidValue])
  }
}
