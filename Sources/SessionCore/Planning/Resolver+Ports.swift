import PulseTypes

extension Resolver {
  /// With `default-to-speaker` the speaker, unless headphones are known to be plugged in.
  func speaker(of device: Device) -> [PortMatcher] {
    guard direction == .output, mode.options?.contains(.defaultToSpeaker) == true else { return [] }
    func has(_ type: PortType, _ isPlugged: (DevicePort) -> Bool) -> Bool {
      device.ports.contains { device.portTypes($0).contains(type) && isPlugged($0) }
    }
    if has(.headphones, { $0.availability == .yes }) { return [.type(.headphones)] }
    return has(.speaker, \.availability.isUsable) ? [.type(.speaker)] : []
  }

  /// The most preferred usable port that has all the types; among equals the active one, then plugged ones
  /// before unknown ones.
  func port(_ wanted: [PortMatcher], of device: Device, having types: [PortType]) -> DevicePort? {
    let usable = device.ports(having: types)
    // If no port may be changed, the port in use counts, whatever its rank.
    if snapshot.isOfOneProgram, let active = usable.first(where: { $0.name == device.activePort }),
      wanted.contains(where: { $0.matches(active, of: device) })
    {
      return active
    }
    for matcher in wanted {
      let ports = usable.filter { matcher.matches($0, of: device) }
      if let active = ports.first(where: { $0.name == device.activePort }) { return active }
      if let best = ports.max(by: { $0.rank < $1.rank }) { return best }
    }
    return nil
  }

  static func portReason(_ wanted: [PortMatcher], _ device: Device) -> String {
    let names = Words.list(wanted.map { "'\($0)'" }, last: "or")
    let ports = device.ports.map { port in
      "\(port.name) (\(port.availability.isUsable ? "available" : "not plugged in"))"
    }
    return "no usable port \(names); it has: \(ports.joined(separator: ", "))"
  }
}

extension Device {
  /// The usable ports that have all these types.
  func ports(having types: [PortType]) -> [DevicePort] {
    ports.filter { port in
      port.availability.isUsable && types.allSatisfy { portTypes(port).contains($0) }
    }
  }
}

extension DevicePort {
  /// How a server ranks it: what is plugged in first, then by priority.
  var rank: UInt64 { (availability == .yes ? 1 << 32 : 0) + UInt64(priority) }
}
