import PulseTypes

/// The volume of a device.
struct VolumeSetting: SettingKind {
  let direction: Direction
  let name: String

  var object: String { name }
  var device: NamedDevice? { NamedDevice(direction: direction, name: name) }
  var label: String { "volume" }
  var phase: Phase { .levels }
  var traits: SettingTraits {
    [.isLostAtTimes, .showsWhenAwake, .level, .outlivesSession, .followsCard]
  }

  func devices(under value: SettingValue) -> [NamedDevice] { [device].compactMap { $0 } }

  func property(in snapshot: ServerSnapshot) -> Property {
    .level(direction)
  }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.device(direction, named: name).map { .volume($0.volume) }
  }

  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    guard case .volume(let volumes) = before else { return nil }
    let map = planner.server.snapshot.device(direction, named: name)?.channelMap
    return map?.count == volumes.values.count ? before : nil
  }

  func predicted(in server: PredictedServer) -> SettingValue? {
    server.isPredicted(name) ? nil : read(server.snapshot)
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .volume(let volume) = value else { return }
    server.edit(direction, name) { $0.volume = volume }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .volume(let volume) = value else { return nil }
    return [.setVolume(direction, device: name, volume)]
  }

  func written(in snapshot: ServerSnapshot) -> [ServerObject] {
    snapshot.object(ofDevice: direction, name)
  }
}
