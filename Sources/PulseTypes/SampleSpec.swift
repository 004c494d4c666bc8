/// Format, rate and channel count of a device or stream (libpulse: `pa_sample_spec`).
public struct SampleSpec: Sendable, Hashable, Codable {
  /// The format of one sample; nil if the server names a format that this library does not know.
  public var format: SampleFormat?
  /// Frames in a second, Hz.
  public var rate: UInt32
  /// Samples in a frame, 1-32.
  public var channels: UInt8

  /// Makes a spec; the rate in Hz.
  package init(format: SampleFormat?, rate: UInt32, channels: UInt8) {
    self.format = format
    self.rate = rate
    self.channels = channels
  }

  /// The rates that a stream can have, Hz (libpulse: `PA_RATE_MAX`).
  package static let rates = 1...384_000
  /// How many channels a stream can have (libpulse: `PA_CHANNELS_MAX`).
  package static let channelCounts = 1...32

  /// `s16le, 96000 Hz, 2 channels`, for messages.
  package var words: String {
    "\(format?.rawValue ?? "unknown format"), \(rate) Hz, \(channels) channels"
  }

  /// The size of one frame in bytes; 4-byte samples if the format is unknown.
  package var frameBytes: Int { (format?.bytes ?? 4) * Int(channels) }

  /// The number of bytes of the duration, rounded to whole frames, at least one.
  package func bytes(for duration: Duration) -> Int {
    let (bytes, overflow) = Int(max(1, frames(for: duration)))
      .multipliedReportingOverflow(by: frameBytes)
    return overflow ? .max : bytes
  }

  /// The number of frames of the duration, rounded to the nearest.
  package func frames(for duration: Duration) -> Int64 {
    Int64(clamping: (Int128(duration.microseconds) * Int128(rate) + 500_000) / 1_000_000)
  }

  package func duration(ofBytes bytes: Int) -> Duration {
    guard rate > 0, frameBytes > 0 else { return .zero }
    return .microseconds(
      Int64(clamping: Int128(bytes / frameBytes) * 1_000_000 / Int128(rate)))
  }
}
