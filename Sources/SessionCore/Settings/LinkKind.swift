import PulseTypes

/// A link of a chain: a module of the session with one or two devices.
protocol LinkKind: SettingKind {
  var setting: Setting { get }
  /// The module that makes it.
  var moduleName: String { get }
  /// The kind of its device in a direction, in the terms of `Owned`; nil if it has none there.
  func role(_ direction: Direction) -> String?
  func deviceName(_ direction: Direction) -> String
  /// What a value asks for; nil if the value is not this kind of link.
  func spec(_ value: SettingValue) -> (any LinkSpec)?
}

/// What a link of a chain is made from.
protocol LinkSpec {
  /// The arguments to load the module with.
  var moduleArgument: String { get }
  /// The devices on which it stands.
  var masters: [NamedDevice] { get }
  /// Predicts what its module makes.
  func predict(_ module: Index<Module>, in server: inout PredictedServer)
}

extension LinkKind {
  var link: (any LinkKind)? { self }

  var phase: Phase { .channelMap }
  var traits: SettingTraits { [.module, .makesObjects] }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    for direction in Direction.allCases { server.removeLink(setting, direction) }
    guard let spec = spec(value) else { return }
    let module = server.addModule(moduleName, spec.moduleArgument)
    spec.predict(module, in: &server)
  }

  /// The defaults, except one that is another device than the link: a link's removal keeps it.
  func dependents(in snapshot: ServerSnapshot) -> [Setting] {
    Direction.allCases.filter { direction in
      let owned = snapshot.chain.ownedDevices(direction, of: setting)
      return role(direction) != nil
        && (owned.isEmpty || owned.contains { $0.name == snapshot.server.defaultName(direction) })
    }.map(Setting.defaultDevice)
  }

  func devices(under value: SettingValue) -> [NamedDevice] { spec(value)?.masters ?? [] }

  func isDeferred(to value: SettingValue, in server: PredictedServer) -> Bool {
    guard let spec = spec(value) else { return server.isPredicted(object) }
    return spec.masters.contains { server.standsOnPredicted($0.direction, $0.name) }
  }

  func bracket(_ target: Target, from now: SettingValue?, in planner: inout Planner) {
    let devices = planner.server.snapshot.chain.devices(of: setting)
    planner.unload(linksOn: devices, phase: target.phase, target.why)
    if target.value == .absent {
      planner.release(setting, phase: target.phase, target.why)
    } else if now != SettingValue.absent {
      planner.unload(setting, phase: target.phase, "another one takes its place")
    }
  }

  /// A link that had lost its master, or would have none now, is not worth restoring.
  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    let snapshot = planner.server.snapshot
    let hasMasters = spec(before)?.masters.allSatisfy {
      snapshot.device($0.direction, named: $0.name) != nil
    }
    return hasMasters == true ? before : .absent
  }

  /// Unloads the existing link, whichever run made it, then loads the requested one.
  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    let standing = snapshot.chain.modules(of: setting).map {
      ServerRequest.unloadModule($0, isSure: false)
    }
    guard let spec = spec(value) else { return standing }
    return standing + [
      .loadModule(
        moduleName, argument: spec.moduleArgument, keepingRates: spec as? EchoCancellerSpec)
    ]
  }

  func written(in snapshot: ServerSnapshot) -> [ObjectID] { [.server] }
}

extension ChainView {
  /// A link that lost its master, or exists twice, never equals a requested one.
  func value(_ setting: Setting, _ direction: Direction, _ value: SettingValue?) -> SettingValue {
    let owned = ownedDevices(direction, of: setting)
    // While a dead link still has its name, the server names the next one differently; it must be
    // built again.
    let isNamed = devices(of: setting).allSatisfy { $0.name == setting.deviceName($0.direction) }
    if owned.count == 1, isNamed, let value { return value }
    if let owned = owned.last { return .name(owned.name) }
    return barrenModules(of: setting).isEmpty ? .absent : .name("a module without a device")
  }
}

extension PredictedServer {
  /// A free index; a server's indexes can be any numbers, including the highest.
  static func free(_ taken: [UInt32]) -> UInt32 {
    let highest = taken.filter { $0 < .max - 1 }.max() ?? 0
    guard taken.contains(highest + 1) else { return highest + 1 }
    let all = Set(taken)
    return (1..<UInt32.max).first { !all.contains($0) } ?? 0
  }

  func freeStreamIndex(_ direction: Direction) -> Index<Stream> {
    Index(Self.free(snapshot.streams(direction).map(\.index.rawValue)))
  }

  /// Removes a link of the session; its streams move to its master, as in PulseAudio.
  mutating func removeLink(_ setting: Setting, _ direction: Direction) {
    let barren = snapshot.chain.barrenModules(of: setting)
    snapshot.modules.removeAll { barren.contains($0.index) }
    let devices = Self.devices(direction)
    for device in snapshot.chain.ownedDevices(direction, of: setting) {
      let master = snapshot.chain.link(of: device)?.device
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

  mutating func addModule(_ name: String, _ argument: String) -> Index<Module> {
    let index = Index<Module>(Self.free(snapshot.modules.map(\.index.rawValue)))
    snapshot.modules.append(Module(index: index, name: name, argument: argument))
    return index
  }

  /// A device of the session, and the stream that connects it to its master.
  mutating func addDevice(
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
