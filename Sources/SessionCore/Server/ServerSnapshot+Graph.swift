package import PulseTypes

/// PipeWire runs all devices of a graph at one rate and one buffer, which a *running* stream can
/// force by its properties; a corked one has no effect. So the session's pins stay corked until
/// another stream uses their device, and an idle device counts as having what they forced when they last ran.
package enum Graph {
  /// The property by which a running stream sets the rate of the graph, Hz.
  package static let rateKey = "node.force-rate"
  /// The property by which a running stream sets the buffer of the graph, frames.
  package static let quantumKey = "node.force-quantum"

  /// The nearest buffer to a duration that the graph supports: a power of two, in frames.
  ///
  /// - Parameter limit: the most frames that the server accepts.
  package static func quantum(_ duration: Duration, rate: Int, limit: Int) -> Int {
    let preference = Double(duration.microseconds) * Double(rate) / 1_000_000
    var frames = 16
    while frames * 2 <= limit, Double(frames) * 1.5 < preference { frames *= 2 }
    return frames
  }

  /// The duration of a buffer; saturates, because any client can set any number.
  package static func duration(frames: Int, rate: Int) -> Duration {
    let frames = Int64(clamping: min(max(0, frames), 1 << 32))
    return .nanoseconds(frames * 1_000_000_000 / Int64(max(1, rate)))
  }
}

extension ServerSnapshot {
  /// Whether PipeWire runs without its session manager, WirePlumber or its predecessor.
  package var lacksSessionManager: Bool { has(.sessionManager) && sessionManager == nil }

  /// The client that is PipeWire's session manager; its restart makes another one. Nil on a server
  /// that has none.
  package var sessionManager: Client? {
    guard has(.sessionManager) else { return nil }
    // WirePlumber has this property, and is found without a search; its predecessor does not have it.
    return clients(having: "wireplumber.daemon").first
      ?? clients.first { client in
        let binary = client.properties["application.process.binary"]
        return binary == "wireplumber" || binary == "pipewire-media-session"
      }
  }

  /// The programs whose running streams ask for a buffer of the graph, and for how many frames.
  var forcingPrograms: [(name: String, frames: Int)] {
    (sourceOutputs + sinkInputs).compactMap { stream in
      guard !stream.isCorked, !isOwned(stream),
        let frames = stream.properties[Graph.quantumKey].flatMap({ Int($0) }),
        (1...1 << 24).contains(frames)
      else { return nil }
      return (programName(of: stream), frames)
    }
  }

  /// The rate for counting frames.
  func rate(of device: Device) -> Int { pins.knownRate(of: device) ?? Int(device.sampleSpec.rate) }

  /// The kind of a device that is known to store no latency offset; nil if it may store one.
  ///
  /// PipeWire stores an offset in the device's node. Nodes of ALSA and Bluetooth have one; others
  /// accept an offset and keep reporting 0.
  func forgetsLatencyOffset(of device: Device) -> String? {
    guard has(.offsetsOfHardware), let factory = device.properties["factory.name"] else {
      return nil
    }
    return factory.has("api.alsa.") || factory.has("api.bluez5.") ? nil : factory
  }

  /// The most frames of a buffer of the graph while it runs a device: a power of two.
  ///
  /// Hardware with a short buffer limits the graph, whatever a stream forces (`node.max-latency`, in
  /// seconds as a fraction; ALSA's nodes have half of the hardware's buffer).
  func quantumLimit(of device: Device) -> Int {
    var limit = device.properties["clock.quantum-limit"].flatMap { Int($0) } ?? 8192
    let longest = device.properties["node.max-latency"]?.split(separator: "/").map { Int($0) }
    if let longest, longest.count == 2, let frames = longest[0], let second = longest[1],
      (1...1 << 24).contains(frames), (1...1 << 24).contains(second)
    {
      limit = min(limit, frames * min(max(1, rate(of: device)), 1 << 24) / second)
    }
    limit = min(max(16, limit), 1 << 24)
    return 1 << (Int.bitWidth - 1 - limit.leadingZeroBitCount)
  }

  /// Whether another program's stream runs on a device, on our remap of it, on the sink that it
  /// monitors, or on its monitor. On PipeWire level meters and streams that only follow do not count.
  package func isUsed(_ device: Device) -> Bool { !users(of: device).isEmpty }

  /// The streams of others that run on a device, directly or through links and monitors.
  func users(of device: Device) -> [Stream] {
    var devices = [device]
    if let name = device.monitor,
      let counterpart = self.device(device.isMonitor ? .output : .input, named: name)
    {
      devices.append(counterpart)
    }
    // Streams on our links return to the hardware when the link is unloaded, which a rate change
    // needs.
    let links = chain.links(on: device)
    devices += links
    if has(.jointCanceller),
      links.contains(where: { $0.properties[Owned.roleKey] == Owned.echoRole })
    {
      devices += chain.ownedDevices(device.direction == .input ? .output : .input)
    }
    // PulseAudio changes no rate while a device runs, be it for a level meter.
    return devices.flatMap { end in
      streams(on: end).filter { stream in
        !stream.isCorked && !isOwned(stream)
          && (!stream.isOnlooker || !has(.graphRate) && end.state == .running)
      }
    }
  }
}

extension Stream {
  /// Whether it is a level meter, or a stream that does not keep a device running.
  var isOnlooker: Bool {
    resampleMethod == "peaks" || properties["stream.monitor"] == "true"
      || properties["node.passive"] == "true"
  }
}
