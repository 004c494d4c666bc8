import CAudioKernel

/// A buffer of captured sound with the requested length.
public struct CaptureBuffer: Sendable {
  /// Interleaved samples; full scale is -1 to 1.
  public var samples: [Float]
  /// Samples in a frame.
  public var channels: Int
  /// Frames per second, Hz.
  public var sampleRate: Int
  /// The number of the first frame, counted from 0 at the start, including missing frames.
  public var position: Int64
  /// Approximately when the first frame was captured: the time since the machine started, without
  /// sleep (`CLOCK_MONOTONIC`).
  public var hostTime: Duration
  /// `hostTime` as the time since 1970-01-01 00:00 UTC (`CLOCK_REALTIME`), by that clock as it stood
  /// when the buffer was complete.
  public var epochTime = Duration.zero
  /// Whether a channel is at least as loud as the configuration's `voiceThreshold`.
  public var isVoiceActive = false
  /// The name of the source of the first frame; nil if the server does not report it.
  public var device: String?
  /// The frames that are missing directly before this buffer, and those inside it that are replaced
  /// by silence. Zeros that the server delivered in place of sound for longer than a quarter of a second
  /// are none of them: those that the server does not explain are in `zeros`, and an event reports those
  /// of a tap that had lost its source.
  public var missing: [MissingFrames]
  /// The sources that begin in this buffer, with their first frames.
  package var inputs: [RecordedInput] = []
  /// Frames up to this buffer, or at its beginning, that were delivered as zeros by a tap that had lost its
  /// source. Some of them may be in `missing`, too.
  package var silenced: [MissingFrames] = []
  /// Zeros amid the sound up to the end of this buffer that the server does not explain: they were lost,
  /// or the device itself was muted. Only on PipeWire, and only of hardware; they are known two seconds
  /// after their end, or at a pause. What a slow reader lost of them is in `missing`, too.
  public var zeros: [ZeroFrames] = []
  /// The device's sound since the last buffer, if the configuration requests it; if the device's
  /// format changes within a buffer, only the sound since then.
  public var raw: RawFrames?

  /// Frames in the buffer.
  public var frameLength: Int { samples.count / channels }

  /// The time of the first frame since the start of the capture.
  public var streamTime: Duration { .seconds(Double(position) / Double(sampleRate)) }

  /// The number of missing frames before and in this buffer.
  public var lostFrames: Int { missing.reduce(0) { $0 + $1.frames } }

  /// The number of missing frames directly before this buffer.
  var framesMissingBefore: Int64 {
    missing.reduce(0) { $1.position < position ? $0 + Int64($1.frames) : $0 }
  }

  /// The root mean square of all samples; 0.707 for a full-scale sine.
  public var rms: Float { levels(channel: nil).rms }

  /// The greatest absolute value of all samples.
  public var peak: Float { levels(channel: nil).peak }

  /// The RMS without the DC offset, of the loudest channel; NaN counts as silence.
  var loudness: Double {
    samples.withUnsafeBufferPointer { SignalLevel.measure($0, channels: channels) }
      .map(\.loudness).max() ?? 0
  }

  /// The samples as 16-bit integers, clipped at full scale.
  public var int16Samples: [Int16] {
    [Int16](unsafeUninitializedCapacity: samples.count) { out, count in
      ak_to_int16(samples, out.baseAddress, samples.count)
      count = samples.count
    }
  }

  /// The levels of one channel, or of all; 0 of a channel that there is not.
  public func levels(channel: Int?) -> (rms: Float, peak: Float) {
    let counted = channel == nil ? 1 : channels
    guard (0..<counted).contains(channel ?? 0) else { return (0, 0) }
    let levels = samples.withUnsafeBufferPointer { SignalLevel.measure($0, channels: counted) }
    return (Float(levels[channel ?? 0].rms), Float(levels[channel ?? 0].peak))
  }
}
