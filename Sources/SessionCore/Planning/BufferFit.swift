package import PulseTypes

/// How a buffer compares with the requested one, in the server's granularity.
package enum BufferFit: Sendable, Hashable {
  /// It is as requested: to a frame, or on PipeWire the nearest power of two.
  case met
  /// The device has a longer one.
  case longer
  /// The device has a shorter one.
  case shorter
}

extension ServerSnapshot {
  /// Compares a device's buffer with the requested one.
  package func fit(_ given: Duration, asked: Duration, on device: Device) -> BufferFit {
    let frame = Duration.microseconds(1_000_000 / Int64(max(1, rate(of: device))) + 1)
    guard has(.graphBuffer) else {
      return given > asked + frame ? .longer : given < asked - frame ? .shorter : .met
    }
    // The graph's buffers are powers of two: the nearest one is 2/3 to 4/3 of the requested one,
    // and at least 16 frames.
    if given * 3 + frame < asked * 2 { return .shorter }
    let least = Graph.duration(frames: 16, rate: rate(of: device))
    return given * 3 > max(asked * 4, least * 3) + frame ? .longer : .met
  }

  /// The buffer that a device granted to a pin; nil if it is unknown.
  ///
  /// - Parameter granted: the latency that follows from the pin's own buffer sizes; on PipeWire the measured
  ///   one.
  package func latency(
    givenTo asked: Duration, granted: Duration?, on device: Device
  ) -> Duration? {
    if has(.unreportedBuffer) { return granted }
    let reported = device.configuredLatency > .zero ? device.configuredLatency : nil
    guard let granted, granted > .zero else {
      // A shorter one may have been requested by another stream.
      return reported.flatMap { fit($0, asked: asked, on: device) == .shorter ? nil : $0 }
    }
    // A playback stream's sizes show how far the buffer is off, but not in which direction. If the
    // buffer is too long, the device also reports a longer one.
    guard device.direction == .output, fit(granted, asked: asked, on: device) == .longer,
      let reported,
      fit(reported, asked: asked, on: device) == .shorter
    else { return granted }
    return asked * 2 - granted
  }
}
