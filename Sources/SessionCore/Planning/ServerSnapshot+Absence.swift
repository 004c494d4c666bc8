import PulseTypes

/// What keeps a value from being restored.
enum Absence: Hashable {
  /// The device or card is not there.
  case unplugged(String)
  /// Another port of the device is in use.
  case unused(port: String, of: String)
}

extension ServerSnapshot {
  /// Why the value of an entry cannot be restored now, and what is unplugged; nil if it can be
  /// restored, or never can.
  func absence(of entry: Baseline.Entry) -> Absence? {
    guard entry.setting.is(.outlivesSession), !entry.setting.isOfStream, entry.before != .absent,
      !Owned.isName(entry.setting.object)
    else { return nil }
    // A graph's rate is no device's.
    if case .rate = entry.setting, has(.graphRate) { return nil }
    if case .defaultDevice(let direction) = entry.setting {
      guard case .name(let name) = entry.before, !Owned.isName(name) else { return nil }
      return device(direction, named: name)?.canBeDefault == true ? nil : .unplugged(name)
    }
    // A level may have no value while another port is in use.
    guard value(of: entry.setting) != nil || device(ofLevel: entry.setting) != nil else {
      // A missing device whose card exists was removed by the card's profile.
      guard entry.card.map({ card(named: $0) == nil }) ?? true else { return nil }
      return .unplugged(entry.card ?? entry.setting.object)
    }
    guard let port = entry.port, !entry.isShown(in: self) else { return nil }
    return .unused(port: port, of: entry.setting.object)
  }

  /// The name of the card that a setting's device belongs to, or that it is a setting of.
  func cardName(of setting: Setting) -> String? {
    if setting.kind.device != nil { return device(of: setting).flatMap { card(of: $0) }?.name }
    return setting.kind.cardName ?? card(named: setting.object)?.name
  }

  /// What is plugged into the device whose port a setting is; nil of another setting.
  func jacks(of setting: Setting) -> [String: PortAvailability]? {
    guard case .port(let direction, let name) = setting,
      let device = device(direction, named: name)
    else { return nil }
    return Dictionary(device.ports.map { ($0.name, $0.availability) }) { first, _ in first }
  }
}
