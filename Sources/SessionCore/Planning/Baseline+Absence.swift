import PulseTypes

extension Baseline {
  /// Why the value of an entry cannot be restored now, and what is away; nil if it can be restored, or
  /// never can.
  ///
  /// What a profile of the session's own has removed is restored with the profile, and what only such a
  /// profile has created is gone with it: neither is away.
  func absence(of entry: Entry, in snapshot: ServerSnapshot) -> Absence? {
    let setting = entry.setting
    guard setting.is(.outlivesSession), !setting.isOfStream, entry.before != .absent,
      !Owned.isName(setting.object)
    else { return nil }
    // A graph's rate is no device's.
    if setting.isRate, snapshot.has(.graphRate) { return nil }
    if let direction = setting.defaultDirection {
      guard case .name(let name) = entry.before, !Owned.isName(name) else { return nil }
      guard let device = snapshot.device(direction, named: name) else {
        return snapshot.absence(of: NamedDevice(direction: direction, name: name))
      }
      return device.canBeDefault ? nil : .unplugged(name)
    }
    // A level may have no value while another port is in use.
    guard snapshot.value(of: setting) != nil || snapshot.device(ofLevel: setting) != nil else {
      guard let card = entry.card.flatMap({ snapshot.card(named: $0) }) else {
        return .unplugged(entry.card ?? setting.object)
      }
      // A consequence was never set; it follows its cause.
      guard entry.profile != nil, !entry.isConsequence,
        self[.cardProfile(card: card.name)]?.hasChosen(card.activeProfile) != true
      else { return nil }
      return .profile(card.activeProfile, of: card.name, lacks: setting.object)
    }
    guard let port = entry.port, !entry.isShown(in: snapshot) else { return nil }
    return .unused(port: port, of: setting.object)
  }
}

extension ServerSnapshot {
  /// Why a device is not there: its card has another profile, or it is unplugged.
  fileprivate func absence(of device: NamedDevice) -> Absence {
    let card =
      cards.first { card in card.profiles.contains { card.has(device, in: $0) } }
      ?? cards.first { $0.isNamed(in: device) }
    guard let card else { return .unplugged(device.name) }
    return .profile(card.activeProfile, of: card.name, lacks: device.name)
  }
}
