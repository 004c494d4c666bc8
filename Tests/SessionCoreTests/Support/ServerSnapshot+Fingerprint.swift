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
}
