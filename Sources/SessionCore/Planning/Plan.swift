/// A wish that the steps do not meet, with the reason.
public struct Unmet: Sendable, Hashable, Codable {
  /// The session's property, a key of the state's JSON.
  public var property: Property
  /// Pending, unreachable, refused or overridden.
  public var verdict: Verdict
  /// Why, for people.
  public var reason: String

  /// Makes an entry.
  public init(property: Property, verdict: Verdict, reason: String) {
    self.property = property
    self.verdict = verdict
    self.reason = reason
  }
}

/// The ordered steps from a snapshot to a wish, and what cannot be met; empty is converged.
public struct Plan: Sendable, Hashable, Codable {
  /// The steps, in the documented order.
  public var steps: [Step]
  /// What the steps do not meet.
  public var unmet: [Unmet]
  /// Settings of ours that somebody changed since, and that a restore leaves as they are.
  public var left: [String]
  /// The settings that the mode names, in the order in which they were planned.
  public var claims: [Setting]

  /// Makes a plan.
  public init(
    steps: [Step] = [], unmet: [Unmet] = [], left: [String] = [], claims: [Setting] = []
  ) {
    self.steps = steps
    self.unmet = unmet
    self.left = left
    self.claims = claims
  }

  /// Whether the server already is as wished.
  public var isEmpty: Bool { steps.isEmpty }

  /// The steps of the first phase that can run now.
  ///
  /// A port has levels of its own, so a step that changes a port is the last before they are read.
  var batch: ArraySlice<Step> {
    guard let first = steps.first else { return [] }
    let batch = steps.prefix { $0.phase == first.phase && !$0.isDeferred }
    let port = batch.firstIndex { if case .port = $0.setting { true } else { false } }
    guard let port, batch[port...].contains(where: \.setting.isLevel) else { return batch }
    return batch[...port]
  }
}
