public import PulseTypes

/// PipeWire runs all devices of a graph at one rate and one buffer, which a *running* stream can
/// force by its properties; a corked one counts for nothing. So our pins there wait corked until
/// somebody uses their device, and what they will force is what the device is taken to have.
public enum Graph {
  /// The property by which a running stream sets the rate of the graph, Hz.
  public static let rateKey = "node.force-rate"
  /// The property by which a running stream sets the buffer of the graph, frames.
  public static let quantumKey = "node.force-quantum"

  /// The buffer nearest to a duration that the graph can have: a power of two, in frames.
  ///
  /// - Parameter limit: the most frames that the server takes.
  public static func quantum(_ duration: Duration, rate: Int, limit: Int) -> Int {
    let wished = Double(duration.microseconds) * Double(rate) / 1_000_000
    var frames = 16
    while frames * 2 <= limit, Double(frames) * 1.5 < wished { frames *= 2 }
    return frames
  }

  /// How long a buffer lasts; any client can say any number.
  public static func duration(frames: Int, rate: Int) -> Duration {
    let frames = Int64(clamping: min(max(0, frames), 1 << 32))
    return .nanoseconds(frames * 1_000_000_000 / Int64(max(1, rate)))
  }
}

extension ServerSnapshot {
  /// Whether PipeWire runs without what decides for it, WirePlumber or its predecessor.
  public var lacksSessionManager: Bool { has(.sessionManager) && sessionManager == nil }

  /// The client that decides for PipeWire what is connected to what; another one once it was restarted.
  public var sessionManager: Client? {
    clients.first { client in
      let binary = client.properties["application.process.binary"] ?? ""
      return client.properties["wireplumber.daemon"] != nil
        || binary == "wireplumber" || binary == "pipewire-media-session"
    }
  }

  /// The rate of a device: on PipeWire that of our pin, as long as that waits for somebody to use the
  /// device; nil there for a device that nobody uses and nothing pins, whatever it says.
  public func knownRate(of device: Device) -> Int? {
    guard has(.forcedGraph) else { return Int(device.sampleSpec.rate) }
    let pin = pin(on: device, forcing: Graph.rateKey)
    if let pin, pin.stream.isCorked || device.state != .running { return pin.value }
    return device.state == .running ? Int(device.sampleSpec.rate) : nil
  }

  /// The rate to count frames by.
  func rate(of device: Device) -> Int { knownRate(of: device) ?? Int(device.sampleSpec.rate) }

  /// The buffer that our pin on a device forces, or will when the device is used; PipeWire only.
  public func forcedLatency(on device: Device) -> Duration? {
    pin(on: device, forcing: Graph.quantumKey).map {
      Graph.duration(frames: min($0.value, quantumLimit(of: device)), rate: rate(of: device))
    }
  }

  /// What makes a device that is known to keep no latency offset; nil where one may be kept.
  ///
  /// PipeWire keeps an offset in the device's node. Those of ALSA and Bluetooth have one, any other takes
  /// it and goes on to say 0.
  func forgetsLatencyOffset(of device: Device) -> String? {
    guard has(.offsetsOfHardware), let factory = device.properties["factory.name"] else {
      return nil
    }
    return factory.has("api.alsa.") || factory.has("api.bluez5.") ? nil : factory
  }

  /// The most frames that a buffer of the graph can have.
  func quantumLimit(of device: Device) -> Int {
    let limit = device.properties["clock.quantum-limit"].flatMap { Int($0) } ?? 8192
    return min(max(16, limit), 1 << 24)
  }

  /// The properties of the pin that holds a latency on a device.
  public func latencyPin(_ latency: Duration, on device: Device) -> [String: String] {
    var properties = [
      Owned.pinKey: "latency", Owned.pinLatencyKey: String(latency.microseconds),
    ]
    properties[Owned.processKey] = viewer.map(String.init)
    if has(.forcedGraph) {
      let limit = quantumLimit(of: device)
      let frames = Graph.quantum(latency, rate: rate(of: device), limit: limit)
      properties[Graph.quantumKey] = String(frames)
    }
    return properties
  }

  /// The properties of the pin that gives a device a rate.
  public func ratePin(_ rate: Int) -> [String: String] {
    var properties = [Owned.pinKey: "rate"]
    if has(.forcedGraph) { properties[Graph.rateKey] = String(rate) }
    return properties
  }

  /// A pin of a rate forces the buffer, too, that another pin is for.
  private func pin(on device: Device, forcing key: String) -> (stream: Stream, value: Int)? {
    let kind = key == Graph.rateKey ? "rate" : "latency"
    for stream in pins(on: device) where stream.properties[Owned.pinKey] == kind {
      // Anybody can make a stream that looks like one of ours.
      guard let value = stream.properties[key].flatMap({ Int($0) }), (1...1 << 24).contains(value)
      else { continue }
      return (stream, value)
    }
    return nil
  }

  /// Whether a device has a pin of ours of a kind: `rate` or `latency`.
  func isPinned(_ device: Device, kind: String) -> Bool {
    pins(on: device).contains { $0.properties[Owned.pinKey] == kind }
  }

  /// Whether a stream of somebody else runs on a device, on our remap before it, or on the sink that
  /// it monitors. Level meters and streams that merely follow do not count.
  public func isUsed(_ device: Device) -> Bool { !users(of: device).isEmpty }

  /// The streams of others that run on a device, wherever they are attached to it.
  func users(of device: Device) -> [Stream] {
    var devices = [device]
    if device.isMonitor, let sink = device.monitor.flatMap({ self.device(.output, named: $0) }) {
      devices.append(sink)
    }
    // Those on our links come back to the hardware when it goes, which a rate change needs.
    devices += links(on: device)
    return devices.flatMap { foreignStreams(on: $0) }.filter { !$0.isCorked }
  }
}

extension Stream {
  /// Whether it only looks on: a level meter, or one that does not keep a device running.
  var isOnlooker: Bool {
    resampleMethod == "peaks" || properties["stream.monitor"] == "true"
      || properties["node.passive"] == "true"
  }
}
