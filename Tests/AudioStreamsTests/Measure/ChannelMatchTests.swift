import Testing

@testable import AudioStreams

@Suite("Which hardware channel a channel is")
struct ChannelMatchTests {
  static let left = Fixture.mix(Fixture.sine(440), Fixture.noise(0.02, seed: 1))
  static let right = Fixture.mix(Fixture.sine(880), Fixture.noise(0.02, seed: 2))
  static let mix = zip(left, right).map { ($0 + $1) / 2 }

  /// The same a little later, as another stream has it.
  static func later(_ sound: [Float]) -> [Float] {
    [Float](repeating: 0, count: 321) + sound.dropLast(321)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var heard: [[Float]]
    var hardware = [left, right]
    var matches: [Set<ChannelMatch>]
  }

  static let cases: [Case] = [
    Case(
      testDescription: "as it is", heard: [left, right], matches: [[.channel(0)], [.channel(1)]]),
    Case(
      testDescription: "exchanged", heard: [right, left], matches: [[.channel(1)], [.channel(0)]]),
    Case(testDescription: "one of them", heard: [right], matches: [[.channel(1)]]),
    Case(testDescription: "both mixed", heard: [mix], matches: [[.mix]]),
    Case(
      testDescription: "softer", heard: [left.map { $0 * 0.1 }, right],
      matches: [[.channel(0)], [.channel(1)]]),
    Case(
      testDescription: "silent", heard: [Fixture.silence(), right],
      matches: [[], [.channel(1)]]),
    Case(
      testDescription: "something else", heard: [Fixture.noise(0.2, seed: 9)], matches: [[]]),
    Case(
      testDescription: "hardware that has one channel twice", heard: [left],
      hardware: [left, left],
      matches: [[.channel(0), .channel(1), .mix]]),
    Case(
      testDescription: "one channel of one", heard: [left], hardware: [left],
      matches: [[.channel(0)]]),
  ]

  @Test("is told by its sound", arguments: cases)
  func matches(_ example: Case) {
    let found = ChannelMatch.find(
      example.heard.map(Self.later), in: example.hardware, sampleRate: 44100)
    #expect(found == example.matches)
  }

  @Test("is looked for near its time in a long recording", arguments: [0.3, 10])
  func long(shift: Double) {
    let rate = 8000
    let hardware = [3, 4].map { Fixture.noise(0.2, seed: $0, frames: 60 * rate) }
    let heard = hardware.map { sound in
      Fixture.silence(frames: Int(shift * Double(rate))) + sound
    }
    let found = ChannelMatch.find(heard, in: hardware, sampleRate: rate)
    let matches: [Set<ChannelMatch>] = shift < 1 ? [[.channel(0)], [.channel(1)]] : [[], []]
    #expect(found == matches)
  }

  @Test("nothing was recorded")
  func nothing() {
    #expect(ChannelMatch.find([[]], in: [[]], sampleRate: 44100) == [[]])
    #expect(ChannelMatch.find([], in: [], sampleRate: 44100) == [])
  }
}
