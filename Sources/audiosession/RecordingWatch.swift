import AudioStreams

/// Decides what a person who records must know at once: that nothing is heard, that the sound clips, or
/// that the disk is nearly full. Each is reported once, until it was better for a while.
///
/// Pure: what is recorded, and the time that is left, are parameters.
struct RecordingWatch {
  /// How long nothing but silence is recorded before it is reported.
  static let silence = Duration.seconds(3)
  /// The time left on the disk below which it is reported.
  static let shortest = Duration.seconds(600)
  /// What is not louder is silence: -90 dB of full scale.
  private static let quietest: Float = 3.16e-5
  /// From here on a sample counts as clipped.
  private static let fullScale: Float = 0.999

  private var lastSound = Duration.zero
  private var isSilent = false
  private var hasClipped = false
  private var isNearlyFull = false

  /// The warnings that a progress calls for.
  ///
  /// - Parameter left: how much longer the disk has room; nil if that is not known.
  mutating func warnings(_ progress: RecordingProgress, left: Duration?) -> [String] {
    var result: [String] = []
    let now = progress.duration
    if progress.peak > Self.quietest {
      (lastSound, isSilent) = (now, false)
    } else if now - lastSound >= Self.silence, !isSilent {
      isSilent = true
      result.append(
        "nothing but silence for 3 s; is the microphone muted, or is it the wrong input? "
          + "'audiosession doctor' listens to every input")
    }
    if progress.peak >= Self.fullScale, !hasClipped {
      hasClipped = true
      result.append(
        "the sound clips at \(RecordView.clock(now)); lower the gain of the microphone")
    }
    if let left, left < Self.shortest, !isNearlyFull {
      isNearlyFull = true
      result.append("the disk has room for \(RecordView.clock(left)) more")
    }
    return result
  }
}
