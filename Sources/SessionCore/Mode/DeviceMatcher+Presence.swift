package import PulseTypes

extension ServerSnapshot {
  /// Whether a matching device is present: it exists, or an existing card can create it, and
  /// something is plugged in.
  ///
  /// - Parameter unsteady: flapping devices, which do not count until they are stable.
  package func has(
    _ matcher: DeviceMatcher, _ direction: Direction, except unsteady: Set<Attachment> = []
  ) -> Bool {
    let types = matcher.portTypes
    return candidates(matcher, direction, defaultBefore: nil).contains { candidate in
      guard !candidate.isUnsteady(unsteady) else { return false }
      let device = candidate.device
      return device.ports.isEmpty || !device.ports(having: types).isEmpty
    }
  }
}

extension DeviceMatcher {
  /// How specific a match is: 4 for a single device (a name, a serial number, an address, a place),
  /// 2 for a kind of device, 1 for any device.
  package var points: Int {
    switch self {
    case .default: 1
    case .name(let name):
      Glob.isPattern(name) ? (name.allSatisfy { "*?".contains($0) } ? 1 : 2) : 4
    case .formFactor, .portType: 2
    case .properties(let properties):
      properties.reduce(0) { $0 + (Self.individual.contains($1.key) ? 4 : 2) }
    case .all(let parts): parts.reduce(0) { $0 + $1.points }
    }
  }

  /// Properties that no two devices of a machine have alike.
  private static let individual: Set<String> = [
    "device.serial", "device.string", "device.bus_path", "device.bus-path",
  ]
}
