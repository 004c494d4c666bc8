public import PulseTypes

/// The sizes of a stream's buffers on the server, in bytes of its spec (libpulse: `pa_buffer_attr`).
public struct BufferAttributes: Sendable, Hashable {
  /// The maximum length of the buffer.
  public var maxLength: UInt32
  /// Playback: the fill level that the server maintains.
  public var targetLength: UInt32
  /// Playback: the fill level at which it starts.
  public var prebuffer: UInt32
  /// Playback: the minimum that the server requests at once.
  public var minimumRequest: UInt32
  /// Record: the size of each delivery.
  public var fragmentSize: UInt32

  /// Makes sizes; by default the server chooses each.
  public init(
    maxLength: UInt32 = .max, targetLength: UInt32 = .max, prebuffer: UInt32 = .max,
    minimumRequest: UInt32 = .max, fragmentSize: UInt32 = .max
  ) {
    self.maxLength = maxLength
    self.targetLength = targetLength
    self.prebuffer = prebuffer
    self.minimumRequest = minimumRequest
    self.fragmentSize = fragmentSize
  }

  /// Makes the sizes that request a latency from the device.
  ///
  /// PulseAudio gives the device a record stream's fragment, and (target - 2 · request) / 2 of a
  /// playback stream: so a request is one latency, and the target four.
  public init(deviceLatency: Duration, _ direction: Direction, _ spec: SampleSpec) {
    let bytes = UInt32(clamping: spec.bytes(for: deviceLatency))
    switch direction {
    case .input: self.init(fragmentSize: bytes)
    case .output:
      let (target, overflow) = bytes.multipliedReportingOverflow(by: 4)
      self.init(targetLength: overflow ? .max : target, minimumRequest: bytes)
    }
  }

  /// The device's latency according to these *granted* sizes.
  ///
  /// A granted playback target is the requested one minus the device's latency, which leaves target
  /// - 2 · request.
  public func grantedLatency(_ direction: Direction, _ spec: SampleSpec) -> Duration {
    switch direction {
    case .input: spec.duration(ofBytes: Int(fragmentSize))
    case .output:
      spec.duration(ofBytes: max(0, Int(targetLength) - 2 * Int(minimumRequest)))
    }
  }
}
