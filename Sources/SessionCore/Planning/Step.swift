/// One change to a server.
///
/// Its precondition is `from`, its postcondition that the server reports `to`, its inverse the same
/// step with the two exchanged.
public struct Step: Sendable, Hashable, Codable {
  /// When in the documented order it runs.
  public var phase: Phase
  /// The session's property that asks for it, a key of the state's JSON.
  public var property: Property
  /// What is changed.
  public var setting: Setting
  /// What it is now; nil if the object does not exist yet.
  public var from: SettingValue?
  /// What it is to be.
  public var to: SettingValue
  /// Whether the object is made by an earlier step; apply may refine or drop the step then.
  public var isDeferred: Bool
  /// Whether the change outlives a rollback and a revert.
  public var isPermanent: Bool
  /// Why, for users.
  public var why: String

  /// Makes a step.
  public init(
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

/// A setting and the value that the wish, or the baseline, asks for.
struct Target {
  var property: Property
  var setting: Setting
  var value: SettingValue
  var phase: Phase
  var isPermanent = false
  /// Whether the setting is the wish's, and yet left as it is for now.
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
