public import PulseTypes

extension ServerSnapshot {
  /// What a setting is now; nil if its object does not exist.
  public func value(of setting: Setting) -> SettingValue? { setting.kind.read(self) }

  /// The device that a setting is a value of; nil if it is none, or the device is not there.
  package func device(of setting: Setting) -> Device? {
    setting.kind.device.flatMap { device($0.direction, named: $0.name) }
  }

  /// The stream of another program that a setting is about; nil if it is none, or has ended.
  package func stream(of setting: Setting) -> Stream? {
    setting.kind.otherStream.flatMap { stream(.output, at: $0) }
  }

  /// The modules of ours that treat others so.
  public func modules(of treatment: Treatment) -> [Module] {
    modules(named: treatment.moduleName).filter { treatment.roles($0.name, $0.argument) != nil }
  }
}
