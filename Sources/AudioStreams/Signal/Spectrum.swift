internal import CAudioKernel
internal import Glibc

/// How loud each part of the audible range is.
public struct Spectrum: Sendable, Hashable {
  /// A part of the range.
  public struct Band: Sendable, Hashable {
    /// Where it begins, Hz.
    public var from: Double
    /// Where it ends, Hz.
    public var to: Double
    /// The amplitude of the loudest sine in it; 1.0 is full scale.
    public var amplitude: Double
  }

  /// From low to high; each as many times as wide as the one before.
  public let bands: [Band]

  /// The samples that an analysis takes: 93 ms at 44.1 kHz.
  public static let frames = 4096

  /// Analyses the last ``frames`` samples of a channel, from 40 Hz to 16 kHz or what the rate has.
  public init(_ samples: [Float], sampleRate: Double, bands count: Int) {
    let amplitudes = Self.amplitudes(samples.suffix(Self.frames))
    let (low, high) = (40.0, min(16000, sampleRate / 2))
    let width = sampleRate / Double(Self.frames)
    bands = (0..<max(1, count)).map { number in
      let edges = [number, number + 1].map { edge in
        low * pow(high / low, Double(edge) / Double(max(1, count)))
      }
      // A low band may lie between two lines of the transform: then it has the nearest one.
      let first = Int((edges[0] / width).rounded())
      let last = max(first, Int((edges[1] / width).rounded()) - 1)
      let inside = amplitudes[min(first, amplitudes.count - 1)...min(last, amplitudes.count - 1)]
      return Band(from: edges[0], to: edges[1], amplitude: inside.max() ?? 0)
    }
  }

  /// The amplitude of the sine at each line of the transform, through a Hann window.
  private static func amplitudes(_ samples: ArraySlice<Float>) -> [Double] {
    var real = [Double](repeating: 0, count: frames)
    var imaginary = real
    for (at, sample) in samples.enumerated() {
      // One sample that is no number would make every line of the transform none.
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
