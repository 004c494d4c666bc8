import PulseTypes
import Testing

@testable import SessionCore

/// Everything that is wrong with a mode by itself, and the words for it.
@Suite struct ValidationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let mode: AudioMode
    let property: String
    let value: String
    let message: String
    let code: SessionError.Code
    var testDescription: String { message }
    init(
      _ property: String, _ value: String, _ message: String,
      _ code: SessionError.Code = .invalidValue, _ change: (inout AudioMode) -> Void
    ) {
      self.property = property
      self.value = value
      self.message = message
      self.code = code
      mode = SessionCoreTests.preferring(change)
    }
  }

  static let long = String(repeating: "a", count: 257)

  static let rows = [
    Row("preferredInput", "[]", "an empty list in preferredInput matches nothing") {
      $0.preferredInput = [.all([])]
    },
    Row("preferredOutput", "{}", "an empty table of properties in preferredOutput matches nothing")
    {
      $0.preferredOutput = [.all([.properties([:]), "*"])]
    },
    Row(
      "inputPort", "type:microphone",
      "\"type:microphone\" in inputPort is no port type; a type is "
        + Words.list(PortType.allCases.map(\.rawValue), last: "or")
    ) {
      $0.inputPort = ["type:mic", "type:microphone"]
    },
    Row(
      "sampleRate", "3999", "sampleRate is 3999 Hz; it must be 4000 to 384000 Hz, such as 48000"
    ) { $0.sampleRate = 3999 },
    Row(
      "sampleRate", "384001",
      "sampleRate is 384001 Hz; it must be 4000 to 384000 Hz, such as 48000"
    ) { $0.sampleRate = 384_001 },
    Row(
      "sampleRate", "-1", "sampleRate is -1 Hz; it must be 4000 to 384000 Hz, such as 48000"
    ) { $0.sampleRate = -1 },
    Row(
      "ioBufferDuration", "0.4 ms",
      "the IO buffer is 0.4 ms; it must be 0.5 ms to 2 s, such as \"10 ms\" or \"256 frames\""
    ) { $0.ioBufferDuration = .duration(.microseconds(400)) },
    Row(
      "ioBufferDuration", "2001.0 ms",
      "the IO buffer is 2001.0 ms; it must be 0.5 ms to 2 s, such as \"10 ms\" or \"256 frames\""
    ) { $0.ioBufferDuration = .milliseconds(2001) },
    Row(
      "ioBufferDuration", "0 frames", "the IO buffer must have at least one frame, not 0"
    ) { $0.ioBufferDuration = .frames(0) },
    Row(
      "ioBufferDuration", "16 frames",
      "the IO buffer is 16 frames; it must be 0.5 ms to 2 s, such as \"10 ms\" or \"256 frames\""
    ) { $0.ioBufferDuration = .frames(16) },
    Row(
      "ioBufferDuration", "\(Int.max) frames",
      "the IO buffer is \(Int.max) frames; it must be 0.5 ms to 2 s, "
        + "such as \"10 ms\" or \"256 frames\""
    ) { $0.ioBufferDuration = .frames(.max) },
    Row(
      "options", "mix-with-others, silence-others",
      "\"mix-with-others\" and \"silence-others\" exclude each other; keep one"
    ) { $0.options = [.mixWithOthers, .silenceOthers] },
    Row(
      "preferredInput", "[]",
      "an empty list of devices matches nothing; leave the key out to keep the device"
    ) { $0.preferredInput = [] },
    Row("preferredOutput", "", "a name in preferredOutput is empty") { $0.preferredOutput = [""] },
    Row("preferredInput", "", "a name in preferredInput is empty") {
      $0.preferredInput = ["default", .all([.portType(.mic), .formFactor("")])]
    },
    Row(
      "preferredInput", String(repeating: "a", count: 40) + "…",
      "a name in preferredInput is 257 bytes long; at most 256 make sense"
    ) { $0.preferredInput = [.name(long)] },
    Row(
      "preferredInput", "a\\nb", "the name \"a\\nb\" in preferredInput has a control character"
    ) { $0.preferredInput = [.properties(["device.bus": "a\nb"])] },
    Row(
      "outputPort", "\\u{1B}[31m",
      "the name \"\\u{1B}[31m\" in outputPort has a control character"
    ) { $0.outputPort = [.type(.hdmi), "\u{1B}[31m"] },
    Row("inputPort", "[]", "an empty list of ports matches nothing; leave the key out") {
      $0.inputPort = []
    },
    Row(
      "inputGain", "301 %",
      "inputGain is 301 %; it must be 0 % to 300 %, such as \"80 %\" or \"-6 dB\""
    ) { $0.inputGain = Volume(fraction: 3.01) },
    Row(
      "outputVolume", "3276800 %",
      "outputVolume is 3276800 %; it must be 0 % to 300 %, such as \"80 %\" or \"-6 dB\""
    ) { $0.outputVolume = .maximum },
    Row(
      "channelMap", "3 channels",
      "channelMap has 3 channels; there are standard layouts for 1 (mono), 2 (stereo), 4 (quad), "
        + "6 (5.1) and 8 (7.1)"
    ) { $0.channelMap = .positions([.frontLeft, .frontRight, .lfe]) },
    Row(
      "outputChannelMap", "0 channels",
      "outputChannelMap has 0 channels; there are standard layouts for 1 (mono), 2 (stereo), "
        + "4 (quad), 6 (5.1) and 8 (7.1)"
    ) { $0.outputChannelMap = .positions([]) },
    Row(
      "inputLatencyOffset", "5001.0 ms",
      "inputLatencyOffset is 5001.0 ms; it must be -5000 to 5000 ms, such as \"20 ms\""
    ) { $0.inputLatencyOffset = .milliseconds(5001) },
    Row(
      "outputLatencyOffset", "-6000.0 ms",
      "outputLatencyOffset is -6000.0 ms; it must be -5000 to 5000 ms, such as \"20 ms\""
    ) { $0.outputLatencyOffset = .seconds(-6) },
    Row(
      "polarPattern", "stereo",
      "a polar pattern and a channel map both say which channels to take; keep one of them"
    ) {
      $0.polarPattern = .stereo
      $0.channelMap = .swap
    },
    Row(
      "polarPattern", "stereo",
      "polar pattern \"stereo\" needs to know the data source: set input.prefer and input.port",
      .missingDataSourceName
    ) {
      $0.polarPattern = .stereo
      $0.preferredInput = ["default"]
    },
    Row(
      "polarPattern", "cardioid",
      "polar pattern \"cardioid\" needs to know the data source: set input.prefer and input.port",
      .missingDataSourceName
    ) {
      $0.polarPattern = .cardioid
      $0.inputPort = [.type(.mic)]
    },
    Row(
      "polarPattern", "subcardioid",
      "\"subcardioid\" cannot be made from the channels of a device; "
        + "stereo, omnidirectional and cardioid can", .polarPatternNotSupported
    ) {
      $0.polarPattern = .subcardioid
      $0.preferredInput = ["default"]
      $0.inputPort = ["*"]
    },
    Row(
      "scope", "application",
      "scope \"application\" cannot combine outputs, because all programs share them; "
        + "category \"multi-route\" needs scope \"server\""
    ) {
      $0.scope = .application
      $0.category = .multiRoute
    },
  ]

  @Test(arguments: rows) func `what is wrong, with what value, and what would work`(_ row: Row) {
    let error = #expect(throws: SessionError.self) { try row.mode.validate() }
    #expect(
      error
        == SessionError(
          row.code, stage: .configuration, row.message, key: row.property, value: row.value))
  }

  static let fine: [AudioMode] = [
    AudioMode(),
    preferring {
      $0.sampleRate = 4000
      $0.ioBufferDuration = .duration(.microseconds(500))
      $0.inputGain = Volume(fraction: 3)
      $0.inputLatencyOffset = .milliseconds(-5000)
      $0.preferredInput = [
        "*", "default", .name(String(repeating: "ä", count: 128)), .portType(.mic),
      ]
      $0.inputPort = [.type(.mic)]
      $0.polarPattern = .stereo
      $0.outputChannelMap = .positions([.mono])
      $0.options = [.silenceOthers, .duckOthers]
      $0.scope = .server
    },
    preferring {
      $0.sampleRate = 384_000
      $0.ioBufferDuration = .frames(192)
      $0.outputLatencyOffset = .seconds(5)
    },
    preferring { $0.ioBufferDuration = .milliseconds(2000) },
  ]

  @Test(arguments: fine) func `what is fine`(_ mode: AudioMode) throws { try mode.validate() }

  @Test func `all properties fit together, but for those that a row excludes`() throws {
    var mode = StateTests.full
    mode.channelMap = .swap
    for row in Property.rows { row.excludes?.property.row.clear(&mode) }
    #expect(mode.channelMap == nil)
    try mode.validate()
  }

  @Test func `numbers that no machine has are errors like others`() {
    for offset in [Duration.seconds(Int64.min), .seconds(Int64.max)] {
      let mode = preferring { $0.outputLatencyOffset = offset }
      #expect(throws: SessionError.self) { try mode.validate() }
      let buffer = preferring { $0.ioBufferDuration = .duration(offset) }
      #expect(throws: SessionError.self) { try buffer.validate() }
    }
  }

  @Test func `frames are judged at the preferred rate`() {
    let few = preferring { $0.ioBufferDuration = .frames(20) }
    #expect(throws: SessionError.self) { try few.validate() }
    var slow = few
    slow.sampleRate = 8000
    #expect(throws: Never.self) { try slow.validate() }
  }

  @Test func `an error prints its alternatives one a line`() {
    let error = SessionError(
      .portNotAvailable, stage: .device, "no port", alternatives: ["a: there", "b: not there"])
    #expect("\(error)" == "no port\n  a: there\n  b: not there")
  }

  @Test func `a layered mode keeps its own and takes the rest`() {
    let base = preferring {
      $0.category = .record
      $0.sampleRate = 44100
      $0.outputMuted = true
      $0.outputLatencyOffset = .milliseconds(3)
    }
    let own = preferring { $0.sampleRate = 48000 }
    let result = own.layered(over: base)
    #expect(result.category == .record)
    #expect(result.sampleRate == 48000)
    #expect(result.outputMuted == true)
    #expect(result.outputLatencyOffset == .milliseconds(3))
    #expect(AudioMode().layered(over: base) == base)
    #expect(base.layered(over: AudioMode()) == base)
  }

  @Test func `reapply as AVAudioSession's flag`() {
    var mode = AudioMode()
    #expect(mode.autoReapplyOnRouteChange)
    mode.autoReapplyOnRouteChange = false
    #expect(mode.reapply == .never)
    mode.autoReapplyOnRouteChange = true
    #expect(mode.reapply == .always)
    mode.reapply = .onRouteChange
    mode.autoReapplyOnRouteChange = true
    #expect(mode.reapply == .onRouteChange)
  }

  /// The store reads back only texts of limited size and depth.
  @Test func `what could not be read back is refused`() throws {
    let deep = (0..<9).reduce(DeviceMatcher.name("x")) { inner, _ in .all([inner]) }
    let many = [DeviceMatcher](repeating: .all([.name("x"), .name("y")]), count: 129)
    for matchers in [[deep], many] {
      #expect(throws: SessionError.self) {
        try preferring { $0.preferredInput = matchers }.validate()
      }
    }
    try preferring {
      $0.preferredInput = [.all([.all([.name("x")])])] + many.dropLast(2)
    }.validate()
  }
}
