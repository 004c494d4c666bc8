import PulseTypes

struct MuteSetting: DeviceSettingKind {
  let direction: Direction
  let name: String

  var label: String { "mute" }
  var phase: Phase { .levels }
  var traits: SettingTraits {
    [.isLostAtTimes, .showsWhenAwake, .level, .outlivesSession, .followsCard]
  }

  func property(in snapshot: ServerSnapshot) -> Property { .muted(direction) }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.device(direction, named: name).map { .flag($0.isMuted) }
  }

  /// Nothing but a change that was asked for unmutes an input.
  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    direction == .input && before == .flag(false) && !planner.input.unmutesInputs ? nil : before
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .flag(let flag) = value else { return }
    server.edit(direction, name) { $0.isMuted = flag }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .flag(let flag) = value else { return nil }
    return [.setMute(direction, device: name, flag)]
  }
}
