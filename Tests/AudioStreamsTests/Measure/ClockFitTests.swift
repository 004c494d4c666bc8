import Testing

@testable import AudioStreams

@Suite("Frames counted against the clock")
struct ClockFitTests {
  /// Deliveries of so many frames at a rate, each late by up to a millisecond.
  static func points(rate: Double, frames: Int, count: Int) -> [(time: Int64, frames: Int)] {
    let lateness = Fixture.noise(500_000, seed: 11, frames: count).map { Int64($0) + 500_000 }
    return (0..<count).map { number in
      (Int64(Double(number * frames) / rate * 1e9) + lateness[number], number * frames)
    }
  }

  @Test("a true rate is told from a claimed one", arguments: [44100, 44077.5, 47995.2, 8000])
  func rate(_ rate: Double) throws {
    let fit = try #require(ClockFit(Self.points(rate: rate, frames: 441, count: 200)))
    #expect(abs(fit.rate - rate) <= fit.uncertainty)
    #expect(fit.uncertainty < rate * 3e-4)
  }

  @Test("a machine that was busy at the end, or now and then, does not bend it", arguments: 1...6)
  func busy(_ number: Int) throws {
    var points = Self.points(rate: 44100, frames: 441, count: 200)
    // Thirty deliveries in a row, or every fifth one, come up to 60 ms late.
    let late =
      number <= 3
      ? Array((200 - 30 * number)..<(230 - 30 * number))
      : Array(
        stride(from: number, to: 200, by: 5))
    for at in late { points[at].time += Int64(60_000_000 - at % 3 * 20_000_000) }
    let fit = try #require(ClockFit(points))
    #expect(abs(fit.rate - 44100) < 44.1)
  }

  @Test("an even clock leaves no doubt")
  func even() throws {
    let points = (0..<10).map { (time: Int64($0) * 10_000_000, frames: $0 * 441) }
    let fit = try #require(ClockFit(points))
    #expect(abs(fit.rate - 44100) < 1e-6)
    #expect(fit.uncertainty < 1e-6)
  }

  @Test("too little is nothing")
  func little() {
    #expect(ClockFit([]) == nil)
    #expect(ClockFit(Self.points(rate: 44100, frames: 441, count: 4)) == nil)
    #expect(ClockFit([(time: Int64, frames: Int)](repeating: (5, 1), count: 9)) == nil)
  }

  static func piece(
    _ frames: Int, at milliseconds: Int64, lost: Int = 0, continued: Bool = false
  ) -> DeviceTap.Piece {
    DeviceTap.Piece(
      arrival: milliseconds * 1_000_000, lost: lost, isContinued: continued,
      samples: [Float](repeating: Float(milliseconds), count: 2 * frames))
  }

  @Test("pieces of one delivery count as one, and what is lost stays a place in time")
  func pieces() {
    let sound = RecordedSound(
      [
        Self.piece(100, at: 10, lost: 999), Self.piece(50, at: 20),
        Self.piece(50, at: 21, continued: true), Self.piece(100, at: 30, lost: 7),
        Self.piece(100, at: 40),
      ], channels: 2)
    #expect(sound.frames == 407)
    #expect(sound.lost == 7)
    #expect(sound.deliveries == [100, 107, 100])
    #expect(sound.usualDelivery == 100)
    #expect(sound.channels[1][200...206].allSatisfy { $0 == 0 })
    #expect(sound.arrival(of: 99) == 10_000_000)
    #expect(sound.arrival(of: 100) == 21_000_000)
    #expect(sound.arrival(of: 407) == nil)
    #expect(sound.frames(at: 29_000_000) == 200)
    #expect(sound.frames(at: 0) == 0)
  }
}
