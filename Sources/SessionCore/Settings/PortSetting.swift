import PulseTypes

struct PortSetting: DeviceSettingKind {
  let direction: Direction
  let name: String

  var label: String { "port" }
  var phase: Phase { .port }
  var traits: SettingTraits { [.isLostAtTimes, .outlivesSession, .followsCard] }

  func property(in snapshot: ServerSnapshot) -> Property { .port(direction) }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.device(direction, named: name).map {
      $0.activePort.map(SettingValue.name) ?? .absent
    }
  }

  /// Each port has separate levels.
  func dependents(in snapshot: ServerSnapshot) -> [Setting] {
    snapshot.device(direction, named: name).map(Setting.all)?.filter(\.isLevel) ?? []
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

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .name(let port) = value else { return }
    server.edit(direction, name) { $0.activePort = port }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .name(let port) = value else { return nil }
    return [.setPort(direction, device: name, port)]
  }
}
