import PulseTypes

/// The device of another program's stream; the stream's index is valid during one run of the
/// server.
struct StreamSetting: DeviceChoiceSettingKind {
  let direction: Direction
  let index: Index<Stream>

  var object: String {
    (direction == .input ? "source output " : "sink input ") + index.description
  }
  var label: String { "device" }
  var phase: Phase { .channelMap }
  var traits: SettingTraits { [.stream, .ofOneProgram, .outlivesSession, .followsCard] }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.stream(direction, at: index).map { stream in
      snapshot.device(direction, at: stream.device).map { .name($0.name) } ?? .absent
    }
  }

  func answer(in snapshot: ServerSnapshot) -> Reading.Answer { .stream(direction) }

  /// A stream of one program that followed the default, or whose device is gone, follows the present
  /// default: PulseAudio forgets what a stream prefers when it is moved there, and stores any other device.
  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    let snapshot = planner.server.snapshot
    if case .name(let name) = before, snapshot.device(direction, named: name) != nil {
      return before
    }
    guard snapshot.isOfOneProgram else { return nil }
    return snapshot.defaultDevice(direction).map { .name($0.name) }
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .name(let name) = value else { return }
    let device = server.snapshot.device(direction, named: name)?.index
    server.edit(direction, index) { $0.device = device }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .name(let device) = value else { return nil }
    return [.moveStream(direction, index, device: device)]
  }

  func written(in snapshot: ServerSnapshot) -> [ObjectID] { [.stream(direction, index)] }
}
