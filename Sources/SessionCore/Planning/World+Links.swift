import PulseTypes

extension World {
  /// A number that is not taken; a server's numbers can be anything, the highest included.
  static func free(_ taken: [UInt32]) -> UInt32 {
    let highest = taken.filter { $0 < .max - 1 }.max() ?? 0
    guard taken.contains(highest + 1) else { return highest + 1 }
    let all = Set(taken)
    return (1..<UInt32.max).first { !all.contains($0) } ?? 0
  }

  func freeStreamIndex(_ direction: Direction) -> Index<Stream> {
    Index(Self.free(snapshot.streams(direction).map(\.index.rawValue)))
  }

  /// Removes a link of ours; its streams move to its master, as PulseAudio does.
  mutating func removeLink(_ setting: Setting, _ direction: Direction) {
    let barren = snapshot.barrenModules(of: setting)
    snapshot.modules.removeAll { barren.contains($0.index) }
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

  mutating func addRemap(_ spec: RemapSpec) {
    let module = addModule(spec.moduleName, spec.moduleArgument)
    add(
      spec.direction, spec.name, spec.map, [Owned.roleKey: Owned.remapRole], of: module,
      on: spec.master, taking: spec.masterMap)
  }

  mutating func addCombination(_ spec: CombineSpec) {
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

  mutating func addCanceller(_ spec: EchoCancellerSpec) {
    let module = addModule(spec.moduleName, spec.moduleArgument)
    add(
      .input, Owned.echoName(.input), spec.map,
      [Owned.roleKey: Owned.echoRole, Owned.echoKey: "\(spec.method) \(spec.rate)"], of: module,
      on: spec.input, taking: spec.map)
    add(
      .output, Owned.echoName(.output), .mono, [Owned.roleKey: Owned.echoRole], of: module,
      on: spec.output, taking: .mono)
  }

  mutating func treat(_ treatment: Treatment, _ value: SettingValue) {
    let ours = Set(snapshot.modules(of: treatment).map(\.index))
    snapshot.modules.removeAll { ours.contains($0.index) }
    guard let argument = treatment.moduleArgument(value) else { return }
    _ = addModule(treatment.moduleName, argument)
  }

  mutating func setTrigger(_ isThere: Bool) {
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
}
