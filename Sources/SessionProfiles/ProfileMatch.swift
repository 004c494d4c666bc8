public import SessionCore

/// The devices whose presence lets `watch --auto` choose a profile; it never chooses one without
/// any.
public struct ProfileMatch: Sendable, Hashable {
  /// Inputs that must exist.
  public var inputs: [DeviceMatcher]
  /// Outputs that must exist.
  public var outputs: [DeviceMatcher]

  /// Makes a match.
  public init(inputs: [DeviceMatcher] = [], outputs: [DeviceMatcher] = []) {
    self.inputs = inputs
    self.outputs = outputs
  }

  /// Whether it has no matchers, so that only a user chooses the profile.
  public var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }
}
