import PulseTypes

/// The device of another program's stream; the stream's index is valid during one run of the
/// server.
struct StreamSetting: SettingKind {
  let direction: Direction
  let index: Index<Stream>

  var object: String {
    (direction == .input ? "source output " : "sink input ") + index.description
  }
  var label: String { "device" }
  var phase: Phase { .channelMap }
  var traits: SettingTraits { [.stream, .ofOneProgram, .outlivesSession, .followsCard] }

  func devices(under value: SettingValue) -> [NamedDevice] {
    guard case .name(let name) = value else { return [] }
    return [NamedDevice(direction: direction, name: name)]
  }

  func property(in snapshot: ServerSnapshot) -> Property {
    .device(direction)
  }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.stream(direction, at: index).map { stream in
      snapshot.device(direction, at: stream.device).map { .name($0.name) } ?? .absent
    }
  }

  func answer(in snapshot: ServerSnapshot) -> Reading.Answer { .stream(direction) }

  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    guard case .name(let name) = before else { return nil }
    return planner.server.snapshot.device(direction, named: name) == nil ? nil : before
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .name(let name) = value else { return }
    let path = PredictedServer.streams(direction)
    guard let at = server.snapshot[keyPath: path].firstIndex(where: { $0.index == index }) else {
      return
    }
    server.snapshot[keyPath: path][at].device =
      server.snapshot.device(direction, named: name)?.index
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .name(let device) = value else { return nil }
    return [.moveStream(direction, index, device: device)]
  }

  func written(in snapshot: ServerSnapshot) -> [ServerObject] { [.stream(direction, index)] }

  /// A stream that has ended need not be moved.
  func isMet(_ value: SettingValue, in snapshot: ServerSnapshot) -> Bool {
    let now = read(snapshot)
    return now == nil || now == value
  }
}
