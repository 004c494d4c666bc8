import PulseTypes
import SessionCore

// MARK: The default

extension SimulatedServer {
  /// The order of PulseAudio 16.1: an available port, the configured one, no monitor, priority.
  mutating func updateDefaults() {
    for direction in Direction.allCases {
      // Its session manager chooses the defaults.
      guard !snapshot.lacksSessionManager else {
        if snapshot.defaultDevice(direction) == nil { set(default: nil, direction) }
        continue
      }
      let current = snapshot.server.defaultName(direction)
      let best = snapshot.devices(direction).max { isWorse($0, than: $1, current) }
      set(default: best?.name, direction)
    }
  }

  private mutating func set(default name: String?, _ direction: Direction) {
    if direction == .input {
      snapshot.server.defaultSourceName = name
    } else {
      snapshot.server.defaultSinkName = name
    }
  }

  private func isWorse(_ a: Device, than b: Device, _ current: String?) -> Bool {
    func rank(_ device: Device) -> [Int] {
      let port = device.ports.first { $0.name == device.activePort }
      return [
        port?.availability == .no ? 0 : 1,
        device.name == configured[device.direction] ? 1 : 0,
        device.isMonitor ? 0 : 1,
        priorities[device.name] ?? 1000,
        device.name == current ? 1 : 0,
      ]
    }
    return rank(a).lexicographicallyPrecedes(rank(b))
  }

  /// Streams follow the default unless they were put elsewhere.
  mutating func setDefault(_ direction: Direction, _ name: String) throws(Refusal) {
    guard snapshot.device(direction, named: name) != nil else {
      throw Refusal("No such entity: \(name)")
    }
    guard !snapshot.lacksSessionManager else { throw Refusal("Not supported") }
    let old = snapshot.defaultDevice(direction)
    configured[direction] = name
    updateDefaults()
    guard let old, let new = snapshot.defaultDevice(direction), old.index != new.index else {
      return
    }
    let owned = Set(snapshot.modules.map { Optional($0.index) })
    editStreams(direction) { stream in
      guard stream.device == old.index, stream.properties["stays"] == nil,
        stream.properties[Owned.pinKey] == nil,
        stream.ownerModule == nil || !owned.contains(stream.ownerModule)
      else { return }
      stream.device = new.index
    }
  }

  /// Streams whose device went are moved to the default; where there is none they end.
  mutating func rescueStreams() {
    for direction in Direction.allCases {
      let target = snapshot.defaultDevice(direction)
      removeStreams(direction) { stream in
        stream.device == nil
          && (target == nil || stream.properties[Owned.pinKey] != nil || stream.ownerModule != nil)
      }
      editStreams(direction) { stream in
        if stream.device == nil { stream.device = target?.index }
      }
    }
  }
}

// MARK: Streams

extension SimulatedServer {
  mutating func editStreams(_ direction: Direction, _ change: (inout Stream) -> Void) {
    let path = direction == .input ? \ServerSnapshot.sourceOutputs : \ServerSnapshot.sinkInputs
    for at in snapshot[keyPath: path].indices { change(&snapshot[keyPath: path][at]) }
  }

  mutating func edit(
    _ index: Index<Stream>, _ change: (inout Stream) -> Void
  ) throws(Refusal) {
    guard snapshot.sinkInputs.contains(where: { $0.index == index }) else {
      throw Refusal("No such entity")
    }
    editStreams(.output) { if $0.index == index { change(&$0) } }
  }

  mutating func removeStreams(_ direction: Direction, _ condition: (Stream) -> Bool) {
    if direction == .input {
      snapshot.sourceOutputs.removeAll(where: condition)
    } else {
      snapshot.sinkInputs.removeAll(where: condition)
    }
  }

  /// A stream with a rate of its own sets that of PulseAudio's device, paused or not, where nothing runs.
  @discardableResult
  mutating func add(
    stream program: String, _ direction: Direction, on name: String, isCorked: Bool = false,
    properties: [String: String] = [:], latency: Duration? = nil, rate: UInt32? = nil
  ) -> Index<Stream> {
    if let rate, !snapshot.has(.graphRate) { try? askRate(direction, name, rate) }
    guard let device = snapshot.device(direction, named: name) else {
      fatalError("no \(name) for a stream")
    }
    let index = Index<Stream>(newIndex())
    var spec = device.sampleSpec
    spec.rate = rate ?? spec.rate
    let stream = Stream(
      direction: direction, index: index, device: device.index,
      sampleSpec: spec, channelMap: device.channelMap,
      volume: ChannelVolumes(.norm, channels: device.channelMap.count), isCorked: isCorked,
      driver: "protocol-native.c",
      properties: properties.merging(["application.name": program]) { own, _ in own })
    if direction == .input {
      snapshot.sourceOutputs.append(stream)
    } else {
      snapshot.sinkInputs.append(stream)
    }
    askedLatency[index] = latency
    updateStates()
    return index
  }

  mutating func move(
    _ direction: Direction, _ index: Index<Stream>, _ name: String
  ) throws(Refusal) {
    guard let device = snapshot.device(direction, named: name),
      let stream = snapshot.streams(direction).first(where: { $0.index == index })
    else { throw Refusal("No such entity") }
    guard stream.properties["stays"] == nil else { throw Refusal("Invalid argument: DONT_MOVE") }
    editStreams(direction) { if $0.index == index { $0.device = device.index } }
  }

  /// The latency of a device is the least that its streams asked for, corked ones included.
  mutating func pin(
    _ direction: Direction, _ name: String, _ value: SettingValue
  ) throws(Refusal) {
    guard let device = snapshot.device(direction, named: name) else {
      throw Refusal("No such entity: \(name)")
    }
    removeStreams(direction) {
      $0.device == device.index && $0.properties[Owned.pinLatencyKey] != nil
    }
    guard case .duration(let latency) = value else { return }
    add(
      stream: "audiosession", direction, on: name, isCorked: true,
      properties: snapshot.pins.latencyPin(latency, on: device), latency: latency)
  }

  /// PipeWire: a pin that waits until the device is used.
  mutating func pinRate(
    _ direction: Direction, _ name: String, _ rate: Int?
  ) throws(Refusal) {
    guard let device = snapshot.device(direction, named: name) else {
      throw Refusal("No such entity: \(name)")
    }
    removeStreams(direction) {
      $0.device == device.index && $0.properties[Owned.pinKey] == "rate"
    }
    guard let rate else { return }
    add(
      stream: "audiosession", direction, on: name, isCorked: true,
      properties: snapshot.pins.ratePin(rate))
  }

  /// Running, idle, and the latencies that follow from the streams.
  mutating func updateStates() {
    for direction in Direction.allCases {
      for device in snapshot.devices(direction) {
        let streams = snapshot.streams(on: device)
        let least = streams.compactMap { askedLatency[$0.index] }.min()
        let isGraph = snapshot.has(.unreportedBuffer)
        let range = range(of: device.name)
        let isFixed = range.lowerBound == range.upperBound
        try? edit(direction, device.name) { device in
          device.state = streams.contains { !$0.isCorked } ? .running : .idle
          guard !isGraph else { return }
          device.configuredLatency =
            least.map { min(max($0, range.lowerBound), range.upperBound) }
            ?? (streams.isEmpty && !isFixed ? .zero : range.upperBound)
        }
      }
    }
    updateGraph()
    noteCycles()
    shareVolumes()
  }

  /// The device whose volume PulseAudio's echo canceller has; nil for any other device.
  func sharedMaster(_ direction: Direction, _ name: String) -> Device? {
    guard let device = snapshot.device(direction, named: name), snapshot.isOwned(device),
      !snapshot.chain.hasOwnVolume(device)
    else { return nil }
    return snapshot.chain.master(of: device)
  }

  /// A canceller has the volume of its masters, the mean of their channels if it has one.
  private mutating func shareVolumes() {
    for direction in Direction.allCases {
      // The output's canceller is over its remap, the input's under it: no canceller is over another one.
      for device in snapshot.devices(direction) {
        guard let master = sharedMaster(direction, device.name) else { continue }
        let values = master.volume.values.map(\.rawValue)
        let mean = Volume(rawValue: values.reduce(0, +) / UInt32(max(1, values.count)))
        let channels = device.channelMap.count
        try? edit(direction, device.name) {
          $0.volume =
            channels == values.count
            ? master.volume : ChannelVolumes(mean, channels: channels)
        }
      }
    }
  }
}

extension SimulatedServer {
  private static let latencies = Duration.microseconds(500)...(.seconds(2))

  private func range(of device: String) -> ClosedRange<Duration> {
    latencies[device] ?? Self.latencies
  }

  /// What the sizes of each latency pin's buffer come to: what the device gives that stream alone.
  var grants: [Setting: Duration] {
    var result: [Setting: Duration] = [:]
    for pin in snapshot.sourceOutputs + snapshot.sinkInputs {
      guard pin.properties[Owned.pinLatencyKey] != nil,
        let device = snapshot.devices(pin.direction).first(where: { $0.index == pin.device })
      else { continue }
      if snapshot.has(.unreportedBuffer) {
        result[.latency(device.direction, device: device.name)] = shownCycles[pin.index]
        continue
      }
      guard let asked = askedLatency[pin.index] else { continue }
      let range = range(of: device.name)
      let given = min(max(asked, range.lowerBound), range.upperBound)
      // Of a playback stream the sizes say otherwise where the buffer is shorter than asked.
      let isOdd = device.direction == .output && given < asked
      result[.latency(device.direction, device: device.name)] = isOdd ? asked * 2 - given : given
    }
    return result
  }
}

// MARK: Links of a chain

extension SimulatedServer {
  /// The remap takes its master's streams map; its own starts at 100 % and unmuted.
  mutating func loadRemap(_ spec: RemapSpec) throws(Refusal) {
    let module = try load(RemapSpec.moduleName(spec.direction), spec.moduleArgument)
    try hang(
      spec.direction, spec.name, spec.map, [Owned.roleKey: Owned.remapRole], of: module,
      on: spec.master, taking: spec.masterMap)
  }

  /// The canceller's source has the channels it is told to have, its sink has one.
  mutating func loadCanceller(_ spec: EchoCancellerSpec) throws(Refusal) {
    guard spec.method == "webrtc" else { throw Refusal("Module initialization failed") }
    let module = try load(EchoCancellerSpec.moduleName, spec.moduleArgument)
    try hang(
      .input, Owned.echoName(.input), spec.map,
      [Owned.roleKey: Owned.echoRole, Owned.echoKey: "\(spec.method) \(spec.rate)"], of: module,
      on: spec.input, taking: spec.map)
    try hang(
      .output, Owned.echoName(.output), .mono, [Owned.roleKey: Owned.echoRole], of: module,
      on: spec.output, taking: .mono)
  }

  /// A stream on each of its outputs.
  mutating func loadCombination(_ spec: CombineSpec) throws(Refusal) {
    let module = try load(CombineSpec.moduleName, spec.moduleArgument)
    try hang(
      .output, Owned.combineName, spec.map,
      [Owned.roleKey: Owned.combineRole, Owned.primaryKey: spec.primary], of: module,
      on: spec.primary, taking: spec.map)
    for name in spec.outputs where name != spec.primary {
      guard let output = snapshot.device(.output, named: name) else {
        throw Refusal("Module initialization failed: no \(name)")
      }
      snapshot.sinkInputs.append(
        Stream(
          direction: .output, index: Index(newIndex()), ownerModule: module,
          device: output.index, sampleSpec: output.sampleSpec, channelMap: spec.map,
          driver: "module-of-ours.c"))
    }
  }

  private mutating func load(_ name: String, _ argument: String) throws(Refusal) -> Index<Module> {
    guard !deniesModules else { throw Refusal("Access denied") }
    let module = Index<Module>(newIndex())
    snapshot.modules.append(Module(index: module, name: name, argument: argument))
    return module
  }

  /// A module's device and the stream by which it hangs on its master.
  private mutating func hang(
    _ direction: Direction, _ preference: String, _ map: ChannelMap, _ properties: [String: String],
    of module: Index<Module>, on master: String, taking masterMap: ChannelMap
  ) throws(Refusal) {
    guard let master = snapshot.device(direction, named: master) else {
      snapshot.modules.removeAll { $0.index == module }
      throw Refusal("Module initialization failed: no master \(master)")
    }
    var name = preference
    var number = 2
    while snapshot.device(direction, named: name) != nil {
      name = "\(preference).\(number)"
      number += 1
    }
    let device = Device(
      direction: direction, index: Index(newIndex()), name: name, driver: "module-of-ours.c",
      sampleSpec: SampleSpec(
        format: .s16le, rate: master.sampleSpec.rate, channels: UInt8(map.count)),
      channelMap: map, ownerModule: module, properties: properties)
    rates[name] = []
    priorities[name] = 500
    let link = Stream(
      direction: direction, index: Index(newIndex()), ownerModule: module, device: master.index,
      sampleSpec: master.sampleSpec, channelMap: masterMap, driver: "module-of-ours.c")
    if direction == .input {
      snapshot.sourceOutputs.append(link)
    } else {
      snapshot.sinkInputs.append(link)
    }
    add(device)
    let back = linkStreams[name] ?? []
    editStreams(direction) { if back.contains($0.index) { $0.device = device.index } }
    updateDefaults()
  }

  /// Streams of a link move to its master and come back when it does.
  mutating func unload(_ role: String, _ direction: Direction) {
    let modules = snapshot.devices(direction).filter { $0.properties[Owned.roleKey] == role }
      .compactMap(\.ownerModule)
    let devices = (snapshot.sources + snapshot.sinks).filter {
      $0.ownerModule.map(modules.contains) == true && !$0.isMonitor
    }
    for device in devices {
      let link = snapshot.streams(device.direction).first { $0.ownerModule == device.ownerModule }
      removeStreams(device.direction) { $0.index == link?.index }
      let moved = snapshot.streams(on: device).filter { $0.ownerModule == nil }
      linkStreams[device.name, default: []].formUnion(moved.map(\.index))
      editStreams(device.direction) { stream in
        if stream.device == device.index, stream.ownerModule == nil { stream.device = link?.device }
      }
      remove(device)
    }
    snapshot.modules.removeAll { modules.contains($0.index) }
    updateDefaults()
    rescueStreams()
  }
}
