import PulseTypes
import SessionCore
import SessionProfiles
import Testing

/// The spellings of each kind of value.
@Suite struct SpellingTests {
  private func mode(_ text: String) throws -> AudioMode {
    try Profile.parse(text, name: "spelling").mode
  }

  @Test(arguments: [
    ("category", "play-and-record"), ("category", "playAndRecord"), ("category", "PlayAndRecord"),
    ("category", "PLAY_AND_RECORD"),
  ])
  func `words are spelled as here or as in AVAudioSession`(key: String, word: String) throws {
    #expect(try mode("\(key) = '\(word)'").category == .playAndRecord)
  }

  @Test(arguments: Orientation.allCases)
  func `every orientation, in both spellings`(_ orientation: Orientation) throws {
    let swift = "\(orientation)"
    #expect(try mode("input.orientation = '\(swift)'").inputOrientation == orientation)
    #expect(
      try mode("input.orientation = '\(orientation.rawValue)'").inputOrientation == orientation)
  }

  @Test(arguments: [
    ("allow-bluetooth", CategoryOption.allowBluetoothHFP),
    ("allow-bluetooth-hfp", .allowBluetoothHFP), ("allowBluetooth", .allowBluetoothHFP),
    ("allowBluetoothHFP", .allowBluetoothHFP), ("allowBluetoothA2DP", .allowBluetoothA2DP),
    ("allowAirPlay", .allowAirPlay), ("mixWithOthers", .mixWithOthers),
    ("interruptSpokenAudioAndMixWithOthers", .interruptSpokenAudio),
    ("silence-others", .silenceOthers),
  ])
  func options(_ word: String, _ option: CategoryOption) throws {
    #expect(try mode("options = ['\(word)']").options == [option])
  }

  @Test(arguments: [
    ("10 ms", BufferDuration.duration(.milliseconds(10))),
    ("10ms", .duration(.milliseconds(10))), ("0.01 s", .duration(.milliseconds(10))),
    ("5.5 ms", .duration(.microseconds(5500))), ("500 us", .duration(.microseconds(500))),
    ("500 \u{B5}s", .duration(.microseconds(500))), ("500 \u{3BC}s", .duration(.microseconds(500))),
    ("256 frames", .frames(256)), ("256frames", .frames(256)), ("256.0 Frames", .frames(256)),
    ("2 s", .duration(.seconds(2))), ("0.5 ms", .duration(.microseconds(500))),
  ])
  func `buffer durations`(_ text: String, _ expected: BufferDuration) throws {
    #expect(try mode("buffer-duration = '\(text)'").ioBufferDuration == expected)
  }

  @Test(arguments: [
    ("80 %", Volume(fraction: 0.8)), ("80%", Volume(fraction: 0.8)), ("0 %", .muted),
    ("100 %", .norm), ("150 %", Volume(fraction: 1.5)), ("33.3 %", Volume(fraction: 0.333)),
    ("-6 dB", Volume(decibels: -6)), ("-6dB", Volume(decibels: -6)), ("0 db", .norm),
    ("+3.5 dB", Volume(decibels: 3.5)),
  ])
  func volumes(_ text: String, _ expected: Volume) throws {
    #expect(try mode("input.gain = '\(text)'").inputGain == expected)
    #expect(try mode("output.volume = '\(text)'").outputVolume == expected)
  }

  @Test(arguments: [
    ("0 ms", Duration.zero), ("-20 ms", .milliseconds(-20)), ("20ms", .milliseconds(20)),
    ("-0.02 s", .milliseconds(-20)), ("1500 us", .microseconds(1500)),
  ])
  func `latency offsets`(_ text: String, _ expected: Duration) throws {
    #expect(try mode("input.latency-offset = '\(text)'").inputLatencyOffset == expected)
    #expect(try mode("output.latency-offset = '\(text)'").outputLatencyOffset == expected)
  }

  @Test(arguments: [
    ("'mono'", ChannelSelection.mono), ("'left'", .left), ("'Right'", .right), ("'swap'", .swap),
    ("['front-right', 'front-left']", .positions([.frontRight, .frontLeft])),
    ("['frontRight', 'FRONT_LEFT']", .positions([.frontRight, .frontLeft])),
    ("['left', 'right']", .positions([.frontLeft, .frontRight])),
    ("['aux0', 'aux31']", .positions([.aux0, .aux31])),
  ])
  func `channel maps`(_ text: String, _ expected: ChannelSelection) throws {
    #expect(try mode("input.channel-map = \(text)").channelMap == expected)
    #expect(try mode("output.channel-map = \(text)").outputChannelMap == expected)
  }

  @Test(arguments: [
    ("'default'", DeviceMatcher.default), ("'alsa_input.*'", .name("alsa_input.*")),
    ("{ port-type = 'headsetMic' }", .portType(.headsetMic)),
    ("{ form-factor = 'headset' }", .formFactor("headset")),
    ("{ property = { 'device.bus' = 'usb' } }", .properties(["device.bus": "usb"])),
    ("{ name = 'bluez*' }", .name("bluez*")), ("{ name = 'default' }", .default),
    (
      "{ property = { 'device.bus' = 'usb' }, port-type = 'mic', name = '*Yeti*' }",
      .all([.properties(["device.bus": "usb"]), .portType(.mic), .name("*Yeti*")])
    ),
    ("{ all = ['a*', '*b'] }", .all([.name("a*"), .name("*b")])),
  ])
  func `device matchers, the keys of one table all counting`(
    _ text: String, _ expected: DeviceMatcher
  ) throws {
    #expect(try mode("[input]\nprefer = [\(text)]").preferredInput == [expected])
    #expect(try mode("[output]\nprefer = [\(text)]").preferredOutput == [expected])
  }

  @Test(arguments: [
    ("analog-input-mic", PortMatcher.name("analog-input-mic")), ("*", .name("*")),
    ("type:mic", .type(.mic)), ("type:builtInMic", .type(.builtInMic)),
    ("type:headphones", .type(.headphones)), ("type:builtInSpeaker", .type(.speaker)),
  ])
  func ports(_ word: String, _ expected: PortMatcher) throws {
    #expect(try mode("input.port = ['\(word)']").inputPort == [expected])
  }

  @Test(arguments: ["", "\n\n", "# only a comment", "\u{FEFF}# a byte order mark\r\n", "[input]\n"])
  func `an empty file is an empty mode`(_ text: String) throws {
    #expect(try mode(text) == AudioMode())
  }

  @Test func `all of TOML's ways to write a table are the same`() throws {
    let table = try mode("[input]\ngain = '80 %'\nmute = true")
    #expect(try mode("input = { gain = '80 %', mute = true }") == table)
    #expect(try mode("input.gain = '80 %'\n\"input\".'mute' = true") == table)
  }
}
