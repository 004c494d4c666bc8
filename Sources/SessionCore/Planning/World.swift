import PulseTypes

/// A snapshot that a plan changes step by step, to know what the next step will find.
struct World {
  /// The server as it will be.
  var snapshot: ServerSnapshot
  /// The names of devices that do not exist yet; their values are not known.
  var predicted: Set<String> = []
  /// Cards whose profile an earlier step sets: what they offer then is not known.
  var changedCards: Set<String> = []
  /// Directions whose default went with a profile: the server will choose one, nobody knows which.
  var unknownDefaults: Set<Direction> = []

  init(_ snapshot: ServerSnapshot) { self.snapshot = snapshot }

  /// Whether a device is made by an earlier step of the plan.
  func isPredicted(_ device: String) -> Bool { predicted.contains(device) }

  /// Whether a card gets another profile by an earlier step.
  func isChanged(card: String) -> Bool { changedCards.contains(card) }

  /// What a setting will be; nil where that is not known before the step runs.
  func value(of setting: Setting) -> SettingValue? {
    switch setting {
    case .codec(let card): changedCards.contains(card) ? nil : snapshot.value(of: setting)
    case .rate(_, let device), .latency(_, let device), .port(_, let device),
      .volume(_, let device), .mute(_, let device):
      isPredicted(device) ? nil : snapshot.value(of: setting)
    case .defaultDevice(let direction):
      unknownDefaults.contains(direction) ? nil : snapshot.value(of: setting)
    default: snapshot.value(of: setting)
    }
  }

  /// Whether the step's object is made by an earlier one.
  func isDeferred(_ setting: Setting, to value: SettingValue) -> Bool {
    switch (setting, value) {
    case (.codec(let card), _): changedCards.contains(card)
    case (.chain(let direction), .remap(let spec)): standsOnPredicted(direction, spec.master)
    case (.combination, .combination(let spec)):
      spec.outputs.contains { standsOnPredicted(.output, $0) }
    case (.echoCanceller, .echoCanceller(let spec)):
      standsOnPredicted(.input, spec.input) || standsOnPredicted(.output, spec.output)
    case (.defaultDevice(let direction), .name(let name)): standsOnPredicted(direction, name)
    default: isPredicted(setting.object)
    }
  }

  /// Whether a device, or the hardware under it, is made by an earlier step.
  private func standsOnPredicted(_ direction: Direction, _ name: String) -> Bool {
    if isPredicted(name) { return true }
    return snapshot.device(direction, named: name).flatMap { snapshot.root(of: $0) }
      .map { isPredicted($0.name) } ?? false
  }

  /// Takes a step as done.
  mutating func apply(_ setting: Setting, _ value: SettingValue) {
    switch (setting, value) {
    case (.cardProfile(let card), .name(let profile)):
      setProfile(card, profile)
      changedCards.insert(card)
    case (.codec(let card), .name(let codec)):
      guard let at = snapshot.cards.firstIndex(where: { $0.name == card }) else { return }
      snapshot.cards[at].activeCodec = codec
    case (.defaultDevice(let direction), .name(let name)):
      unknownDefaults.remove(direction)
      setDefault(direction, name)
    case (.chain, _), (.echoCanceller, _), (.combination, _):
      for direction in Direction.allCases { removeLink(setting, direction) }
      if case .remap(let spec) = value { addRemap(spec) }
      if case .combination(let spec) = value { addCombination(spec) }
      if case .echoCanceller(let spec) = value { addCanceller(spec) }
    case (.others(let treatment), _): treat(treatment, value)
    case (.trigger, _): setTrigger(value == .flag(true))
    case (.othersMute(let index), .flag(let flag)): edit(index) { $0.isMuted = flag }
    case (.othersVolume(let index), .volume(let volume)): edit(index) { $0.volume = volume }
    case (.stream(let direction, let index), .name(let name)): move(direction, index, to: name)
    case (.latencyOffset(let card, let port), .duration(let offset)):
      setOffset(card: card, port: port, offset)
    default: setDeviceValue(setting, value)
    }
    snapshot.findLostPlaces()
  }

  mutating func setDefault(_ direction: Direction, _ name: String?) {
    if direction == .input {
      snapshot.server.defaultSourceName = name
    } else {
      snapshot.server.defaultSinkName = name
    }
  }

  mutating func edit(
    _ direction: Direction, _ name: String, _ change: (inout Device) -> Void
  ) {
    let path = Self.devices(direction)
    guard let at = snapshot[keyPath: path].firstIndex(where: { $0.name == name }) else { return }
    change(&snapshot[keyPath: path][at])
  }

  mutating func edit(_ index: Index<Stream>, _ change: (inout Stream) -> Void) {
    guard let at = snapshot.sinkInputs.firstIndex(where: { $0.index == index }) else { return }
    change(&snapshot.sinkInputs[at])
  }

  static func devices(
    _ direction: Direction
  ) -> WritableKeyPath<ServerSnapshot, [Device]> {
    direction == .input ? \.sources : \.sinks
  }

  static func streams(
    _ direction: Direction
  ) -> WritableKeyPath<ServerSnapshot, [Stream]> {
    direction == .input ? \.sourceOutputs : \.sinkInputs
  }

  private mutating func setDeviceValue(_ setting: Setting, _ value: SettingValue) {
    switch (setting, value) {
    case (.rate(let direction, let name), .rate(let rate)):
      edit(direction, name) { $0.sampleSpec.rate = UInt32(clamping: rate) }
      if snapshot.hasGraph { setRatePin(direction, name, rate) }
    case (.rate(let direction, let name), .absent): setRatePin(direction, name, nil)
    case (.port(let direction, let name), .name(let port)):
      edit(direction, name) { $0.activePort = port }
    case (.volume(let direction, let name), .volume(let volume)):
      edit(direction, name) { $0.volume = volume }
    case (.mute(let direction, let name), .flag(let flag)):
      edit(direction, name) { $0.isMuted = flag }
    case (.latency(let direction, let name), _): setPin(direction, name, value)
    default: break
    }
  }

  private mutating func move(_ direction: Direction, _ index: Index<Stream>, to name: String) {
    let path = Self.streams(direction)
    guard let at = snapshot[keyPath: path].firstIndex(where: { $0.index == index }) else { return }
    snapshot[keyPath: path][at].device = snapshot.device(direction, named: name)?.index
  }

  private mutating func setOffset(card: String, port: String, _ offset: Duration) {
    guard let at = snapshot.cards.firstIndex(where: { $0.name == card }),
      let p = snapshot.cards[at].ports.firstIndex(where: { $0.name == port })
    else { return }
    snapshot.cards[at].ports[p].latencyOffset = offset
  }
}
