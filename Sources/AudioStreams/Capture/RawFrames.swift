/// The device's sound before the conversion.
public struct RawFrames: Sendable, Hashable {
  /// Interleaved samples.
  public var samples: [Float]
  /// The device's rate in Hz.
  public var sampleRate: Int
  /// Samples in a frame.
  public var channels: Int
}
