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
