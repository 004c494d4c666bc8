import Glibc

/// Sounds to test with; the same in every run.
enum Fixture {
  static let rate = 44100.0

  static func sine(
    _ frequency: Double, _ amplitude: Double = 0.25, phase: Double = 0, frames: Int = 44100
  ) -> [Float] {
    (0..<frames).map {
      Float(amplitude * sin(2 * Double.pi * (frequency * Double($0) / rate + phase)))
    }
  }

  /// White noise from a seed.
  static func noise(_ amplitude: Double, seed: UInt64, frames: Int = 44100) -> [Float] {
    var state = seed
    return (0..<frames).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(amplitude * (Double(state >> 11) / Double(1 << 52) - 1))
    }
  }

  static func silence(frames: Int = 44100) -> [Float] { [Float](repeating: 0, count: frames) }

  static func mix(_ one: [Float], _ other: [Float]) -> [Float] {
    zip(one, other).map { $0 + $1 }
  }

  /// As a microphone of 16 bits would have it.
  static func quantized(_ sound: [Float]) -> [Float] {
    sound.map { ($0 * 32767).rounded() / 32768 }
  }
}
