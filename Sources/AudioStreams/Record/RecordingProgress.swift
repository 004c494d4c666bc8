/// The progress of a recording.
public struct RecordingProgress: Sendable, Hashable {
  /// Frames in the file, silence for missing ones included.
  public var frames: Int64 = 0
  /// Hz; 0 before the first buffer.
  public var sampleRate = 0
  /// Samples in a frame.
  public var channels = 0
  /// The gaps: those that were filled with silence, and zeros that the server delivered in place of
  /// sound.
  public var missing: [MissingFrames] = []
  /// Zeros amid the sound that the server does not explain: they were lost, or the device itself was
  /// muted. Only on PipeWire, and only of hardware; they are listed two seconds after their end, or when
  /// the recording pauses or ends.
  public var zeros: [ZeroFrames] = []
  /// The sources of the sound, in order.
  public var inputs: [RecordedInput] = []
  /// The root mean square of the last buffer; full scale is 1.
  public var rms: Float = 0
  /// The greatest magnitude in the last buffer.
  public var peak: Float = 0
  /// The greatest magnitude in the file; 0 is nothing but silence.
  public var highestPeak: Float = 0
  /// How long the input took to deliver the first sound, which is where the file begins.
  package var startDelay = Duration.zero

  /// The frames as time.
  public var duration: Duration {
    sampleRate == 0 ? .zero : .seconds(Double(frames) / Double(sampleRate))
  }
}
