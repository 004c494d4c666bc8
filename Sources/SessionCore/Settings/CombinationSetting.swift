import PulseTypes

struct CombinationSetting: LinkKind {
  var setting: Setting { .combination }
  var object: String { Owned.combineName }
  var label: String { "outputs" }
  var moduleName: String { CombineSpec.moduleName }

  func role(_ direction: Direction) -> String? { direction == .output ? Owned.combineRole : nil }

  func deviceName(_ direction: Direction) -> String { Owned.combineName }

  func property(in snapshot: ServerSnapshot) -> Property { .category }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.chain.value(setting, .output, snapshot.combination.map(SettingValue.combination))
  }

  func spec(_ value: SettingValue) -> (any LinkSpec)? {
    if case .combination(let spec) = value { spec } else { nil }
  }
}

extension CombineSpec {
  func predict(_ module: Index<Module>, in server: inout PredictedServer) {
    server.addDevice(
      .output, Owned.combineName, map,
      [Owned.roleKey: Owned.combineRole, Owned.primaryKey: primary], of: module, on: primary,
      taking: map)
    for name in outputs where name != primary {
      guard let device = server.snapshot.device(.output, named: name) else { continue }
      server.snapshot.sinkInputs.append(
        Stream(
          direction: .output, index: server.freeStreamIndex(.output), ownerModule: module,
          device: device.index, sampleSpec: device.sampleSpec, channelMap: map))
    }
  }
}
