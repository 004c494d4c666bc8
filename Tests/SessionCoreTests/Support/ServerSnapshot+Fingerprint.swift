import PulseTypes
import SessionCore

extension ServerSnapshot {
  /// All that a rollback must bring back, by name.
  var fingerprint: [String] {
    var lines = cards.map { "\($0.name) \($0.activeProfile ?? "none")" }
    for direction in Direction.allCases {
      lines.append("default \(direction) \(server.defaultName(direction) ?? "none")")
      for device in devices(direction) {
        lines.append(
          "\(device.name) port \(device.activePort ?? "none"), "
            + "volume \(device.volume.values.map(\.rawValue)), muted \(device.isMuted)")
      }
    }
    for card in cards {
      for port in card.ports { lines.append("\(card.name) \(port.name) \(port.latencyOffset)") }
    }
    lines += modules.map { "module \($0.name) \($0.argument)" }
    return lines.sorted()
  }

  /// The devices whose latency, which is theirs alone, is not shown because they are closed.
  var closed: Set<String> {
    Set((sources + sinks).filter { $0.configuredLatency == .zero }.map(\.name))
  }

  /// The rates of cards, and the latencies of those that streams use; PipeWire shows them of a device that
  /// runs.
  ///
  /// - Parameter others: the devices whose latencies are left out.
  func hints(withoutLatenciesOf others: Set<String>) -> [String] {
    guard !has(.graphRate) else { return [] }
    return (sources + sinks).filter { $0.card != nil && !$0.isMonitor }.map { device in
      // The stream that held a rate may end before or after the reading.
      let users = streams(on: device).filter { $0.properties["audiosession.pin"] != "rate" }
      let isShown = !users.isEmpty && !others.contains(device.name)
      let latency = isShown ? ", latency \(device.configuredLatency)" : ""
      return "\(device.name) rate \(device.sampleSpec.rate)\(latency)"
    }.sorted()
  }
}
