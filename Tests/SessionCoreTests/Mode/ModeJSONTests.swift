import JSONCoding
import PulseTypes
import Testing

@testable import SessionCore

/// A mode in JSON for other programs.
@Suite struct ModeJSONTests {
  @Test func `every property is there, with the values of a state, null if it is not set`() throws {
    var mode = AudioMode(category: .playAndRecord)
    mode.mode = .voiceChat
    mode.echoCanceller = "webrtc"
    mode.unloadsIdleEchoCanceller = false
    mode.options = [.duckOthers]
    mode.sampleRate = 48000
    mode.ioBufferDuration = .milliseconds(10)
    mode.strict = [.sampleRate, .bufferDuration]
    mode.reapply = .never
    mode.preferredInput = [.default, .properties(["device.bus": "usb"])]
    mode.inputRequired = true
    mode.channelMap = .swap
    mode.inputGain = Volume(fraction: 0.8)
    mode.inputMuted = false
    mode.outputLatencyOffset = .milliseconds(-20)
    let text = String(decoding: try JSON.encode(mode.json), as: UTF8.self)
    let values = try JSON.decode([String: StateValue?].self, from: text.utf8)
    #expect(values.count == Property.allCases.count)
    let set: [Property: StateValue] = [
      .category: .string("play-and-record"), .mode: .string("voice-chat"),
      .echoCanceller: .string("webrtc"), .unloadsIdleEchoCanceller: .flag(false),
      .options: .strings(["duck-others"]), .sampleRate: .number(48000),
      .ioBufferDuration: .number(0.01), .strict: .strings(["buffer-duration", "sample-rate"]),
      .reapply: .string("never"), .preferredInput: .strings(["default", "device.bus=usb"]),
      .inputRequired: .flag(true), .channelMap: .strings(["front-right", "front-left"]),
      .inputGain: .number(0.8),
      .inputMuted: .flag(false), .outputLatencyOffset: .number(-0.02),
    ]
    for property in Property.allCases {
      #expect(values[property.rawValue] == .some(set[property]), "\(property)")
    }
    let places = Property.allCases.map { text.firstRange(of: "\"\($0.rawValue)\":")?.lowerBound }
    #expect(places == places.sorted { ($0 ?? text.endIndex) < ($1 ?? text.endIndex) }, "\(text)")
  }
}
