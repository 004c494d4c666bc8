import AudioStreams
import Testing

@Suite("A level meter")
struct LevelMeterTests {
  @Test("holds a peak for a second and a half, then lets it fall by 20 dB a second")
  func hold() {
    var meter = LevelMeter()
    let (loud, soft) = (SignalLevel.measure([0.5, -0.5]), SignalLevel.measure([0.01, -0.01]))
    var held: [Double] = []
    for tick in 0...40 {
      let level = tick == 0 ? loud : soft
      let reading = meter.update([level], at: .milliseconds(100 * tick))[0]
      #expect(abs(reading.peak - (tick == 0 ? 0.5 : 0.01)) < 1e-6)
      held.append(reading.hold)
    }
    #expect(held[...15].allSatisfy { $0 == 0.5 })
    #expect(abs(decibels(held[16] / 0.5) + 2) < 1e-6)
    #expect(abs(decibels(held[26] / 0.5) + 22) < 1e-6)
    #expect(abs(held[40] - 0.01) < 1e-6)
    #expect(zip(held, held.dropFirst()).allSatisfy { $0 >= $1 })
  }

  @Test("each channel has its own, and says when it clips")
  func channels() {
    var meter = LevelMeter()
    let readings = meter.update(
      [SignalLevel.measure([0.1, -0.1]), SignalLevel.measure([1, -1])], at: .zero)
    #expect(readings.map(\.isClipping) == [false, true])
    #expect(readings.map(\.hold) == readings.map(\.peak))
    #expect(abs(readings[1].rms - 1) < 1e-6)
    // A channel more, as after a move to another device.
    #expect(meter.update([SignalLevel](repeating: SignalLevel(), count: 3), at: .zero).count == 3)
  }
}
