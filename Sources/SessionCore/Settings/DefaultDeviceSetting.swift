import PulseTypes

struct DefaultDeviceSetting: DeviceChoiceSettingKind {
  let direction: Direction

  var defaultDirection: Direction? { direction }
  var object: String { "server" }
  var label: String { direction == .input ? "default source" : "default sink" }
  var phase: Phase { .preferredDevices }
  var traits: SettingTraits { [.outlivesSession, .followsCard] }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.server.defaultName(direction).map(SettingValue.name) ?? SettingValue.absent
  }

  func answer(in snapshot: ServerSnapshot) -> Reading.Answer { .server }

  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    guard case .name(let name) = before else { return nil }
    let device = planner.server.snapshot.device(direction, named: name)
    return device?.canBeDefault == true ? before : nil
  }

  /// If the session's default is gone, the current one is the server's fallback; unless this run
  /// removed it, and another one was the default then.
  func isOwn(_ ours: SettingValue, in planner: Planner) -> Bool {
    guard case .name(let name) = ours,
      planner.server.snapshot.device(direction, named: name) == nil
    else { return false }
    guard planner.mayHaveFallenBack(direction) else { return false }
    let isRemoved = planner.input.journal.entries.contains {
      $0.setting.kind.link?.deviceName(direction) == name && $0.before != .absent
    }
    return !isRemoved || planner.input.journal[.defaultDevice(direction)]?.before == ours
  }

  func predicted(in server: PredictedServer) -> SettingValue? {
    server.unknownDefaults.contains(direction) ? nil : read(server.snapshot)
  }

  func isDeferred(to value: SettingValue, in server: PredictedServer) -> Bool {
    guard case .name(let name) = value else { return server.isPredicted(object) }
    return server.standsOnPredicted(direction, name)
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .name(let name) = value else { return }
    server.unknownDefaults.remove(direction)
    server.setDefault(direction, name)
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .name(let name) = value else { return nil }
    return [.setDefault(direction, name)]
  }

  func written(in snapshot: ServerSnapshot) -> [ObjectID] { [.server] }

  func patience(isLazy: Bool) -> Duration? { .milliseconds(isLazy ? 500 : 250) }
}
