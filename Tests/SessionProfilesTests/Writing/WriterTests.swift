import Foundation
import PulseTypes
import SessionCore
import TestSupport
import Testing

@testable import SessionProfiles

/// What is written reads back as an equal mode, whatever was preferred.
@Suite struct WriterTests {
  @Test func `a mode as people would write it`() throws {
    var mode = AudioMode(category: .record, options: [.duckOthers, .allowBluetoothHFP])
    mode.sampleRate = 48000
    mode.ioBufferDuration = .milliseconds(10)
    mode.preferredInput = [
      "alsa_input.usb-*", .all([.portType(.mic), .properties(["device.bus": "usb"])]), "default",
    ]
    mode.inputPort = [.type(.mic)]
    mode.inputGain = Volume(fraction: 0.8)
    mode.outputMuted = false
    let text = ProfileWriter.toml(
      mode, profile: "podcast", description: "A \"test\"", extra: [("generation", 7)])
    #expect(
      text == """
        description = "A \\"test\\""
        category = "record"
        options = ["allow-bluetooth-hfp", "duck-others"]
        sample-rate = 48000
        buffer-duration = "10 ms"

        [input]
        prefer = ["alsa_input.usb-*", { port-type = "mic", property = { "device.bus" = "usb" } }, \
        "default"]
        port = ["type:mic"]
        gain = "80 %"

        [output]
        mute = false

        [session]
        profile = "podcast"
        generation = 7

        """)
    let parsed = try Profile.parse(text, name: "mode", allowsSession: true)
    #expect(parsed.mode == mode)
    #expect(parsed.description == "A \"test\"")
    #expect(parsed.session == StoredSession(profile: "podcast", numbers: ["generation": 7]))
  }

  @Test func `an empty mode is an empty file`() throws {
    #expect(ProfileWriter.toml(AudioMode()) == "")
    #expect(try Profile.parse("", name: "mode", allowsSession: true).session == nil)
  }

  @Test func `when a profile may be chosen`() throws {
    let match = ProfileMatch(inputs: ["alsa_input.usb-*"], outputs: [.portType(.headphones)])
    let text = ProfileWriter.toml(AudioMode(), match: match)
    #expect(try Profile.parse(text, name: "m").match == match)
  }

  /// Each field by itself and all together, for many values; a field that the format forgets fails.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `every field reads back`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let mode = random.mode()
    let text = ProfileWriter.toml(mode)
    // Extending something leaves the whole unchecked, so that fields may be in any combination.
    let parsed = try Profile.parse("extends = 'x'\n" + text, name: "round")
    #expect(parsed.mode == mode, "\(text)")
    for child in Mirror(reflecting: mode).children {
      #expect(!SeededRandom.isNil(child.value), "the generator leaves \(child.label ?? "") out")
    }
  }

  @Test func `the fuzzer's dictionary has every key`() throws {
    let file = URL(filePath: packageFolder + "/Tests/Fuzz/profile.dict")
    let words = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(Property.rows.map { "\"\($0.name)\"" }.filter { !words.contains($0[...]) } == [])
  }

  @Test func `a device whose name is default is not the default`() throws {
    var mode = AudioMode()
    mode.preferredInput = [.name("default"), .all([.name("default"), .portType(.mic)])]
    let parsed = try Profile.parse(ProfileWriter.toml(mode), name: "round")
    #expect(
      parsed.mode.preferredInput
        == [.name("[d]efault"), .all([.name("[d]efault"), .portType(.mic)])])
  }

  @Test func `the name of a profile is any that a file can have`() throws {
    let name = "a\u{1b}\u{92}\r\n\"é"
    let text = ProfileWriter.toml(AudioMode(), profile: name + "\0", extra: [("active", 1)])
    let parsed = try Profile.parse(text, name: "stored", allowsSession: true)
    #expect(parsed.session?.profile == name)
  }

  @Test func `every volume reads back`() throws {
    var mode = AudioMode()
    for raw in stride(from: UInt32(0), through: 0x30000, by: 61) {
      mode.outputVolume = Volume(rawValue: raw)
      let text = ProfileWriter.toml(mode)
      #expect(try Profile.parse(text, name: "v").mode == mode, "\(text)")
    }
  }
}

/// Modes with every field set, the same for the same seed.
extension SeededRandom {
  fileprivate static func isNil(_ value: Any) -> Bool {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional && mirror.children.isEmpty
  }

  private mutating func one<Value: CaseIterable>(_: Value.Type) -> Value {
    Value.allCases.randomElement(using: &self) ?? Value.allCases.first!
  }

  private mutating func some<Value: CaseIterable & Hashable>(_: Value.Type) -> Set<Value> {
    Set(Value.allCases.filter { _ in Bool.random(using: &self) })
  }

  private mutating func name() -> String {
    let words = ["alsa_*", "\"", "\\", "'", "ü🎙", " ", "#", "[a-z]", "{}", "\t", "\u{1}", "=", "x"]
    return "n" + (0..<3).map { _ in words.randomElement(using: &self) ?? "" }.joined()
  }

  private mutating func matcher(depth: Int = 0) -> DeviceMatcher {
    switch Int.random(in: 0..<(depth < 2 ? 6 : 5), using: &self) {
    case 0: .default
    case 1: .name(name())
    case 2: .properties([name(): name(), "device.bus": "usb"])
    case 3: .formFactor(name())
    case 4: .portType(one(PortType.self))
    default:
      .all((0..<Int.random(in: 1...3, using: &self)).map { _ in matcher(depth: depth + 1) })
    }
  }

  private mutating func ports() -> [PortMatcher] {
    [.name(name()), .type(one(PortType.self))]
  }

  private mutating func channels() -> ChannelSelection {
    let words: [ChannelSelection] = [.mono, .left, .right, .swap]
    return Bool.random(using: &self)
      ? words.randomElement(using: &self) ?? .mono
      : .positions((0..<4).map { _ in one(ChannelPosition.self) })
  }

  private mutating func duration(_ range: ClosedRange<Int64>) -> Duration {
    let attoseconds = Int64.random(in: 0..<1_000_000_000_000_000, using: &self)
    let milliseconds = Duration.milliseconds(Int64.random(in: range, using: &self))
    switch Int.random(in: 0..<3, using: &self) {
    case 0: return milliseconds
    case 1: return milliseconds + .microseconds(7)
    default:
      return milliseconds + Duration(secondsComponent: 0, attosecondsComponent: attoseconds)
    }
  }

  fileprivate mutating func mode() -> AudioMode {
    var mode = AudioMode(
      category: one(Category.self), mode: one(Mode.self), options: some(CategoryOption.self))
    mode.sampleRate = Int.random(in: -5...400_000, using: &self)
    mode.ioBufferDuration =
      Bool.random(using: &self)
      ? .frames(Int.random(in: 1...768_000, using: &self)) : .duration(duration(0...3000))
    mode.echoCanceller = "speex"
    mode.unloadsIdleEchoCanceller = Bool.random(using: &self)
    mode.holdsAlways = Bool.random(using: &self)
    mode.strict = some(Hint.self)
    mode.reapply = one(ReapplyPolicy.self)
    mode.onFailure = one(FailurePolicy.self)
    mode.scope = one(Scope.self)
    // Combined outputs are everybody's.
    if mode.category == .multiRoute { mode.scope = .server }
    mode.preferredInput = (0..<4).map { _ in matcher() }
    mode.inputRequired = Bool.random(using: &self)
    mode.inputPort = ports()
    mode.polarPattern = one(PolarPattern.self)
    mode.inputOrientation = one(Orientation.self)
    mode.channelMap = channels()
    mode.inputGain = Volume(rawValue: UInt32.random(in: 0...0x30000, using: &self))
    mode.gainLock = Bool.random(using: &self)
    mode.inputMuted = Bool.random(using: &self)
    mode.moveInputStreams = Bool.random(using: &self)
    mode.inputLatencyOffset = duration(-5000...5000)
    mode.preferredOutput = (0..<4).map { _ in matcher() }
    mode.outputRequired = Bool.random(using: &self)
    mode.outputPort = ports()
    mode.outputCodec = "sbc \(Int.random(in: 0...9, using: &self))\""
    mode.outputChannelMap = channels()
    mode.outputVolume = Volume(rawValue: UInt32.random(in: 0...0x30000, using: &self))
    mode.outputMuted = Bool.random(using: &self)
    mode.moveOutputStreams = Bool.random(using: &self)
    mode.outputLatencyOffset = duration(-5000...5000)
    return mode
  }
}
