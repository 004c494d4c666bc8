internal import Glibc

/// The state of a capture.
public enum CaptureStatus: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing has been started yet.
  case notInitialized
  /// It was stopped, and can be started.
  case ready
  /// The first tap is being opened.
  case starting
  /// Buffers are being delivered.
  case streaming
  /// `pauseAudioStream` was called.
  case paused
  /// Another stream has priority, or the input or the server is away. The capture resumes by
  /// itself, except after an interruption that ends without `shouldResume`.
  case interrupted
  /// It was stopped; `ready` follows at once.
  case stopped
  /// The start or a conversion failed; start again.
  case failed
}

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

/// The machine's monotonic clock, which buffers and events use.
enum HostClock {
  /// The time since the machine started, without sleep (`CLOCK_MONOTONIC`).
  static var now: Duration { .nanoseconds(nanoseconds) }

  /// The same, as a number.
  static var nanoseconds: Int64 { read(CLOCK_MONOTONIC) }

  /// What makes a time of this clock a time since 1970 (`CLOCK_REALTIME`), as both stand now.
  static var epoch: Duration { .nanoseconds(read(CLOCK_REALTIME) - nanoseconds) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
