import Glibc

/// What a sine in a list of samples is like.
struct Tone {
  /// Hz.
  var frequency: Double
  /// The amplitude; 1 is full scale.
  var amplitude: Double
  /// What is left without the sine, in dB below it; infinite for silence, which has no sine.
  var noise: Double

  /// Finds the sine by least squares: the fit of `a sin + b cos + c` whose rest is smallest.
  init(_ samples: [Float], rate: Double, near guess: Double) {
    var (low, high) = (guess * 0.99, guess * 1.01)
    // The first look is coarse, over windows as wide as a fit at this length can still see.
    let width = rate / Double(samples.count) / 2
    var best = guess
    var least = Double.infinity
    for frequency in stride(from: low, through: high, by: width / 4) {
      let rest = Self.fit(samples, rate, frequency).rest
      if rest < least { (best, least) = (frequency, rest) }
    }
    (low, high) = (best - width / 2, best + width / 2)
    for _ in 0..<60 {
      let (a, b) = (low + (high - low) * 0.382, low + (high - low) * 0.618)
      if Self.fit(samples, rate, a).rest < Self.fit(samples, rate, b).rest {
        high = b
      } else {
        low = a
      }
    }
    frequency = (low + high) / 2
    let fit = Self.fit(samples, rate, frequency)
    amplitude = fit.amplitude
    noise =
      fit.amplitude > 0 ? 10 * log10(fit.rest / (fit.amplitude * fit.amplitude / 2)) : .infinity
  }

  /// The amplitude of the best sine of a frequency, and the mean square of what is left.
  static func fit(
    _ samples: [Float], _ rate: Double, _ frequency: Double
  ) -> (amplitude: Double, rest: Double) {
    let step = 2 * Double.pi * frequency / rate
    let count = Double(samples.count)
    var (ss, cc, sc, sx, cx, s1, c1, x1, xx) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let (s, c, x) = (sin(step * Double(index)), cos(step * Double(index)), Double(sample))
      ss += s * s
      cc += c * c
      sc += s * c
      sx += s * x
      cx += c * x
      s1 += s
      c1 += c
      x1 += x
      xx += x * x
    }
    // The mean is taken out of all three first, then two equations are left.
    (ss, cc, sc) = (ss - s1 * s1 / count, cc - c1 * c1 / count, sc - s1 * c1 / count)
    (sx, cx, xx) = (sx - s1 * x1 / count, cx - c1 * x1 / count, xx - x1 * x1 / count)
    let determinant = ss * cc - sc * sc
    let (a, b) = ((sx * cc - cx * sc) / determinant, (cx * ss - sx * sc) / determinant)
    return ((a * a + b * b).squareRoot(), max(0, xx - a * sx - b * cx) / count)
  }
}
