/// The channels of a capture.
public enum CaptureChannels: Sendable, Hashable {
  /// One channel, the average of all.
  case mono
  /// One channel of the input, counted from 0.
  case channel(Int)
  /// A number *n* of channels: channel *i* is the average of the input's channels i, i + n, …; if
  /// the input has fewer, they repeat.
  case count(Int)
  /// As many as the input has when the capture starts.
  case device
}
