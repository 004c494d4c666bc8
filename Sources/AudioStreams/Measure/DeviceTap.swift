internal import CPulseStream
import POSIX
package import PulseTypes

/// Records a device in its own format, in the pieces that the server delivers.
package final class DeviceTap: Sendable {
  /// A piece of sound as the server delivered it.
  package struct Piece: Sendable {
    /// The clock (CLOCK_MONOTONIC, nanoseconds) when its last frame had arrived.
    package var arrival: Int64
    /// Frames that are missing directly before it.
    package var lost: Int
    /// Whether the server delivered it together with the previous piece.
    package var isContinued: Bool
    /// Interleaved samples.
    package var samples: [Float]
  }

  /// The device's rate in Hz.
  package let sampleRate: Int
  /// Samples in a frame.
  package let channels: Int
  private let stream: RealtimeStream

  /// Starts to record.
  ///
  /// - Parameters:
  ///   - server: the server's address; nil means the environment's.
  ///   - device: the source's name; nil follows the default.
  ///   - latency: the latency to request from the device; nil does not request one.
  ///   - staysPut: whether the recording ends with its device instead of moving to another one.
  ///   - handler: called with one piece after the other, on a thread of the stream.
  ///   - onEnd: called last, with the error that ended the stream; nil if it was closed.
  package init(
    server: String?, device: String?, latency: Duration? = nil, staysPut: Bool = false,
    handler: @escaping @Sendable (Piece) -> Void,
    onEnd: @escaping @Sendable (StreamError?) -> Void = { _ in }
  ) async throws(StreamError) {
    var request = StreamRequest(
      direction: .input, server: server, name: "Measurement", device: device, latency: latency)
    request.staysPut = staysPut
    let clock = Guarded(PieceClock())
    stream = try RealtimeStream(request) { signal in
      switch signal {
      case .ready(let grant): clock.withLock { $0.rate = grant.rate }
      case .sound(let chunk, let samples): handler(clock.withLock { $0.piece(chunk, samples) })
      case .ended(let error): onEnd(error)
      case .events, .requested: break
      }
    }
    let grant = try await stream.opened()
    (sampleRate, channels) = (grant.rate, grant.channels)
  }

  /// The device that it records now: the server moves a recording of the default.
  package var device: Index<Device> { stream.device }

  /// Whether it stays on a device that is gone, so that nothing more comes.
  package func isLost(in snapshot: ServerSnapshot) -> Bool { stream.isLost(in: snapshot) }

  /// Ends the recording: after this returns, the handler is not called.
  package func close() async { await stream.close() }

  /// The current time of the pieces' clock, in nanoseconds.
  package static var now: Int64 { HostClock.nanoseconds }
}

/// Turns a stream's chunks into pieces.
private struct PieceClock {
  var rate = 1
  private var next: Int64 = 0

  mutating func piece(_ chunk: ps_chunk, _ samples: UnsafeBufferPointer<Float>) -> DeviceTap.Piece {
    let end = chunk.end(rate: rate)
    // Within one delivery the stream advances the time by frames; otherwise it reads the clock
    // again.
    let isContinued = abs(chunk.host_ns - next) <= 1
    next = end
    return DeviceTap.Piece(
      arrival: end, lost: min(Int(chunk.lost), 10 * rate),
      isContinued: isContinued, samples: Array(samples))
  }
}
