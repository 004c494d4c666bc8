import PulseTypes
import SessionCore

/// What PipeWire does otherwise, as it was seen on 0.3.65 and 1.4.2.
extension SimulatedServer {
  /// A stream that runs forces the graph's rate; a device that nothing uses says 48000, whatever it will
  /// run at. The session's pins run while another stream uses their device (`tendsPins`).
  mutating func updateGraph() {
    guard snapshot.has(.runningPins), tendsPins else { return }
    func isPin(_ stream: Stream) -> Bool { stream.properties["audiosession.pin"] != nil }
    for direction in Direction.allCases {
      let used = Set(
        snapshot.streams(direction).filter { !$0.isCorked && !isPin($0) }.compactMap(\.device))
      editStreams(direction) { stream in
        if isPin(stream) { stream.isCorked = !(stream.device.map(used.contains) ?? false) }
      }
    }
    let running = (snapshot.sourceOutputs + snapshot.sinkInputs).filter { !$0.isCorked }
    let forced = running.compactMap { $0.properties["node.force-rate"].flatMap { UInt32($0) } }.last
    for device in snapshot.sources + snapshot.sinks {
      let runs = running.contains { $0.direction == device.direction && $0.device == device.index }
      let choices = rates[device.name] ?? []
      try? edit(device.direction, device.name) { device in
        device.state = runs ? .running : .suspended
        let graph = forced ?? 48000
        device.sampleSpec.rate =
          !runs ? 48000 : choices.isEmpty || choices.contains(graph) ? graph : choices[0]
      }
    }
  }

  /// What a pin shows while it, or the pin of its device's rate, runs. A new one runs for a moment.
  mutating func noteCycles() {
    guard snapshot.has(.unreportedBuffer), !pinsStall else { return }
    let streams = snapshot.sourceOutputs + snapshot.sinkInputs
    for pin in streams where pin.properties[Owned.pinLatencyKey] != nil {
      guard let device = snapshot.devices(pin.direction).first(where: { $0.index == pin.device })
      else { continue }
      let pins = streams.filter {
        $0.direction == pin.direction && $0.device == pin.device
          && $0.properties["audiosession.pin"] != nil
      }
      guard shownCycles[pin.index] == nil || pins.contains(where: { !$0.isCorked }) else {
        continue
      }
      shownCycles[pin.index] = cycle(of: device, under: pin)
    }
  }

  /// The buffer of a device that runs: what PipeWire's settings force, otherwise the newest of the streams
  /// that run; since when it runs does not matter.
  ///
  /// - Parameter pin: a stream that would begin to run, if it does not.
  func cycle(of device: Device, under pin: Stream? = nil) -> Duration {
    if let own = ownCycles[device.name] { return own }
    func forced(_ key: String, _ stream: Stream?) -> Int? {
      stream?.properties[key].flatMap { Int($0) }
    }
    let streams = snapshot.sourceOutputs + snapshot.sinkInputs
    let rates = streams.filter { $0.direction == device.direction && $0.device == device.index }
    let rate =
      device.state == .running
      ? Int(device.sampleSpec.rate)
      : rates.compactMap { forced("node.force-rate", $0) }.last ?? 48000
    let newest = streams.filter {
      (!$0.isCorked || $0.index == pin?.index) && forced("node.force-quantum", $0) != nil
    }.max { $0.index.rawValue < $1.index.rawValue }
    let asked = settingsQuantum ?? forced("node.force-quantum", newest) ?? 1024
    let frames = min(asked, longestBuffer(of: device, rate))
    return .nanoseconds(Int64(frames) * 1_000_000_000 / Int64(rate))
  }

  private func longestBuffer(of device: Device, _ rate: Int) -> Int {
    let limit = device.properties["clock.quantum-limit"].flatMap { Int($0) } ?? 8192
    let hardware = device.properties["node.max-latency"]?.split(separator: "/").compactMap {
      Int($0)
    }
    let most = hardware.flatMap { $0.count == 2 ? $0[0] * rate / $0[1] : nil } ?? limit
    var frames = 16
    while frames * 2 <= min(limit, most) { frames *= 2 }
    return frames
  }

  /// The rate that a device keeps although a pin that runs asks for another; the session then closes the
  /// pin, as with the real server.
  mutating func giveUp(_ step: Step) -> SettingValue? {
    guard tendsPins, case .rate(let direction, let name) = step.setting,
      case .rate(let asked) = step.to,
      let device = snapshot.device(direction, named: name), device.state == .running,
      device.sampleSpec.rate != UInt32(asked)
    else { return nil }
    try? pinRate(direction, name, nil)
    updateStates()
    return .rate(Int(device.sampleSpec.rate))
  }

  /// What was acknowledged and not done yet is done.
  mutating func catchUp() {
    let steps = acknowledged
    acknowledged = []
    for step in steps { try? run(step) }
  }
}
