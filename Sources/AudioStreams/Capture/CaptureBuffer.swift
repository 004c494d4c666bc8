import CAudioKernel

/// Frames that are not there, and why.
public struct MissingFrames: Sendable, Hashable, Codable {
  /// Why sound is missing; raw values are used in a recording's sidecar.
  public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// The input changed, or was away.
    case routeChange = "route-change"
    /// The server went and came back.
    case serverReset = "server-reset"
    /// The device was suspended.
    case suspended
    /// The server lost them, or this process was stopped for too long.
    case overrun
    /// The reader of the buffers was slower than the sound for longer than the backlog.
    case slowConsumer = "slow-consumer"
  }

  /// The position of the first one.
  public var position: Int64
  /// How many, at the capture's rate.
  public var frames: Int
  /// Why.
  public var cause: Cause
}

extension [MissingFrames] {
  /// Each stretch as one: those that follow each other for the same reason are put together.
  package func joined() -> [MissingFrames] {
    reduce(into: []) { result, next in
      if let last = result.last, last.cause == next.cause,
        last.position + Int64(last.frames) == next.position
      {
        result[result.count - 1].frames += next.frames
      } else {
        result.append(next)
      }
    }
  }
}

/// What the device gave, before it was converted.
public struct RawFrames: Sendable, Hashable {
  /// Interleaved samples.
  public var samples: [Float]
  /// Hz, of the device.
  public var sampleRate: Int
  /// Samples in a frame.
  public var channels: Int
}

/// Captured sound: so many frames as were asked for.
public struct CaptureBuffer: Sendable {
  /// Interleaved samples, full scale is -1 to 1.
  public var samples: [Float]
  /// Samples in a frame.
  public var channels: Int
  /// Frames in a second, Hz.
  public var sampleRate: Int
  /// The number of the first frame; counts from 0 at the start, missing frames included.
  public var position: Int64
  /// About when the first frame was captured: the time since the machine started, without sleep
  /// (`CLOCK_MONOTONIC`).
  public var hostTime: Duration
  /// The name of the source that the first frame came from; nil where the server does not say.
  public var device: String?
  /// What is missing directly before this buffer, and what is silence inside of it instead.
  public var missing: [MissingFrames]
  /// What the device gave since the last buffer, where the configuration asks for it.
  public var raw: RawFrames?

  /// Frames in the buffer.
  public var frameLength: Int { samples.count / channels }

  /// When the first frame is in the capture's own time.
  public var streamTime: Duration { .seconds(Double(position) / Double(sampleRate)) }

  /// Frames that are missing before and in this buffer.
  public var lostFrames: Int { missing.reduce(0) { $0 + $1.frames } }

  /// The root of the mean square of all samples; a full-scale sine has 0.707.
  public var rms: Float { levels(channel: nil).rms }

  /// The greatest magnitude of all samples.
  public var peak: Float { levels(channel: nil).peak }

  /// The samples as 16-bit integers, clipped at full scale.
  public var int16Samples: [Int16] {
    [Int16](unsafeUninitializedCapacity: samples.count) { out, count in
      ak_to_int16(samples, out.baseAddress, samples.count)
      count = samples.count
    }
  }

  /// The levels of one channel, or of all.
  public func levels(channel: Int?) -> (rms: Float, peak: Float) {
    var (squares, peak) = (0.0, Float(0))
    let (offset, stride) = channel.map { ($0, channels) } ?? (0, 1)
    samples.withUnsafeBufferPointer { samples in
      guard offset < samples.count else { return }
      ak_level(samples.baseAddress! + offset, samples.count - offset, stride, &squares, &peak)
    }
    let count = channel == nil ? samples.count : frameLength
    return (count == 0 ? 0 : Float((squares / Double(count)).squareRoot()), peak)
  }
}
