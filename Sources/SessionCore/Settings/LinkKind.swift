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
