internal import CAudioKernel
internal import Glibc

/// The levels of the samples of one channel; 1.0 is full scale.
public struct SignalLevel: Sendable, Hashable {
  /// The level from which on a sample is at full scale: 0.999.
  package static let fullScale = Float(AK_FULL_SCALE)

  /// The greatest absolute value.
  public let peak: Double
  /// The number of samples at full scale, that is, of at least 0.999.
  public let clipped: Int
  /// The number of samples.
  public let frames: Int
  /// Of all samples, and of their squares.
  private let sum: Double
  private let squares: Double

  /// Makes the level of an empty channel: silence.
  public init() { self.init(ak_meter()) }

  init(_ level: ak_meter) {
    (peak, clipped, frames) = (Double(level.peak), Int(level.clipped), Int(level.frames))
    (sum, squares) = (level.sum, level.sum_of_squares)
  }

  /// The mean of the samples; 0 without an offset.
  public var offset: Double { frames == 0 ? 0 : sum / Double(frames) }
  /// The root mean square, including the offset.
  public var rms: Double { (frames == 0 ? 0 : squares / Double(frames)).squareRoot() }
  /// The root mean square without the offset, that is, of the audible part.
  public var loudness: Double { max(0, rms * rms - offset * offset).squareRoot() }

  /// Measures each channel of interleaved samples.
  public static func measure(_ samples: UnsafeBufferPointer<Float>, channels: Int) -> [SignalLevel]
  {
    var levels = [ak_meter](repeating: ak_meter(), count: channels)
    if let start = samples.baseAddress {
      ak_meter_add(&levels, UInt32(channels), start, samples.count / max(1, channels))
    }
    return levels.map(SignalLevel.init)
  }

  /// Measures one channel.
  public static func measure(_ samples: [Float]) -> SignalLevel {
    samples.withUnsafeBufferPointer { measure($0, channels: 1)[0] }
  }
}

/// A level in decibels of full scale; -∞ for silence.
public func decibels(_ amplitude: Double) -> Double { 20 * log10(amplitude) }

/// The amplitude of a level in decibels of full scale.
public func amplitude(decibels: Double) -> Double { pow(10, decibels / 20) }
