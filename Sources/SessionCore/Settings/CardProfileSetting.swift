import PulseTypes

struct CardProfileSetting: CardSettingKind {
  let card: String

  var label: String { "profile" }

  func property(in snapshot: ServerSnapshot) -> Property { .category }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.card(named: card).map { $0.activeProfile.map(SettingValue.name) ?? .absent }
  }

  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    guard case .name(let profile) = before else { return nil }
    return planner.server.snapshot.card(named: card)?.profile(named: profile) == nil ? nil : before
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .name(let profile) = value else { return }
    server.setProfile(card, profile)
    server.changedCards.insert(card)
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .name(let profile) = value else { return nil }
    return [.setCardProfile(card: card, profile)]
  }
}

extension ServerSnapshot {
  /// The settings that vanish or change with the devices of a card.
  func settingsOfDevices(ofCard name: String) -> [Setting] {
    guard let card = card(named: name) else { return [] }
    var result: [Setting] = []
    for direction in Direction.allCases {
      let devices = devices(direction, of: card).filter { !$0.isMonitor }
      for device in devices {
        result += Setting.all(of: device).filter {
          $0.is(.followsCard) && value(of: $0) != .absent
        }
        result += streams(on: device).filter { !isOwned($0) }.map { .stream(direction, $0.index) }
      }
      // Always: a monitor vanishes with its sink, and a new device may become the default.
      result.append(.defaultDevice(direction))
    }
    return result
  }

  /// Whether a setting vanishes or changes with the devices of a card.
  func follows(_ setting: Setting, card name: String) -> Bool {
    guard setting.is(.followsCard) else { return false }
    return setting.kind.device == nil || cardName(of: setting) == name
  }

  func object(ofCard name: String) -> [ObjectID] {
    card(named: name).map { [.card($0.index)] } ?? []
  }

  /// Whether the devices of a card's active profile exist: the profile's name alone proves nothing.
  func hasDevices(ofCard name: String) -> Bool {
    guard let card = card(named: name), let profile = card.active else { return false }
    return Direction.allCases.allSatisfy { direction in
      profile.count(direction) == 0 || devices(direction, of: card).contains { !$0.isMonitor }
    }
  }
}

extension PredictedServer {
  /// Predicts a profile: devices whose part of the name is in both profiles stay, the others
  /// vanish, and new ones are predicted.
  mutating func setProfile(_ name: String, _ profileName: String) {
    guard let at = snapshot.cards.firstIndex(where: { $0.name == name }),
      let profile = snapshot.cards[at].profile(named: profileName)
    else { return }
    let card = snapshot.cards[at]
    snapshot.cards[at].activeProfile = profileName
    for direction in Direction.allCases {
      let kept = card.active.map { Set($0.parts(direction)) } ?? []
      guard profile.count(direction) == 0 || kept != Set(profile.parts(direction)) else { continue }
      let gone = snapshot.devices(direction).filter { $0.card == card.index && !$0.isMonitor }
      let devices = Self.devices(direction)
      snapshot[keyPath: devices].removeAll { device in
        gone.contains { $0.name == device.name }
      }
      for new in card.deviceNames(direction, profile: profile) {
        predicted.insert(new)
        var device = card.predictedDevice(direction, named: new, profile: profile)
        // A free index, so that links can refer to the device.
        device.index = Index(Self.free(snapshot.devices(direction).map(\.index.rawValue)))
        snapshot[keyPath: devices].append(device)
      }
      if let was = snapshot.server.defaultName(direction), gone.contains(where: { $0.name == was })
      {
        setDefault(direction, snapshot.devices(direction).first { !$0.isMonitor }?.name)
        unknownDefaults.insert(direction)
      }
    }
  }
}
