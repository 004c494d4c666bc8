import SessionCore
import SessionProfiles
import Testing

/// What a wrong file gets to read: one line a mistake.
struct Mistake: Sendable, CustomTestStringConvertible {
  var text: String
  var message: String
  var code: SessionError.Code = .invalidValue

  init(_ text: String, _ message: String, _ code: SessionError.Code = .invalidValue) {
    self.text = text
    self.message = message
    self.code = code
  }

  var testDescription: String { String(text.prefix(60)) }

  func expect() throws {
    let error = try #require(throws: SessionError.self) {
      try Profile.parse(text, name: "bad", file: "bad.toml")
    }
    #expect(error.message == "bad.toml:" + message)
    #expect(error.code == code)
    #expect(error.stage == .configuration)
  }
}

@Suite struct BadInputTests {
  @Test(arguments: [
    Mistake("sample_rate = 48000", "1:1: unknown key 'sample_rate'; did you mean 'sample-rate'?"),
    Mistake("sampleRate = 48000", "1:1: unknown key 'sampleRate'; did you mean 'sample-rate'?"),
    Mistake(
      "ioBufferDuration = 1",
      "1:1: unknown key 'ioBufferDuration'; did you mean 'buffer-duration'?"),
    Mistake("catgory = 'record'", "1:1: unknown key 'catgory'; did you mean 'category'?"),
    Mistake("gain = '80 %'", "1:1: unknown key 'gain'; did you mean 'input.gain'?"),
    Mistake(
      "[input]\n  gian = '80 %'", "2:3: unknown key 'input.gian'; did you mean 'input.gain'?"),
    Mistake(
      "input.volume = '80 %'", "1:1: unknown key 'input.volume'; did you mean 'input.gain'?"),
    Mistake(
      "[output]\npolar-pattern = 'stereo'",
      "2:1: unknown key 'output.polar-pattern'; did you mean 'input.polar-pattern'?"),
    Mistake(
      "[input]\nsample-rate = 48000",
      "2:1: unknown key 'input.sample-rate'; did you mean 'sample-rate'? "
        + "It belongs above the first [table] of the file"),
    Mistake("[match]\ninput = []", "2:1: unknown key 'match.input'; did you mean 'match.inputs'?"),
    Mistake(
      "[match]\nx = 1", "2:1: unknown key 'match.x'; known here: inputs, outputs"),
    Mistake(
      "[input]\nprefer = [\n  'a',\n  { nam = 'b' },\n]",
      "4:5: unknown key 'nam'; did you mean 'name'?"),
    Mistake(
      "[session]\nprofile = 'x'",
      "1:1: unknown key 'session'; known here: category, mode, echo-canceller, "
        + "unload-idle-echo-canceller, options, sample-rate, buffer-duration, strict, hold-always, reapply, on-failure, scope, schema, description, extends, "
        + "input, output, match"),
  ])
  func `unknown keys, with the nearest known one`(_ mistake: Mistake) throws {
    var mistake = mistake
    mistake.code = .unknownKey
    try mistake.expect()
  }

  @Test(arguments: [
    Mistake(
      "category: record",
      "1:9: this is not TOML: ':' outside a string; a key has its value after '='"),
    Mistake("[input]\nprefer = [}", "2:11: this is not TOML: '}' closes nothing here"),
    Mistake(
      "category = “record”",
      "1:12: this is not TOML: “ is not a quote of TOML's; text is in \"…\" or '…'"),
    Mistake(
      "category = \"record",
      "1:12: this is not TOML: the string that begins here has no closing \" in its line"),
    Mistake("x = truu", "1:5: this is not TOML: 'truu' is not a value; text must be in quotes"),
    Mistake(
      "mode = 'default'\nmode = 'default'",
      "2:1: this is not TOML: 'mode' is set already, in line 1"),
    Mistake(
      "[input]\nmute = true\n[input]",
      "3:1: this is not TOML: 'input' is a table already, in line 1; [input] cannot begin it once "
        + "more"),
    Mistake(
      "sample-rate = 100000000000000000000",
      "1:15: this is not TOML: the number '100000000000000000000' is too large for 64 bits"),
  ])
  func `broken TOML`(_ mistake: Mistake) throws { try mistake.expect() }

  @Test(arguments: [
    Mistake(
      "sample-rate = '48000'",
      "1:1: sample-rate must be a whole number of Hz, such as 48000, not the string \"48000\""),
    Mistake(
      "sample-rate = 44.1",
      "1:1: sample-rate must be a whole number of Hz, such as 48000, not the number 44.1"),
    Mistake(
      "sample-rate = 1979-05-27",
      "1:1: sample-rate must be a whole number of Hz, such as 48000, not a date"),
    Mistake(
      "buffer-duration = 10",
      "1:1: buffer-duration must be a string with a unit, such as \"10 ms\", \"0.01 s\" or "
        + "\"256 frames\", not the number 10"),
    Mistake(
      "input.gain = 80",
      "1:1: input.gain must be a string such as \"80 %\" or \"-6 dB\", not the number 80"),
    Mistake(
      "input.mute = 'yes'",
      "1:1: input.mute must be true or false (without quotes), not the string \"yes\""),
    Mistake(
      "options = 'allow-bluetooth'",
      "1:1: options must be an array of words, such as [\"allow-bluetooth-hfp\"], "
        + "not the string \"allow-bluetooth\""),
    Mistake(
      "input.prefer = 'usb*'",
      "1:1: input.prefer must be an array of names and tables, such as [\"usb*\"], "
        + "not the string \"usb*\""),
    Mistake(
      "input.prefer = ['a', 5]",
      "1:22: an element of input.prefer must be a name or a table, not the number 5"),
    Mistake(
      "input.port = [{}]",
      "1:15: an element of input.port must be a string, such as \"type:mic\", not a table"),
    Mistake(
      "input.prefer = [{ property = { device.bus = 'usb' } }]",
      "1:32: input.prefer property device must be a string; a key with dots needs quotes, "
        + "such as { \"device.bus\" = \"usb\" }, not a table"),
    Mistake(
      "input.channel-map = 5",
      "1:1: input.channel-map must be an array of positions, such as [\"front-left\", "
        + "\"front-right\"], or one of mono, left, right or swap, not the number 5"),
    Mistake(
      "input.prefer = [{ name = 5 }]",
      "1:19: input.prefer name must be a name or a glob, not the number 5"),
    Mistake(
      "input.prefer = [{ all = 'usb*' }]",
      "1:19: input.prefer all must be an array of names and tables, such as [\"usb*\"], "
        + "not the string \"usb*\""),
    Mistake(
      "input = 5",
      "1:1: input must be a table: a line [input] with its keys below, not the number 5"),
    Mistake(
      "[[input]]\nmute = true",
      "1:1: input must be a table: a line [input] with its keys below, not an array"),
    Mistake("schema = '1'", "1:1: schema must be a whole number, such as 1, not the string \"1\""),
    Mistake("description = 1", "1:1: description must be a string, not the number 1"),
  ])
  func `values of the wrong type`(_ mistake: Mistake) throws { try mistake.expect() }

  @Test(arguments: [
    Mistake(
      "category = 'recrod'",
      "1:1: category \"recrod\" is not known; did you mean \"record\"? It can be ambient, "
        + "solo-ambient, playback, record, play-and-record or multi-route"),
    Mistake(
      "input.polar-pattern = 'figure-8'",
      "1:1: input.polar-pattern \"figure-8\" is not known; it can be stereo, omnidirectional, "
        + "cardioid or subcardioid"),
    Mistake(
      "options = [\n  'allow-bluetooth',\n  'dukc-others',\n]",
      "3:3: options \"dukc-others\" is not known; did you mean \"duck-others\"? It can be "
        + "mix-with-others, silence-others, duck-others, interrupt-spoken-audio, "
        + "allow-bluetooth-hfp, allow-bluetooth-a2dp, allow-airplay or default-to-speaker"),
    Mistake(
      "input.port = ['type:phones']",
      "1:15: input.port type \"phones\" is not known; it can be built-in-mic, headset-mic, mic, "
        + "line-in, usb-audio, bluetooth-hfp, bluetooth-a2dp, headphones, speaker, hdmi or "
        + "line-out"),
    Mistake(
      "input.channel-map = 'stereo'",
      "1:1: input.channel-map \"stereo\" is not known; it can be mono, left, right or swap, or an "
        + "array of positions, such as [\"front-left\", \"front-right\"]"),
    Mistake(
      "input.channel-map = 'front-left'",
      "1:1: input.channel-map \"front-left\" is not known; a list of positions is an array: "
        + "[\"front-left\"]"),
    Mistake(
      "schema = 2",
      "1:1: schema 2 is newer than this version reads (1); a newer audiosession can"),
  ])
  func `words that are not known, with those that are`(_ mistake: Mistake) throws {
    try mistake.expect()
  }
}
