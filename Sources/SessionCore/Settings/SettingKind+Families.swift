import PulseTypes

/// A setting of a device, by its name.
protocol DeviceSettingKind: SettingKind {
  var direction: Direction { get }
  var name: String { get }
}

extension DeviceSettingKind {
  var object: String { name }
  var device: NamedDevice? { NamedDevice(direction: direction, name: name) }

  func predicted(in server: PredictedServer) -> SettingValue? {
    server.isPredicted(name) ? nil : read(server.snapshot)
  }

  func written(in snapshot: ServerSnapshot) -> [ObjectID] {
    snapshot.device(direction, named: name).map { [.device(direction, $0.index)] } ?? []
  }
}

/// A setting of a card that decides which devices the card has.
protocol CardSettingKind: SettingKind {
  var card: String { get }
}

extension CardSettingKind {
  var object: String { card }
  var phase: Phase { .category }
  var traits: SettingTraits { [.makesObjects, .outlivesSession] }

  func dependents(in snapshot: ServerSnapshot) -> [Setting] {
    snapshot.settingsOfDevices(ofCard: card)
  }

  func canChange(_ other: Setting, in snapshot: ServerSnapshot) -> Bool {
    snapshot.follows(other, card: card)
  }

  func bracket(_ target: Target, from now: SettingValue?, in planner: inout Planner) {
    let snapshot = planner.server.snapshot
    guard let card = snapshot.card(named: card) else { return }
    let devices = Direction.allCases.flatMap { snapshot.devices($0, of: card) }
    planner.unload(linksOn: devices, phase: target.phase, "its master may go with the profile")
    guard case .name(let new) = target.value, let profile = card.profile(named: new) else { return }
    for device in devices where !device.isMonitor {
      let kept = card.deviceNames(device.direction, profile: profile)
      if !kept.contains(device.name) { planner.emit(restoringAllOf: device.name, in: target.phase) }
    }
  }

  func written(in snapshot: ServerSnapshot) -> [ObjectID] { snapshot.object(ofCard: card) }

  func isMet(_ value: SettingValue, in snapshot: ServerSnapshot) -> Bool {
    read(snapshot) == value && snapshot.hasDevices(ofCard: card)
  }

  /// The devices may appear later, and a lazy server never reports that a card refused.
  func patience(isLazy: Bool) -> Duration? { isLazy ? .seconds(5) : nil }
}

/// A value of a card's port; the device that has the port gets the mode's value once.
protocol CardPortSettingKind: SettingKind {
  var card: String { get }
  var port: String { get }
}

extension CardPortSettingKind {
  var object: String { "\(card) \(port)" }
  var cardName: String? { card }
  var phase: Phase { .levels }
  var traits: SettingTraits { [.ofPort, .outlivesSession] }

  func charged(in snapshot: ServerSnapshot) -> Device? {
    guard let card = snapshot.card(named: card), let direction = found(in: snapshot)?.direction
    else { return nil }
    return snapshot.devices(direction, of: card).first { device in
      device.ports.contains { $0.name == port }
    }
  }

  /// The port; nil if the card does not exist, or has no such port.
  func found(in snapshot: ServerSnapshot) -> DevicePort? {
    snapshot.card(named: card)?.ports.first { $0.name == port }
  }

  func written(in snapshot: ServerSnapshot) -> [ObjectID] { snapshot.object(ofCard: card) }
}

/// A level of another program's playback stream.
protocol OthersStreamSettingKind: SettingKind {
  var index: Index<Stream> { get }
}

extension OthersStreamSettingKind {
  var object: String { "sink input \(index)" }
  var otherStream: Index<Stream>? { index }
  var phase: Phase { .levels }
  var traits: SettingTraits { [.stream, .others, .isLostAtTimes] }

  func property(in snapshot: ServerSnapshot) -> Property { .options }

  func written(in snapshot: ServerSnapshot) -> [ObjectID] { [.stream(.output, index)] }
}

/// A setting whose value is the name of a device.
protocol DeviceChoiceSettingKind: SettingKind {
  var direction: Direction { get }
}

extension DeviceChoiceSettingKind {
  func devices(under value: SettingValue) -> [NamedDevice] {
    guard case .name(let name) = value else { return [] }
    return [NamedDevice(direction: direction, name: name)]
  }

  func property(in snapshot: ServerSnapshot) -> Property { .device(direction) }
}
