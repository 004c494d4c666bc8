import PulseTypes

/// The port of a device.
struct PortSetting: SettingKind {
  let direction: Direction
  let name: String

  var object: String { name }
  var device: NamedDevice? { NamedDevice(direction: direction, name: name) }
  var label: String { "port" }
  var phase: Phase { .port }
  var traits: SettingTraits { [.isLostAtTimes, .outlivesSession, .followsCard] }

  func devices(under value: SettingValue) -> [NamedDevice] { [device].compactMap { $0 } }

  func property(in snapshot: ServerSnapshot) -> Property {
    .port(direction)
  }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.device(direction, named: name).map {
      $0.activePort.map(SettingValue.name) ?? .absent
    }
  }

  /// Each port has separate levels.
  func dependents(in snapshot: ServerSnapshot) -> [Setting] {
    [.volume(direction, device: name), .mute(direction, device: name)]
  }

  func canChange(_ other: Setting, in snapshot: ServerSnapshot) -> Bool {
    other.isLevel && other.object == name
  }

  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    let ports = planner.server.snapshot.device(direction, named: name)?.ports ?? []
    guard case .name(let port) = before, let port = ports.first(where: { $0.name == port }) else {
      return nil
    }
    // An unplugged port would take a preferred device out of the server's choice of a default.
    let isPreferred = planner.resolution.devices[direction]?.name == name
    return port.availability.isUsable || !isPreferred ? before : nil
  }

  func predicted(in server: PredictedServer) -> SettingValue? {
    server.isPredicted(name) ? nil : read(server.snapshot)
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .name(let port) = value else { return }
    server.edit(direction, name) { $0.activePort = port }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .name(let port) = value else { return nil }
    return [.setPort(direction, device: name, port)]
  }

  func written(in snapshot: ServerSnapshot) -> [ServerObject] {
    snapshot.object(ofDevice: direction, name)
  }
}

extension ServerSnapshot {
  func object(ofDevice direction: Direction, _ name: String) -> [ServerObject] {
    device(direction, named: name).map { [.device(direction, $0.index)] } ?? []
  }
}
