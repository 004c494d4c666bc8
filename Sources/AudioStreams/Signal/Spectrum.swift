internal import CAudioKernel
internal import Glibc
internal import PulseTypes

/// The loudness of each part of the audible range.
public struct Spectrum: Sendable, Hashable {
  /// A part of the range.
  public struct Band: Sendable, Hashable, Encodable {
    /// Its lower limit in Hz.
    public var from: Double
    /// Its upper limit in Hz.
    public var to: Double
    /// The amplitude of the loudest sine in it; 1.0 is full scale.
    public var amplitude: Double
  }

  /// From low to high, with equal ratios of their limits.
  public let bands: [Band]

  /// The number of samples of an analysis: 93 ms at 44.1 kHz.
  public static let frames = 4096

  /// Analyzes the last ``frames`` samples of a channel, from 40 Hz to 16 kHz or to the limit of the
  /// rate.
  public init(_ samples: [Float], sampleRate: Double, bands count: Int) {
    let amplitudes = Self.amplitudes(samples.suffix(Self.frames))
    let (low, high) = (40.0, min(16000, sampleRate / 2))
    let width = sampleRate / Double(Self.frames)
    bands = (0..<max(1, count)).map { number in
      let edges = [number, number + 1].map { edge in
        low * pow(high / low, Double(edge) / Double(max(1, count)))
      }
      // A low band may be between two lines of the transform; it then gets the nearest one.
      let lines = edges.map { max(0, min(amplitudes.count, Int(saturating: $0 / width))) }
      let first = min(lines[0], amplitudes.count - 1)
      let inside = amplitudes[first...max(first, lines[1] - 1)]
      return Band(from: edges[0], to: edges[1], amplitude: inside.max() ?? 0)
    }
  }

  /// The amplitude of the sine at each line of the transform, through a Hann window.
  private static func amplitudes(_ samples: ArraySlice<Float>) -> [Double] {
    var real = [Double](repeating: 0, count: frames)
    var imaginary = real
    for (at, sample) in samples.enumerated() {
      // A single NaN would make every line of the transform NaN.
      guard sample.isFinite else { continue }
      real[at] = Double(sample) * (0.5 - 0.5 * cos(2 * Double.pi * Double(at) / Double(frames)))
    }
    _ = ak_fourier(&real, &imaginary, frames, false)
    return (0..<frames / 2).map { line in
      4 * (real[line] * real[line] + imaginary[line] * imaginary[line]).squareRoot()
        / Double(frames)
    }
  }
}
