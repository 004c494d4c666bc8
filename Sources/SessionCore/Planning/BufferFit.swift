package import PulseTypes

/// How a buffer compares with the one that was asked for, by the server's own grain.
package enum BufferFit: Sendable, Hashable {
  /// It is as asked: to a frame, or on PipeWire the nearest power of two.
  case met
  /// The device has a longer one.
  case longer
  /// The device has a shorter one.
  case shorter
}

extension ServerSnapshot {
  /// How a device's buffer compares with the one that was asked for.
  package func fit(_ given: Duration, asked: Duration, on device: Device) -> BufferFit {
    let frame = Duration.microseconds(1_000_000 / Int64(max(1, rate(of: device))) + 1)
    guard has(.forcedGraph) else {
      return given > asked + frame ? .longer : given < asked - frame ? .shorter : .met
    }
    // The graph's buffers are powers of two: the nearest is between 2/3 and 4/3 of what was asked, and
    // never less than 16 frames.
    if given * 3 + frame < asked * 2 { return .shorter }
    let least = Graph.duration(frames: 16, rate: rate(of: device))
    return given * 3 > max(asked * 4, least * 3) + frame ? .longer : .met
  }

  /// What a device gave the pin that asked it for a buffer; nil where nothing says so.
  ///
  /// - Parameter granted: the latency that the sizes of the pin's own buffer came to.
  package func latency(
    givenTo asked: Duration, granted: Duration?, on device: Device
  ) -> Duration? {
    if has(.forcedGraph) { return forcedLatency(on: device) }
    let told = device.configuredLatency > .zero ? device.configuredLatency : nil
    guard let granted, granted > .zero else {
      // A shorter one can be what another stream asked for.
      return told.flatMap { fit($0, asked: asked, on: device) == .shorter ? nil : $0 }
    }
    // A playback stream's sizes tell by how much the buffer is not as asked, and look the same where it is
    // too long and where it is too short. Where it is too long, so is what the device says.
    guard device.direction == .output, fit(granted, asked: asked, on: device) == .longer, let told,
      fit(told, asked: asked, on: device) == .shorter
    else { return granted }
    return asked * 2 - granted
  }
}
