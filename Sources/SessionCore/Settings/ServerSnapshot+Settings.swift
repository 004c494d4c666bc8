package import PulseTypes

extension ServerSnapshot {
  /// The value of a setting; nil if its object does not exist.
  package func value(of setting: Setting) -> SettingValue? { setting.kind.read(self) }

  /// Whether a step's postcondition holds.
  package func satisfies(_ step: Step) -> Bool { step.setting.kind.isMet(step.to, in: self) }

  /// The device of a setting; nil if it has none, or the device does not exist.
  package func device(of setting: Setting) -> Device? {
    setting.kind.device.flatMap { device($0.direction, named: $0.name) }
  }

  /// The other program's stream of a setting; nil if it has none, or the stream has ended.
  package func stream(of setting: Setting) -> Stream? {
    setting.kind.otherStream.flatMap { stream(.output, at: $0) }
  }
}
