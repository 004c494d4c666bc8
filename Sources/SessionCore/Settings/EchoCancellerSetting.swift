import PulseTypes

struct EchoCancellerSetting: LinkKind {
  var setting: Setting { .echoCanceller }
  var object: String { Owned.echoName(.input) }
  var label: String { "echo canceller" }
  var moduleName: String { EchoCancellerSpec.moduleName }

  func role(_ direction: Direction) -> String? { Owned.echoRole }

  func deviceName(_ direction: Direction) -> String { Owned.echoName(direction) }

  func property(in snapshot: ServerSnapshot) -> Property { .mode }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.chain.value(
      setting, .input, snapshot.chain.echoCanceller.map(SettingValue.echoCanceller))
  }

  func spec(_ value: SettingValue) -> (any LinkSpec)? {
    if case .echoCanceller(let spec) = value { spec } else { nil }
  }
}

extension EchoCancellerSpec {
  func predict(_ module: Index<Module>, in server: inout PredictedServer) {
    server.addDevice(
      .input, Owned.echoName(.input), map,
      [Owned.roleKey: Owned.echoRole, Owned.echoKey: "\(method) \(rate)"], of: module,
      on: input, taking: map)
    server.addDevice(
      .output, Owned.echoName(.output), .mono, [Owned.roleKey: Owned.echoRole], of: module,
      on: output, taking: .mono)
  }
}
