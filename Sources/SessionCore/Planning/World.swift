import PulseTypes

/// A snapshot that a plan changes step by step, to know what the next step will find.
struct World {
  /// The server as it will be.
  private(set) var snapshot: ServerSnapshot
  /// The names of devices that do not exist yet; their values are not known.
  private var predicted: Set<String> = []
  /// Cards whose profile an earlier step sets: what they offer then is not known.
  private var changedCards: Set<String> = []
  /// Directions whose default went with a profile: the server will choose one, nobody knows which.
  private var unknownDefaults: Set<Direction> = []

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
    case (.defaultDevice(let direction), .name(let name)): setDefault(direction, name)
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

  private mutating func setDefault(_ direction: Direction, _ name: String) {
    unknownDefaults.remove(direction)
    if direction == .input {
      snapshot.server.defaultSourceName = name
    } else {
      snapshot.server.defaultSinkName = name
    }
  }

  private mutating func edit(
    _ direction: Direction, _ name: String, _ change: (inout Device) -> Void
  ) {
    let path = Self.devices(direction)
    guard let at = snapshot[keyPath: path].firstIndex(where: { $0.name == name }) else { return }
    change(&snapshot[keyPath: path][at])
  }

  private mutating func edit(_ index: Index<Stream>, _ change: (inout Stream) -> Void) {
    guard let at = snapshot.sinkInputs.firstIndex(where: { $0.index == index }) else { return }
    change(&snapshot.sinkInputs[at])
  }

  private static func devices(
    _ direction: Direction
  ) -> WritableKeyPath<ServerSnapshot, [Device]> {
    direction == .input ? \.sources : \.sinks
  }

  private static func streams(
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

  private mutating func setRatePin(_ direction: Direction, _ name: String, _ rate: Int?) {
    guard let device = snapshot.device(direction, named: name) else { return }
    let path = Self.streams(direction)
    snapshot[keyPath: path].removeAll {
      $0.device == device.index && $0.properties[Owned.pinKey] == "rate"
    }
    guard let rate else { return }
    addPin(device, snapshot.ratePin(rate))
  }

  private mutating func addPin(_ device: Device, _ properties: [String: String]) {
    snapshot[keyPath: Self.streams(device.direction)].append(
      Stream(
        direction: device.direction, index: freeStreamIndex(device.direction),
        device: device.index, sampleSpec: device.sampleSpec, channelMap: device.channelMap,
        isCorked: true, properties: properties))
  }

  private mutating func setPin(_ direction: Direction, _ name: String, _ value: SettingValue) {
    guard let device = snapshot.device(direction, named: name) else { return }
    let path = Self.streams(direction)
    let former = snapshot.pins(on: device).filter { $0.properties[Owned.pinLatencyKey] != nil }
    snapshot[keyPath: path].removeAll { pin in former.contains { $0.index == pin.index } }
    guard case .duration(let latency) = value else { return }
    addPin(device, snapshot.latencyPin(latency, on: device))
    if !snapshot.hasGraph { edit(direction, name) { $0.configuredLatency = latency } }
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

// MARK: Things that come and go

extension World {
  /// A number that is not taken; a server's numbers can be anything, the highest included.
  private static func free(_ taken: [UInt32]) -> UInt32 {
    let highest = taken.filter { $0 < .max - 1 }.max() ?? 0
    guard taken.contains(highest + 1) else { return highest + 1 }
    let all = Set(taken)
    return (1..<UInt32.max).first { !all.contains($0) } ?? 0
  }

  private func freeStreamIndex(_ direction: Direction) -> Index<Stream> {
    Index(Self.free(snapshot.streams(direction).map(\.index.rawValue)))
  }

  /// Removes a link of ours; its streams move to its master, as PulseAudio does.
  private mutating func removeLink(_ setting: Setting, _ direction: Direction) {
    let devices = Self.devices(direction)
    for device in snapshot.ownedDevices(direction, of: setting) {
      let master = snapshot.link(of: device)?.device
      let streams = Self.streams(direction)
      snapshot[keyPath: streams].removeAll {
        $0.ownerModule != nil && $0.ownerModule == device.ownerModule
      }
      for at in snapshot[keyPath: streams].indices
      where snapshot[keyPath: streams][at].device == device.index {
        snapshot[keyPath: streams][at].device = master
      }
      snapshot[keyPath: devices].removeAll { $0.name == device.name }
      snapshot.modules.removeAll { $0.index == device.ownerModule }
    }
  }

  private mutating func addRemap(_ spec: RemapSpec) {
    let module = addModule(spec.moduleName, spec.moduleArgument)
    add(
      spec.direction, spec.name, spec.map, [Owned.roleKey: Owned.remapRole], of: module,
      on: spec.master, taking: spec.masterMap)
  }

  private mutating func addCombination(_ spec: CombineSpec) {
    let module = addModule(spec.moduleName, spec.moduleArgument)
    add(
      .output, Owned.combineName, spec.map,
      [Owned.roleKey: Owned.combineRole, Owned.primaryKey: spec.primary], of: module,
      on: spec.primary, taking: spec.map)
    for name in spec.outputs where name != spec.primary {
      guard let device = snapshot.device(.output, named: name) else { continue }
      snapshot.sinkInputs.append(
        Stream(
          direction: .output, index: freeStreamIndex(.output), ownerModule: module,
          device: device.index, sampleSpec: device.sampleSpec, channelMap: spec.map))
    }
  }

  private mutating func addCanceller(_ spec: EchoCancellerSpec) {
    let module = addModule(spec.moduleName, spec.moduleArgument)
    add(
      .input, Owned.echoName(.input), spec.map,
      [Owned.roleKey: Owned.echoRole, Owned.echoKey: "\(spec.method) \(spec.rate)"], of: module,
      on: spec.input, taking: spec.map)
    add(
      .output, Owned.echoName(.output), .mono, [Owned.roleKey: Owned.echoRole], of: module,
      on: spec.output, taking: .mono)
  }

  private mutating func treat(_ treatment: Treatment, _ value: SettingValue) {
    let ours = Set(snapshot.modules(of: treatment).map(\.index))
    snapshot.modules.removeAll { ours.contains($0.index) }
    guard let argument = treatment.moduleArgument(value) else { return }
    _ = addModule(treatment.moduleName, argument)
  }

  private mutating func setTrigger(_ isThere: Bool) {
    snapshot.sinkInputs.removeAll { $0.properties[Owned.pinKey] == Owned.triggerPin }
    guard isThere else { return }
    snapshot.sinkInputs.append(
      Stream(
        direction: .output, index: freeStreamIndex(.output),
        device: snapshot.defaultDevice(.output)?.index,
        sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
        properties: [Owned.pinKey: Owned.triggerPin]))
  }

  private mutating func addModule(_ name: String, _ argument: String) -> Index<Module> {
    let index = Index<Module>(Self.free(snapshot.modules.map(\.index.rawValue)))
    snapshot.modules.append(Module(index: index, name: name, argument: argument))
    return index
  }

  /// A device of ours, and the stream by which it hangs on another.
  private mutating func add(
    _ direction: Direction, _ name: String, _ map: ChannelMap, _ properties: [String: String],
    of module: Index<Module>, on master: String, taking masterMap: ChannelMap
  ) {
    guard let master = snapshot.device(direction, named: master) else { return }
    let devices = Self.devices(direction)
    let index = Self.free(snapshot[keyPath: devices].map(\.index.rawValue))
    snapshot[keyPath: devices].append(
      Device(
        direction: direction, index: Index(index), name: name,
        sampleSpec: SampleSpec(
          format: master.sampleSpec.format, rate: master.sampleSpec.rate,
          channels: UInt8(clamping: map.count)),
        channelMap: map, ownerModule: module, properties: properties))
    snapshot[keyPath: Self.streams(direction)].append(
      Stream(
        direction: direction, index: freeStreamIndex(direction), ownerModule: module,
        device: master.index, sampleSpec: master.sampleSpec, channelMap: masterMap))
  }

  /// Sets a profile: devices whose part of the name is in both profiles stay, the others go, and
  /// those that come are predicted.
  private mutating func setProfile(_ name: String, _ profileName: String) {
    guard let at = snapshot.cards.firstIndex(where: { $0.name == name }),
      let profile = snapshot.cards[at].profile(named: profileName)
    else { return }
    let card = snapshot.cards[at]
    snapshot.cards[at].activeProfile = profileName
    for direction in Direction.allCases {
      let kept = card.active.map { Set($0.parts(direction)) } ?? []
      guard profile.count(direction) == 0 || kept != Set(profile.parts(direction)) else { continue }
      let devices = Self.devices(direction)
      let gone = snapshot[keyPath: devices].filter { $0.card == card.index && !$0.isMonitor }
      snapshot[keyPath: devices].removeAll { device in gone.contains { $0.name == device.name } }
      for new in card.deviceNames(direction, profile: profile) {
        predicted.insert(new)
        var device = card.predictedDevice(direction, named: new, profile: profile)
        // A number of its own, for the links that are to stand on it.
        device.index = Index(Self.free(snapshot[keyPath: devices].map(\.index.rawValue)))
        snapshot[keyPath: devices].append(device)
      }
      if let was = snapshot.server.defaultName(direction), gone.contains(where: { $0.name == was })
      {
        setDefault(direction, snapshot.devices(direction).first { !$0.isMonitor }?.name)
        unknownDefaults.insert(direction)
      }
    }
  }

  private mutating func setDefault(_ direction: Direction, _ name: String?) {
    if direction == .input {
      snapshot.server.defaultSourceName = name
    } else {
      snapshot.server.defaultSinkName = name
    }
  }
}
