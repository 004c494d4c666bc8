import PulseTypes
import SessionCore

/// What PipeWire does otherwise, as it was seen on 0.3.65 and 1.4.2.
extension SimulatedServer {
  /// A stream that runs forces the graph's rate; a device that nothing uses says 48000, whatever it will
  /// run at. The session's pins run while another stream uses their device (`tendsPins`).
  mutating func updateGraph() {
    guard snapshot.has(.forcedGraph), tendsPins else { return }
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
