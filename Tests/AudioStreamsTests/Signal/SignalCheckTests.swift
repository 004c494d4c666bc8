import AudioStreams
import Testing

@Suite("What is wrong with a sound")
struct SignalCheckTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var channels: [[Float]]
    var findings: [SignalCheck.Finding]
    var testDescription: String { name }
  }

  static let voice = Fixture.mix(Fixture.sine(220), Fixture.noise(0.05, seed: 1))
  static let other = Fixture.mix(Fixture.sine(220, phase: 0.1), Fixture.noise(0.05, seed: 2))

  static let cases: [Case] = [
    Case(name: "two distinct channels", channels: [voice, other], findings: []),
    Case(name: "one channel", channels: [voice], findings: []),
    Case(name: "no channel", channels: [], findings: [.silent]),
    Case(
      name: "digital silence", channels: [Fixture.silence(), Fixture.silence()],
      findings: [.silent]),
    Case(
      name: "the last bit of 16 flickers",
      channels: [Fixture.noise(1.0 / 65536, seed: 3), Fixture.noise(1.0 / 65536, seed: 4)],
      findings: [.silent]),
    Case(
      name: "the noise of a quiet room at -70 dB",
      channels: [Fixture.noise(0.0005, seed: 3), Fixture.noise(0.0005, seed: 4)], findings: []),
    Case(
      name: "the right one is dead", channels: [voice, Fixture.silence()],
      findings: [.deadChannel(1)]),
    Case(
      name: "the left one is dead, but for an offset",
      channels: [[Float](repeating: 0.001, count: 44100), voice], findings: [.deadChannel(0)]),
    Case(
      name: "two of four are dead",
      channels: [Fixture.silence(), voice, other, Fixture.silence()],
      findings: [.deadChannel(0), .deadChannel(3)]),
    Case(name: "one microphone twice", channels: [voice, voice], findings: [.dualMono(0, 1)]),
    Case(
      name: "… at half the volume, in 16 bits",
      channels: [Fixture.quantized(voice), Fixture.quantized(voice.map { $0 / 2 })],
      findings: [.dualMono(0, 1)]),
    Case(
      name: "… turned round", channels: [voice, voice.map { -$0 }], findings: [.dualMono(0, 1)]),
    Case(
      name: "… with an offset", channels: [voice, voice.map { $0 + 0.005 }],
      findings: [.dualMono(0, 1)]),
    Case(
      name: "the third is the first", channels: [voice, other, voice],
      findings: [.dualMono(0, 2)]),
    Case(
      name: "two microphones that hear nearly the same",
      channels: [voice, Fixture.mix(voice, Fixture.noise(0.002, seed: 5))], findings: []),
    Case(
      name: "the same, three samples later",
      channels: [voice, Array(repeating: 0, count: 3) + voice.dropLast(3)], findings: []),
    Case(
      name: "too loud",
      channels: [voice, Fixture.sine(220, 1.2, phase: 0.1).map { min(1, max(-1, $0)) }],
      findings: [.clipping(1, samples: 16394)]),
    Case(
      name: "one full sample is an accident",
      channels: [[1] + voice.dropFirst(), other], findings: []),
    Case(
      name: "an offset", channels: [voice.map { $0 + 0.0625 }, other],
      findings: [.offset(0, 0.0625)]),
  ]

  @Test("is found", arguments: cases)
  func finds(_ example: Case) {
    let check = SignalCheck(example.channels)
    #expect(check.findings.map(Self.rounded) == example.findings.map(Self.rounded))
    #expect(check.levels.count == example.channels.count)
  }

  /// Numbers that depend on the noise are rounded.
  static func rounded(_ finding: SignalCheck.Finding) -> SignalCheck.Finding {
    switch finding {
    case .clipping(let channel, let samples): .clipping(channel, samples: samples / 1000)
    case .offset(let channel, let value): .offset(channel, (value * 500).rounded() / 500)
    default: finding
    }
  }

  @Test("is measured in levels")
  func levels() {
    let level = SignalLevel.measure(Fixture.sine(441, 0.5).map { $0 + 0.1 })
    #expect(abs(level.peak - 0.6) < 1e-5)
    #expect(abs(level.offset - 0.1) < 1e-5)
    #expect(abs(level.loudness - 0.5 / 2.0.squareRoot()) < 1e-5)
    #expect(abs(decibels(level.loudness) + 9.03) < 0.01)
    #expect(level.clipped == 0 && level.frames == 44100)
    let broken = SignalLevel.measure([.nan, .infinity, 0.5])
    #expect(broken.peak == 0.5 && broken.rms.isFinite)
    #expect(decibels(SignalLevel().peak) == -.infinity)
  }
}
