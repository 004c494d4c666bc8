internal import Glibc

/// Sines in recorded samples. A busy machine loses some of a sound: one part without a jump is enough.
package enum Sines {
  /// The first of some frequencies that is not heard as it is, to a thousandth of it; nil where all are.
  package static func absent(
    _ frequencies: [Double], in samples: [Float], rate: Int
  ) -> Double? {
    let parts = stride(from: 0, through: samples.count - rate / 4, by: rate / 4).map {
      samples[$0..<($0 + rate / 4)]
    }
    return frequencies.first { frequency in
      !parts.contains { has(frequency, in: $0, rate) }
    }
  }

  /// Whether a sine is there: the phases of two halves say how far its frequency is off.
  private static func has(
    _ frequency: Double, in part: ArraySlice<Float>, _ rate: Int
  ) -> Bool {
    let half = part.count / 2
    let step = 2 * Double.pi * frequency / Double(rate)
    let (one, two) = (phasor(part.prefix(half), step), phasor(part.suffix(half), step))
    var turned = (two.phase - one.phase - step * Double(half)) / (2 * .pi)
    turned -= turned.rounded()
    let actual = frequency + turned / (Double(half) / Double(rate))
    return min(one.amplitude, two.amplitude) > 0.05 && abs(actual / frequency - 1) < 1e-3
  }

  /// A sine of a frequency in a sound, through a window that shuts out the others.
  private static func phasor(
    _ part: ArraySlice<Float>, _ step: Double
  ) -> (amplitude: Double, phase: Double) {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in part.enumerated() {
      let window = 1 - cos(2 * Double.pi * Double(index) / Double(part.count))
      real += Double(sample) * window * cos(step * Double(index))
      imaginary -= Double(sample) * window * sin(step * Double(index))
    }
    let scale = 2 / Double(part.count)
    return (hypot(real, imaginary) * scale, atan2(imaginary, real))
  }
}
