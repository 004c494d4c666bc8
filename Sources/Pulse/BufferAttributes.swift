internal import CPulse
internal import PulseTypes

extension pa_buffer_attr {
  /// Makes the sizes that request a latency from the device; without one the server chooses them.
  ///
  /// PulseAudio gives the device a record stream's fragment, and (target - 2 · request) / 2 of a
  /// playback stream: so a request is one latency, and the target four.
  init(deviceLatency: Duration?, _ direction: Direction, _ spec: SampleSpec) {
    self.init(maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: .max)
    guard let deviceLatency else { return }
    let bytes = UInt32(clamping: spec.bytes(for: deviceLatency))
    switch direction {
    case .input: fragsize = bytes
    case .output:
      let (target, overflow) = bytes.multipliedReportingOverflow(by: 4)
      tlength = overflow ? .max : target
      minreq = bytes
    }
  }

  /// The device's latency according to these *granted* sizes.
  ///
  /// A granted playback target is the requested one minus the device's latency, which leaves target
  /// - 2 · request.
  func grantedLatency(_ direction: Direction, _ spec: SampleSpec) -> Duration {
    switch direction {
    case .input: spec.duration(ofBytes: Int(fragsize))
    case .output: spec.duration(ofBytes: max(0, Int(tlength) - 2 * Int(minreq)))
    }
  }
}
