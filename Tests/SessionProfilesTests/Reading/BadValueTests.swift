import SessionCore
import SessionProfiles
import Testing

/// Values of the right type that cannot be meant.
@Suite struct BadValueTests {
  private static let many = (0..<33).map { "'aux\($0 % 32)'" }.joined(separator: ", ")
  private static let rate = "it must be 4000 to 384000 Hz, such as 48000"
  private static let buffer = "it must be 0.5 ms to 2 s, such as \"10 ms\" or \"256 frames\""
  private static let layouts = "there are standard layouts for 1 (mono), 2 (stereo), 4 (quad), "

  @Test(arguments: [
    Mistake("sample-rate = 0", "1:1: sample-rate is 0 Hz; \(rate)"),
    Mistake("sample-rate = -1", "1:1: sample-rate is -1 Hz; \(rate)"),
    Mistake("sample-rate = 1_000_000_000", "1:1: sample-rate is 1000000000 Hz; \(rate)"),
    Mistake("buffer-duration = '0 ms'", "1:1: the IO buffer is 0 ms; \(buffer)"),
    Mistake("buffer-duration = '3600 s'", "1:1: the IO buffer is 3600 s; \(buffer)"),
    Mistake("buffer-duration = '-10 ms'", "1:1: the IO buffer is -10 ms; \(buffer)"),
    Mistake("buffer-duration = '1 frame'", "1:1: the IO buffer is 1 frame; \(buffer)"),
    Mistake(
      "buffer-duration = '0 frames'",
      "1:1: the IO buffer must have at least one frame, not 0"),
    Mistake(
      "buffer-duration = '1 hour'",
      "1:1: buffer-duration has the unknown unit \"hour\"; write \"10 ms\", \"0.01 s\", "
        + "\"500 us\" or \"256 frames\""),
    Mistake(
      "buffer-duration = '999999999999 s'",
      "1:1: buffer-duration is 999999999999 s, which is far too long"),
    Mistake(
      "buffer-duration = '9223372036854775807 frames'",
      "1:1: buffer-duration is 9223372036854775807 frames; it must be a whole number of frames "
        + "up to 768000, such as \"256 frames\""),
    Mistake(
      "input.gain = '30 dB'",
      "1:1: input.gain is 30 dB; it must be 0 % to 300 %, such as \"80 %\" or \"-6 dB\""),
    Mistake("input.gain = '-10 %'", "1:1: input.gain is -10 %; it must be 0 % to 300 %"),
    Mistake(
      "output.volume = '301 %'",
      "1:1: output.volume is 301 %; it must be 0 % to 300 %, such as \"80 %\" or \"-6 dB\""),
    Mistake(
      "input.gain = '80 pct'",
      "1:1: input.gain has the unknown unit \"pct\"; write \"80 %\" or \"-6 dB\""),
    Mistake(
      "input.latency-offset = '6 s'",
      "1:1: input.latency-offset is 6 s; it must be -5000 to 5000 ms, such as \"20 ms\""),
    Mistake(
      "scope = 'application'\ncategory = 'multi-route'",
      "1:1: scope \"application\" cannot combine outputs, because all programs share them; "
        + "category \"multi-route\" needs scope \"server\""),
    Mistake(
      "[input]\nchannel-map = [\(many)]",
      "2:1: input.channel-map has 33 channels; \(layouts)6 (5.1) and 8 (7.1)"),
    Mistake(
      "options = ['mix-with-others', 'silence-others']",
      "1:1: \"mix-with-others\" and \"silence-others\" exclude each other; keep one"),
    Mistake(
      "input.prefer = []",
      "1:1: an empty list of devices matches nothing; leave the key out to keep the device"),
    Mistake(
      "input.prefer = [{}]",
      "1:17: an empty table in input.prefer matches nothing; it can have name, port-type, "
        + "form-factor, property or all"),
    Mistake(
      "input.prefer = [{ all = [] }]", "1:19: an empty list in input.prefer all matches nothing"),
    Mistake(
      "input.prefer = [{ property = {} }]",
      "1:19: an empty table in input.prefer property matches nothing"),
  ])
  func `out of range or meaning`(_ mistake: Mistake) throws { try mistake.expect() }

  @Test(arguments: [
    Mistake("input.prefer = ['']", "1:1: a name in input.prefer is empty"),
    Mistake("match.inputs = ['']", "1:1: a name in match.inputs is empty"),
    Mistake("match.outputs = [{ form-factor = '' }]", "1:1: a name in match.outputs is empty"),
    Mistake(
      "input.prefer = [\"a\\u0007b\"]",
      "1:1: the name \"a\\u{07}b\" in input.prefer has a control character"),
    Mistake(
      "input.port = [\"a\\nb\"]", "1:1: the name \"a\\nb\" in input.port has a control character"),
    Mistake("input.prefer = [\"a\\u0000b\"]", "1:19: a string has a NUL character in it"),
    Mistake(
      "input.prefer = ['\(String(repeating: "n", count: 10_000))']",
      "1:1: a name in input.prefer is 10000 bytes long; at most 256 make sense"),
  ])
  func `names that no device has`(_ mistake: Mistake) throws { try mistake.expect() }

  @Test(arguments: [
    Mistake(
      "[input]\npolar-pattern = 'stereo'",
      "2:1: polar pattern \"stereo\" needs to know the data source: set input.prefer and input.port",
      .missingDataSourceName),
    Mistake(
      "[input]\nprefer = ['default']\npolar-pattern = 'stereo'",
      "3:1: polar pattern \"stereo\" needs to know the data source: set input.prefer and input.port",
      .missingDataSourceName),
    Mistake(
      "[input]\nport = ['*']\npolar-pattern = 'cardioid'",
      "3:1: polar pattern \"cardioid\" needs to know the data source: "
        + "set input.prefer and input.port",
      .missingDataSourceName),
    Mistake(
      "[input]\nprefer = ['*']\nport = ['*']\nchannel-map = 'swap'\npolar-pattern = 'stereo'",
      "5:1: a polar pattern and a channel map both say which channels to take; keep one of them"),
    Mistake(
      "[input]\nprefer = ['*']\nport = ['*']\npolar-pattern = 'subcardioid'",
      "4:1: \"subcardioid\" cannot be made from the channels of a device; "
        + "stereo, omnidirectional and cardioid can",
      .polarPatternNotSupported),
  ])
  func `polar patterns`(_ mistake: Mistake) throws { try mistake.expect() }

  @Test func `an error names property and value for programs`() throws {
    let error = try #require(throws: SessionError.self) {
      try Profile.parse("buffer-duration = '3600 s'", name: "bad")
    }
    #expect(error.property == "ioBufferDuration")
    #expect(error.value == "3600 s")
    #expect(error.message.hasPrefix("bad:1:1: "))
  }
}
