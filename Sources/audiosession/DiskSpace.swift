import AudioStreams
import Glibc

/// How long a recording can continue until the disk is full.
enum DiskSpace {
  /// - Returns: nil for a pipe or a device, and while the rate is unknown.
  static func left(for path: String, _ progress: RecordingProgress, _ format: RecordingFormat)
    -> Duration?
  {
    var file = stat()
    var system = statvfs()
    guard stat(path, &file) == 0, file.st_mode & S_IFMT == S_IFREG, statvfs(path, &system) == 0
    else { return nil }
    let room = Double(system.f_bavail) * Double(system.f_frsize)
    return time(bytes: room, progress, format)
  }

  /// The time that a number of bytes is enough for; FLAC needs fewer.
  static func time(
    bytes: Double, _ progress: RecordingProgress, _ format: RecordingFormat
  ) -> Duration? {
    let rate = Double(progress.sampleRate * progress.channels * format.sampleBytes)
    return rate > 0 ? .seconds(min(bytes / rate, 1e9)) : nil
  }
}
