/// The behavior of a stream (libpulse: `pa_stream_flags_t`).
public struct StreamFlags: OptionSet, Sendable, Hashable {
  /// libpulse's bits.
  public let rawValue: UInt32

  /// Wraps libpulse's bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The stream takes the device's format.
  public static let fixFormat = StreamFlags(rawValue: 0x0040)
  /// The stream takes the device's rate.
  public static let fixRate = StreamFlags(rawValue: 0x0080)
  /// The stream takes the device's channels.
  public static let fixChannels = StreamFlags(rawValue: 0x0100)
  /// Neither clients nor the server can move the stream; it ends with its device.
  public static let dontMove = StreamFlags(rawValue: 0x0200)
  /// Its rate can be changed later; it never changes the device's.
  public static let variableRate = StreamFlags(rawValue: 0x0400)
  /// The stream delivers peaks, for a level meter.
  public static let peakDetect = StreamFlags(rawValue: 0x0800)
}
