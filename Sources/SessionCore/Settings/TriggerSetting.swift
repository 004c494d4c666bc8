import PulseTypes

struct TriggerSetting: SettingKind {
  var object: String { "server" }
  var label: String { "trigger for others" }
  var phase: Phase { .levels }
  var traits: SettingTraits { .ownStream }

  func devices(under value: SettingValue) -> [NamedDevice] { [] }

  func property(in snapshot: ServerSnapshot) -> Property { .options }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    // One that is muted triggers nothing.
    snapshot.streams(.output, having: Owned.pinKey).contains {
      $0.properties[Owned.pinKey] == Owned.triggerPin && !$0.isMuted
    } ? .flag(true) : SettingValue.absent
  }

  func isOwn(_ ours: SettingValue, in planner: Planner) -> Bool { true }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    server.snapshot.sinkInputs.removeAll { $0.properties[Owned.pinKey] == Owned.triggerPin }
    guard value == .flag(true) else { return }
    server.snapshot.sinkInputs.append(
      Stream(
        direction: .output, index: server.freeStreamIndex(.output),
        device: server.snapshot.defaultDevice(.output)?.index,
        sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
        properties: [Owned.pinKey: Owned.triggerPin]))
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    [.setOwnStream(.trigger, value)]
  }

  func written(in snapshot: ServerSnapshot) -> [ObjectID] { [.server] }
}
