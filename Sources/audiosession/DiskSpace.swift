import AudioStreams
import Glibc
import POSIX

/// How long a recording can continue: until the disk is full, or the file as long as its format allows.
enum DiskSpace {
  /// The time that is left, and what ends it.
  struct Room: Equatable {
    var time: Duration
    /// Whether it is the format of the file, and not the disk.
    var isOfFormat = false
  }

  /// - Returns: nil for a pipe or a device, and while the rate is unknown.
  static func left(for path: String, _ progress: RecordingProgress, _ format: RecordingFormat)
    -> Room?
  {
    var system = statvfs()
    guard File.status(path)?.isRegular == true, statvfs(path, &system) == 0 else { return nil }
    let free = Double(system.f_bavail) * Double(system.f_frsize)
    return room(free: free, progress, format)
  }

  /// - Parameter free: the bytes that are free on the disk.
  static func room(
    free: Double, _ progress: RecordingProgress, _ format: RecordingFormat
  ) -> Room? {
    let written = Double(progress.frames) * Double(progress.channels * format.sampleBytes)
    let most = format.mostBytes.map { max(0, $0 - written) } ?? .infinity
    return time(bytes: min(free, most), progress, format).map {
      Room(time: $0, isOfFormat: most < free)
    }
  }

  /// The time that a number of bytes is enough for; FLAC needs fewer.
  static func time(
    bytes: Double, _ progress: RecordingProgress, _ format: RecordingFormat
  ) -> Duration? {
    let rate = Double(progress.sampleRate * progress.channels * format.sampleBytes)
    return rate > 0 ? .seconds(min(bytes / rate, 1e9)) : nil
  }
}
