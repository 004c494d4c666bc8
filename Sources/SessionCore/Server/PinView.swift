package import PulseTypes

extension ServerSnapshot {
  /// The session's pins, and what they hold.
  package var pins: PinView { PinView(snapshot: self) }
}

/// The pins of the viewing session.
package struct PinView: Sendable {
  let snapshot: ServerSnapshot

  /// The pins on a device.
  func streams(on device: Device) -> [Stream] {
    let owner = snapshot.viewer.map(String.init)
    return snapshot.streams(on: device) {
      $0.properties[Owned.pinKey] != nil && $0.properties[Owned.processKey] == owner
    }
  }

  /// The rate of a device: on PipeWire that of our pin while the pin waits for another stream; nil
  /// for an idle device without a pin, whatever rate it reports.
  package func knownRate(of device: Device) -> Int? {
    guard snapshot.has(.graphRate) else { return Int(device.sampleSpec.rate) }
    return waitingRate(of: device)
      ?? (device.state == .running ? Int(device.sampleSpec.rate) : nil)
  }

  /// The rate that our pin will force once another stream uses the device; PipeWire only.
  func waitingRate(of device: Device) -> Int? {
    guard snapshot.has(.runningPins) else { return nil }
    for pin in streams(on: device) where pin.properties[Owned.pinKey] == "rate" {
      // Any program can make a stream that looks like one of ours.
      guard let rate = pin.properties[Graph.rateKey].flatMap({ Int($0) }),
        (1...1 << 24).contains(rate)
      else { continue }
      return pin.isCorked || device.state != .running ? rate : nil
    }
    return nil
  }

  /// The properties of the pin that holds a latency on a device.
  package func latencyPin(_ latency: Duration, on device: Device) -> [String: String] {
    var properties = [
      Owned.pinKey: "latency", Owned.pinLatencyKey: String(latency.microseconds),
    ]
    properties[Owned.processKey] = snapshot.viewer.map(String.init)
    if snapshot.has(.graphBuffer) {
      let limit = snapshot.quantumLimit(of: device)
      let frames = Graph.quantum(latency, rate: snapshot.rate(of: device), limit: limit)
      properties[Graph.quantumKey] = String(frames)
    }
    return properties
  }

  /// The properties of the pin that gives a device a rate.
  package func ratePin(_ rate: Int) -> [String: String] {
    var properties = [Owned.pinKey: "rate"]
    if snapshot.has(.graphRate) { properties[Graph.rateKey] = String(rate) }
    return properties
  }

  /// Whether a device has a pin of ours of a kind: `rate` or `latency`.
  func isPinned(_ device: Device, kind: String) -> Bool {
    streams(on: device).contains { $0.properties[Owned.pinKey] == kind }
  }
}
