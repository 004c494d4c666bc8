/// One change of a server.
///
/// Its precondition is `from`, its postcondition that the server reports `to`; its inverse is the
/// same step with the two exchanged.
public struct Step: Sendable, Hashable, Codable {
  /// The phase in which it runs.
  public var phase: Phase
  /// The property of the session that needs it, a key of the state's JSON.
  public var property: Property
  package var setting: Setting
  /// The current value; nil if the object does not exist yet.
  package var from: SettingValue?
  /// The new value.
  package var to: SettingValue
  /// Whether an earlier step creates the object; this step may then be refined or dropped.
  package var isDeferred: Bool
  /// Whether the change outlasts a rollback and a revert.
  package var isPermanent: Bool
  /// The reason, for users.
  public var why: String

  package init(
    phase: Phase, property: Property, setting: Setting, from: SettingValue?, to: SettingValue,
    isDeferred: Bool = false, isPermanent: Bool = false, why: String
  ) {
    self.phase = phase
    self.property = property
    self.setting = setting
    self.from = from
    self.to = to
    self.isDeferred = isDeferred
    self.isPermanent = isPermanent
    self.why = why
  }
}

extension Step: CustomStringConvertible {
  /// What is set, and to which value: `port of alsa_input.usb: mic-in`.
  public var description: String { "\(setting.title): \(to)" }
}
