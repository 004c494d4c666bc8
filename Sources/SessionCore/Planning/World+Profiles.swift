import PulseTypes

extension World {
  /// Sets a profile: devices whose part of the name is in both profiles stay, the others go, and
  /// those that come are predicted.
  mutating func setProfile(_ name: String, _ profileName: String) {
    guard let at = snapshot.cards.firstIndex(where: { $0.name == name }),
      let profile = snapshot.cards[at].profile(named: profileName)
    else { return }
    let card = snapshot.cards[at]
    snapshot.cards[at].activeProfile = profileName
    for direction in Direction.allCases {
      let kept = card.active.map { Set($0.parts(direction)) } ?? []
      guard profile.count(direction) == 0 || kept != Set(profile.parts(direction)) else { continue }
      let devices = Self.devices(direction)
      let gone = snapshot[keyPath: devices].filter { $0.card == card.index && !$0.isMonitor }
      snapshot[keyPath: devices].removeAll { device in gone.contains { $0.name == device.name } }
      for new in card.deviceNames(direction, profile: profile) {
        predicted.insert(new)
        var device = card.predictedDevice(direction, named: new, profile: profile)
        // A number of its own, for the links that are to stand on it.
        device.index = Index(Self.free(snapshot[keyPath: devices].map(\.index.rawValue)))
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
