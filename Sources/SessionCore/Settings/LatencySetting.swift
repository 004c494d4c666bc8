import PulseTypes

/// The latency of a device: a hint, which a stream of the session holds.
struct LatencySetting: DeviceSettingKind {
  let direction: Direction
  let name: String

  var label: String { "latency" }
  var phase: Phase { .ioBufferDuration }
  var traits: SettingTraits { [.hint, .ownStream, .ofOneProgram] }

  func property(in snapshot: ServerSnapshot) -> Property { .ioBufferDuration }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.device(direction, named: name).map { pinned(on: $0, in: snapshot) }
  }

  func answer(in snapshot: ServerSnapshot) -> Reading.Answer { .stream(direction) }

  private func pinned(on device: Device, in snapshot: ServerSnapshot) -> SettingValue {
    let pin = snapshot.pins.streams(on: device).first { $0.properties[Owned.pinLatencyKey] != nil }
    guard let pin, let micros = pin.properties[Owned.pinLatencyKey].flatMap({ Int64($0) }) else {
      return .absent
    }
    let latency = Duration.microseconds(micros)
    // A number of frames is another duration once the graph has another rate.
    let wanted = snapshot.pins.latencyPin(latency, on: device)[Graph.quantumKey]
    let forced = pin.properties[Graph.quantumKey]
    guard forced != wanted else { return .duration(latency) }
    guard let frames = forced.flatMap({ Int($0) }), (1...1 << 24).contains(frames) else {
      return .absent
    }
    return .duration(Graph.duration(frames: frames, rate: snapshot.rate(of: device)))
  }

  /// The pin is the session's alone.
  func isOwn(_ ours: SettingValue, in planner: Planner) -> Bool { true }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    server.setPin(direction, name, value)
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    [.setOwnStream(.latency(direction, device: name), value)]
  }
}
