package import PulseTypes

/// A device that may match: one that exists, or one that another card profile would create.
struct Candidate {
  var device: Device
  /// Whether it exists now.
  var exists: Bool
  var card: Card?
  /// The card profiles that would create the device; empty if it exists.
  var profiles: [String] = []

  var name: String { device.name }

  /// Whether it is a headset's microphone, for calls: neither the monitor of a Bluetooth output, nor the
  /// music of a telephone.
  var isCallMicrophone: Bool {
    device.direction == .input && !device.isMonitor && card?.isBluetooth == true
      && !device.name.hasSuffix("a2dp_source")
      && device.properties["api.bluez5.profile"] != "a2dp-source"
  }

  /// Whether a profile of its card has the device; the one in use has a device that exists.
  func isGiven(by profile: CardProfile) -> Bool {
    guard exists, let card else { return profiles.contains(profile.name) }
    return profile.name == card.activeProfile
      || card.deviceNames(device.direction, profile: profile).contains(name)
  }
}

extension ServerSnapshot {
  /// The hardware devices of a direction, without the session's devices, monitors and dummies.
  package func hardware(_ direction: Direction) -> [Device] {
    devices(direction).filter { isHardware($0) }
  }

  private func isHardware(_ device: Device) -> Bool {
    !device.isMonitor && !isOwned(device) && !isDummy(device)
  }

  /// Whether it is the dummy that a server creates when it has no device.
  func isDummy(_ device: Device) -> Bool {
    device.name == "auto_null" || device.name == "auto_null.monitor"
  }

  func candidate(existing device: Device) -> Candidate {
    Candidate(device: device, exists: true, card: card(of: device))
  }

  /// Devices that the other usable profiles of a card would create.
  func predictedCandidates(_ direction: Direction, on card: Card) -> [Candidate] {
    var result: [Candidate] = []
    // An output's monitor is a source of its card, too.
    let present = Set(devices(direction, of: card).lazy.filter { !$0.isMonitor }.map(\.name))
    // WirePlumber 0.5 has a microphone of another name beside music, which it leads to the headset's own
    // when a program records: then a prediction would name what never comes.
    if card.hasOneName, let active = card.active, !present.isEmpty,
      present.isDisjoint(with: card.deviceNames(direction, profile: active))
    {
      return []
    }
    // The kind of profile that each has: with one name for all profiles a call's differs from music's.
    var areHandsFree: [Bool] = []
    for profile in card.choosableProfiles.sorted(by: { $0.priority > $1.priority }) {
      // What the profile in use has is there, by whatever names (a use case manager's).
      if profile.name == card.activeProfile, !present.isEmpty { continue }
      let isHandsFree = card.hasOneName && profile.isHandsFree
      for name in card.deviceNames(direction, profile: profile)
      where card.hasOneName || !present.contains(name) {
        let former = result.indices.first {
          result[$0].name == name && areHandsFree[$0] == isHandsFree
        }
        if let former {
          result[former].profiles.append(profile.name)
        } else {
          areHandsFree.append(isHandsFree)
          let device = card.predictedDevice(direction, named: name, profile: profile)
          result.append(
            Candidate(device: device, exists: false, card: card, profiles: [profile.name]))
        }
      }
    }
    for at in result.indices {
      result[at].device.ports = card.ports(direction, in: result[at].profiles)
    }
    return result
  }

  /// The devices that match, best first.
  ///
  /// Existing devices come before those that a profile would create, and the current default before
  /// others.
  func candidates(
    _ matcher: DeviceMatcher, _ direction: Direction, defaultBefore: String?
  ) -> [Candidate] {
    if let rest = matcher.besideDefault?.predicate {
      return defaultCandidates(direction, before: defaultBefore).filter { rest($0.device) }
    }
    let existing = existing(matcher, direction, defaultBefore: defaultBefore)
    let isMatch = matcher.predicate
    let others = cards.flatMap { predictedCandidates(direction, on: $0) }
      .filter { other in
        isMatch(other.device) && !existing.contains { $0.name == other.name }
      }
    return existing.map { candidate(existing: $0) } + others
  }

  /// The existing devices that match, best first; of `default` at most one, and none if it was
  /// removed by its card's profile.
  func existing(
    _ matcher: DeviceMatcher, _ direction: Direction, defaultBefore: String?
  ) -> [Device] {
    guard let rest = matcher.besideDefault else { return devices(direction, meantBy: matcher) }
    let known = defaultBefore.map { device(direction, named: $0) } ?? chain.defaultRoot(direction)
    return known.flatMap { isHardware($0) && rest.predicate($0) ? [$0] : nil } ?? []
  }

  private func devices(_ direction: Direction, meantBy matcher: DeviceMatcher) -> [Device] {
    func mayBeMeant(_ device: Device) -> Bool {
      (!device.isMonitor || matcher.names(device)) && !isDummy(device) && !isOwned(device)
    }
    // A plain name needs no search through all devices.
    if case .name(let name) = matcher, !Glob.isPattern(name) {
      return device(direction, named: name).map { mayBeMeant($0) ? [$0] : [] } ?? []
    }
    // By their places: a device is large to copy.
    let (devices, isMatch) = (devices(direction), matcher.predicate)
    var found = devices.indices.filter { mayBeMeant(devices[$0]) && isMatch(devices[$0]) }
    if let root = chain.defaultRoot(direction)?.name,
      let at = found.firstIndex(where: { devices[$0].name == root })
    {
      found.insert(found.remove(at: at), at: 0)
    }
    return found.map { devices[$0] }
  }

  /// The replacements for a device that was removed by its card's profile: the card's current
  /// devices, then its possible ones; nil if the card was removed, too.
  private func siblings(_ direction: Direction, of gone: String) -> [Candidate]? {
    for card in cards {
      let predicted = predictedCandidates(direction, on: card)
      guard let itself = predicted.first(where: { $0.name == gone }) else { continue }
      let present = devices(direction, of: card).filter { isHardware($0) }
      return [itself] + present.map { candidate(existing: $0) }
        + predicted.filter { $0.name != gone }
    }
    return nil
  }

  /// The default from before the session and its replacements on the card; without one, any
  /// hardware.
  private func defaultCandidates(_ direction: Direction, before: String?) -> [Candidate] {
    if let before, device(direction, named: before) == nil,
      let siblings = siblings(direction, of: before)
    {
      return siblings
    }
    let known = before.flatMap { device(direction, named: $0) } ?? chain.defaultRoot(direction)
    guard let root = known, isHardware(root) else {
      let present = chain.defaultRoot(direction)?.name
      return hardware(direction).sorted { $0.name == present && $1.name != present }
        .map { candidate(existing: $0) }
        + cards.flatMap { predictedCandidates(direction, on: $0) }
    }
    let first = candidate(existing: root)
    return [first] + (first.card.map { predictedCandidates(direction, on: $0) } ?? [])
  }
}

extension DeviceMatcher {
  /// What else the default must match; nil if the matcher does not mean the default.
  fileprivate var besideDefault: DeviceMatcher? {
    switch self {
    case .default: .all([])
    case .all(let parts) where parts.contains(.default): .all(parts.filter { $0 != .default })
    default: nil
    }
  }

  /// Whether the matcher matches a device, for a search through any number of them: its patterns
  /// are read once. `default` is handled elsewhere.
  var predicate: (Device) -> Bool {
    switch self {
    case .default: return { _ in false }
    case .name(let pattern):
      let glob = Glob(pattern)
      return { glob.matches($0.name) }
    case .properties(let properties):
      let globs = properties.mapValues { Glob($0) }
      return { device in
        globs.allSatisfy { key, glob in
          device.properties[key].map { glob.matches($0) } == true
        }
      }
    case .formFactor(let form): return { $0.properties["device.form_factor"] == form }
    case .portType(let type):
      return { device in
        device.ports.isEmpty
          ? device.portTypes(nil).contains(type)
          : device.ports.contains { device.portTypes($0).contains(type) }
      }
    case .all(let parts):
      let predicates = parts.map { $0.predicate }
      return { device in predicates.allSatisfy { $0(device) } }
    }
  }

  /// Whether the matcher names a monitor explicitly, by its name or a pattern that ends like one.
  package func names(_ device: Device) -> Bool {
    switch self {
    case .name(let pattern): pattern == device.name || pattern.hasSuffix(".monitor")
    case .all(let parts): parts.contains { $0.names(device) }
    default: false
    }
  }
}

extension PortMatcher {
  func matches(_ port: DevicePort, of device: Device) -> Bool {
    switch self {
    case .name(let pattern): Glob(pattern).matches(port.name)
    case .type(let type): device.portTypes(port).contains(type)
    }
  }
}

extension Device {
  /// The types of one of its ports; its own types if it has no ports.
  package func portTypes(_ port: DevicePort?) -> [PortType] {
    PortType.types(of: port, direction: direction, properties: properties, name: name)
  }

  /// Whether PulseAudio makes it the default on request, which it does not if its port is unplugged
  /// and other devices' ports are not.
  var canBeDefault: Bool { active?.availability != .no }

  /// Whether something is plugged in, or the device has no ports.
  var isUsable: Bool { ports.isEmpty || ports.contains(where: \.availability.isUsable) }

  /// The usable port of the highest priority.
  var bestPort: DevicePort? {
    ports.filter(\.availability.isUsable).max { $0.priority < $1.priority }
  }

  package var active: DevicePort? { activePort.flatMap { name in ports.first { $0.name == name } } }
}
