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
