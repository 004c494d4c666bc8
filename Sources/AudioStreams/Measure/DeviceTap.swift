internal import CPulseStream
internal import Glibc
internal import Pulse
internal import PulseTypes

/// Records a device as it is: at its own rate, with its own channels, in the pieces that come.
package final class DeviceTap: Sendable {
  /// A piece of sound as the server delivered it.
  package struct Piece: Sendable {
    /// The clock (CLOCK_MONOTONIC, nanoseconds) when its last frame had come.
    package var arrival: Int64
    /// Frames that are missing just before it.
    package var lost: Int
    /// Whether it came together with the piece before: the server delivered both at once.
    package var isContinued: Bool
    /// Interleaved.
    package var samples: [Float]
  }

  /// Hz, of the device.
  package let sampleRate: Int
  /// Samples in a frame.
  package let channels: Int
  private let stream: RealtimeStream

  /// Starts to record.
  ///
  /// - Parameters:
  ///   - server: the server's address; nil means the environment's.
  ///   - device: the source's name; nil follows the default.
  ///   - latency: what the device shall take for all; nil leaves its buffer as it is.
  ///   - handler: called with each piece, one after the other, on a thread of the stream's.
  ///   - onEnd: called last: why the stream ended, nil where it was closed.
  package init(
    server: String?, device: String?, latency: Duration? = nil,
    handler: @escaping @Sendable (Piece) -> Void,
    onEnd: @escaping @Sendable (StreamError?) -> Void = { _ in }
  ) async throws(StreamError) {
    let wish = StreamWish(
      direction: .input, server: server, name: "Measurement", device: device, latency: latency)
    let clock = PieceClock()
    stream = try RealtimeStream(wish) { signal in
      switch signal {
      case .ready(let grant): clock.rate = Int64(grant.rate)
      case .sound(let chunk, let samples): handler(clock.piece(chunk, samples))
      case .ended(let error): onEnd(error)
      case .events, .requested: break
      }
    }
    let grant = try await stream.opened()
    (sampleRate, channels) = (grant.rate, grant.channels)
  }

  /// Ends the recording: no piece comes any more when this returns.
  package func close() async { await stream.close() }

  /// The clock that pieces are timed by, nanoseconds.
  package static var now: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}

/// Turns a stream's chunks into pieces.
private final class PieceClock: @unchecked Sendable {  // used in the stream's handler only
  var rate: Int64 = 1
  private var next: Int64 = 0

  func piece(_ chunk: ps_chunk, _ samples: UnsafeBufferPointer<Float>) -> DeviceTap.Piece {
    let end = chunk.host_ns + Int64(chunk.frames) * 1_000_000_000 / rate
    // Within one delivery the stream advances the time by frames; otherwise it reads the clock
    // again.
    let isContinued = abs(chunk.host_ns - next) <= 1
    next = end
    return DeviceTap.Piece(
      arrival: end, lost: Int(chunk.lost), isContinued: isContinued, samples: Array(samples))
  }
}
