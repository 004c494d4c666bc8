internal import Glibc

/// What a capture is doing.
public enum CaptureStatus: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing has been started yet.
  case notInitialized
  /// It was stopped, and can be started.
  case ready
  /// It connects.
  case starting
  /// Buffers come.
  case streaming
  /// `pauseAudioStream` was called.
  case paused
  /// Something more important has the sound, or the input or the server is away: it goes on by
  /// itself.
  case interrupted
  /// It was stopped; `ready` follows at once.
  case stopped
  /// A start failed; it may be tried again.
  case failed
}

/// Something that happened to a capture, beside its buffers.
public enum CaptureEvent: Sendable, Hashable {
  /// It does something else now. The timestamp is as a buffer's `hostTime`.
  case status(CaptureStatus, timestamp: Duration)
  /// The input is tapped at this rate (Hz) with so many channels; also after each change of it.
  case tapped(sampleRate: Int, channels: Int)
  /// Another source is recorded than before: its name.
  case inputChanged(String)
  /// Something failed; the code says what kind, the details are the server's or library's words.
  case error(StreamError)
}

/// The machine's steady clock, as buffers and events have it.
enum HostClock {
  /// The time since the machine started, without sleep (`CLOCK_MONOTONIC`).
  static var now: Duration { .nanoseconds(nanoseconds) }

  /// The same, as a number.
  static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
