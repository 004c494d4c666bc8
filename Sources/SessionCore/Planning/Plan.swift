/// The ordered steps from a snapshot to a mode, and the preferences that cannot be met.
public struct Plan: Sendable, Hashable, Codable {
  /// The steps, in the documented order.
  public var steps: [Step] = []
  /// What the steps do not meet.
  public var unmet: [Unmet] = []
  /// Settings that another program has changed since the session set them; a restore leaves them
  /// alone.
  public var left: [String] = []
  /// The settings that the mode names, in the order in which they were planned.
  package var claims: [Setting] = []

  /// Whether no step is needed; some preferences may still be unmet.
  public var isEmpty: Bool { steps.isEmpty }

  /// The steps of the first phase that can run now; always the first, so that each round does something.
  ///
  /// Each port has its own levels, so the mode's must be read again after a step that changes a port.
  var batch: ArraySlice<Step> {
    let next = steps.dropFirst().firstIndex { $0.phase != steps[0].phase || $0.isDeferred }
    let batch = steps[..<(next ?? steps.endIndex)]
    guard let port = batch.firstIndex(where: \.setting.isPort) else { return batch }
    let named = claims.filter { $0.object == batch[port].setting.object }
    let settings = named + batch[port...].map(\.setting)
    return settings.contains(where: \.isLevel) ? batch[...port] : batch
  }
}

extension Plan: CustomStringConvertible {
  /// A line for each step, then for what the steps do not meet.
  public var description: String {
    let lines =
      steps.map { "\($0)" } + unmet.map { "\($0.property) \($0.verdict.rawValue): \($0.reason)" }
    return lines.isEmpty ? "nothing to do" : lines.joined(separator: "\n")
  }
}
