import AudioStreams

/// Decides which warnings a recording needs: it is silent, it clips, or the disk is nearly full.
/// Clipping and the full disk are reported once, silence once until sound returns.
///
/// Pure: the progress and the remaining time are parameters.
struct RecordingWatch {
  /// The duration of silence after which it is reported.
  static let silence = Duration.seconds(3)
  /// The remaining time on the disk below which it is reported.
  static let shortest = Duration.seconds(600)

  private var lastSound = Duration.zero
  private var isSilent = false
  private var hasClipped = false
  private var isNearlyFull = false

  /// The warnings for the current progress.
  ///
  /// - Parameter left: how long it can continue; nil if unknown.
  mutating func warnings(_ progress: RecordingProgress, left: DiskSpace.Room?) -> [String] {
    var result: [String] = []
    let now = progress.duration
    if Double(progress.peak) > SignalCheck.silentLevel {
      (lastSound, isSilent) = (now, false)
    } else if now - lastSound >= Self.silence, !isSilent {
      isSilent = true
      result.append(
        "nothing but silence for 3 s; is the microphone muted, or is it the wrong input? "
          + "'audiosession doctor' listens to every input")
    }
    // The last buffer is one of several since the last look.
    if progress.highestPeak >= SignalLevel.fullScale, !hasClipped {
      hasClipped = true
      result.append(
        "the sound clips at \(RecordView.clock(now)); lower the gain of the microphone")
    }
    if let left, left.time < Self.shortest, !isNearlyFull {
      isNearlyFull = true
      let time = RecordView.clock(left.time)
      result.append(
        left.isOfFormat
          ? "a WAV file ends at 4 GB, in \(time); record the next part into another file, or into FLAC"
          : "the disk has room for \(time) more")
    }
    return result
  }
}
