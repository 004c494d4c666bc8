import PulseTypes

/// Distinguishes changes by another program from changes without one: only the former can be a
/// conflict.
///
/// A foreign change is observed if a setting was read with the mode's value, and is later read with
/// another one while everything that it depends on is the same: the device, its jacks, its card,
/// the server and its session manager. A setting that could not be set, that disappeared with its
/// device, or that a restarted server has forgotten, does not count. Each change counts once, until
/// the setting was read with the mode's value again.
package struct ForeignChanges: Sendable, Hashable {
  private struct Mark: Sendable, Hashable {
    var value: SettingValue
    var ground: Ground
  }

  private var marks: [Setting: Mark] = [:]

  /// Notes all settings that a run left with the mode's values.
  mutating func note(_ settings: [Setting], in snapshot: ServerSnapshot) {
    marks = [:]
    for setting in settings { note(setting, in: snapshot) }
  }

  /// Notes a setting that was read with the mode's value.
  mutating func note(_ setting: Setting, in snapshot: ServerSnapshot) {
    guard !setting.isHint, let value = snapshot.value(of: setting),
      let ground = snapshot.ground(of: setting, value)
    else { return }
    marks[setting] = Mark(value: value, ground: ground)
  }

  /// The settings of a plan that another program has changed since they were noted; returns each
  /// once.
  mutating func take(_ steps: [Step], in snapshot: ServerSnapshot) -> [Setting] {
    steps.map(\.setting).filter { setting in
      guard let mark = marks.removeValue(forKey: setting), let now = snapshot.value(of: setting)
      else { return false }
      return now != mark.value && snapshot.ground(of: setting, mark.value) == mark.ground
    }
  }
}

/// What a setting depends on while it has a value. A running server never reuses the index of an
/// object.
private struct Ground: Sendable, Hashable {
  /// A device or a card with its jacks; each port of a device has separate levels.
  struct Place: Sendable, Hashable {
    var index: UInt32
    var jacks: [Jack]
    var port: String?

    init(_ index: UInt32, _ ports: [DevicePort], port: String? = nil) {
      self.index = index
      jacks = ports.map { Jack(name: $0.name, availability: $0.availability) }
      self.port = port
    }
  }

  struct Jack: Sendable, Hashable {
    var name: String
    var availability: PortAvailability
  }

  var cookie: UInt32
  var manager: Index<Client>?
  var places: [Place] = []
}

extension ServerSnapshot {
  /// What a setting depends on while it has a value; nil if that is missing.
  fileprivate func ground(of setting: Setting, _ value: SettingValue) -> Ground? {
    var result = Ground(cookie: server.cookie, manager: sessionManager?.index)
    for place in setting.kind.devices(under: value) {
      guard let device = device(place.direction, named: place.name) else { return nil }
      let port = setting.isLevel ? device.activePort : nil
      result.places.append(Ground.Place(device.index.rawValue, device.ports, port: port))
    }
    if let name = cardName(of: setting), let card = card(named: name) {
      result.places.append(Ground.Place(card.index.rawValue, card.ports))
    }
    return result
  }
}
