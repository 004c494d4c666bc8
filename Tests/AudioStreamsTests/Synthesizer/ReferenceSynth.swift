import AudioStreams
import Glibc

/// What one note ought to sound like, computed another way than the synthesizer does it.
struct ReferenceSynth {
  var rate = 44100.0
  var amplitude = 0.6
  var master = 0.3
  var cutoff = 2000.0
  /// Frames.
  var attack = 441
  var releaseAt: Int
  var release: Int

  func level(_ frame: Int) -> Double {
    if frame >= releaseAt + release { return 0 }
    let held = min(1, Double(min(frame, releaseAt)) / Double(attack))
    return frame < releaseAt ? held : held * (1 - Double(frame - releaseAt) / Double(release))
  }

  /// The samples of a pitch, through a Butterworth low-pass that is written out in full.
  func samples(_ pitch: Int, _ count: Int) -> [Double] {
    let frequency = 440 * pow(2, Double(pitch - 69) / 12)
    let tan = Glibc.tan(Double.pi * cutoff / rate)
    let norm = 1 / (1 + 2.0.squareRoot() * tan + tan * tan)
    let (b, a1, a2) = (
      tan * tan * norm, 2 * (tan * tan - 1) * norm, (1 - 2.0.squareRoot() * tan + tan * tan) * norm
    )
    var (x, y) = ([0.0, 0.0], [0.0, 0.0])
    return (0..<count).map { frame in
      let angle = 2 * Double.pi * frequency * Double(frame) / rate
      let input = sin(angle) * level(frame) * amplitude * master
      let output = b * (input + 2 * x[0] + x[1]) - a1 * y[0] - a2 * y[1]
      x = [input, x[0]]
      y = [output, y[0]]
      return output
    }
  }
}

extension [Float] {
  /// The largest difference between neighbours.
  var largestStep: Double {
    zip(self, dropFirst()).reduce(0) { Swift.max($0, abs(Double($1.1) - Double($1.0))) }
  }

  /// The amplitude of a frequency (Goertzel's algorithm), through a Hann window.
  func amplitude(of frequency: Double, rate: Double) -> Double {
    let coefficient = 2 * cos(2 * Double.pi * frequency / rate)
    var (s1, s2) = (0.0, 0.0)
    for (at, sample) in enumerated() {
      let window = 0.5 - 0.5 * cos(2 * Double.pi * Double(at) / Double(count))
      (s1, s2) = (Double(sample) * window + coefficient * s1 - s2, s1)
    }
    let power = s1 * s1 + s2 * s2 - coefficient * s1 * s2
    return 4 * Swift.max(0, power).squareRoot() / Double(count)
  }
}
