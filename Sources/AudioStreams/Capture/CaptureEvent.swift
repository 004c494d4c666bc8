/// An event of a capture, apart from its buffers.
public enum CaptureEvent: Sendable, Hashable {
  /// The status changed. The timestamp uses the clock of a buffer's `hostTime`.
  case status(CaptureStatus, timestamp: Duration)
  /// The input is tapped at this rate (Hz) with this number of channels; emitted again after each
  /// change.
  case tapped(sampleRate: Int, channels: Int)
  /// The capture now records another source; the value is its name.
  case inputChanged(String)
  /// Something failed. The code is the kind of failure, the details are the server's or a library's
  /// own words.
  case error(StreamError)
}
