/// A setting, and its value for the mode or the baseline.
struct Target {
  var property: Property
  var setting: Setting
  var value: SettingValue
  var phase: Phase
  var isPermanent = false
  /// Whether the setting belongs to the mode but is left alone for now.
  var isLeft = false
  var why: String

  init(
    _ property: Property, _ setting: Setting, _ value: SettingValue, phase: Phase? = nil,
    isPermanent: Bool = false, isLeft: Bool = false, why: String
  ) {
    self.property = property
    self.setting = setting
    self.value = value
    self.isLeft = isLeft
    self.phase = phase ?? setting.phase
    self.isPermanent = isPermanent
    self.why = why
  }
}
