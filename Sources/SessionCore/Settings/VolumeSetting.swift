import PulseTypes

/// The volume of a device.
struct VolumeSetting: DeviceSettingKind {
  let direction: Direction
  let name: String

  var label: String { "volume" }
  var phase: Phase { .levels }
  var traits: SettingTraits {
    [.isLostAtTimes, .showsWhenAwake, .level, .outlivesSession, .followsCard]
  }

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

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .volume(let volume) = value else { return }
    server.edit(direction, name) { $0.volume = volume }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .volume(let volume) = value else { return nil }
    return [.setVolume(direction, device: name, volume)]
  }
}
