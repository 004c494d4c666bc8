import PulseTypes

/// The session's remap of the input or the output.
struct ChainSetting: LinkKind {
  let direction: Direction

  var setting: Setting { .chain(direction) }
  var object: String { Owned.name(direction) }
  var label: String { "channel map" }
  var moduleName: String { RemapSpec.moduleName(direction) }

  func role(_ direction: Direction) -> String? {
    direction == self.direction ? Owned.remapRole : nil
  }

  func deviceName(_ direction: Direction) -> String { Owned.name(direction) }

  func property(in snapshot: ServerSnapshot) -> Property { .channels(direction) }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.chain.value(
      setting, direction, snapshot.chain.remap(direction).map(SettingValue.remap))
  }

  func spec(_ value: SettingValue) -> (any LinkSpec)? {
    if case .remap(let spec) = value { spec } else { nil }
  }
}

extension RemapSpec {
  func predict(_ module: Index<Module>, in server: inout PredictedServer) {
    server.addDevice(
      direction, name, map, [Owned.roleKey: Owned.remapRole], of: module, on: master,
      taking: masterMap)
  }
}
