public import PulseTypes

/// Why the route changed, as AVAudioSession's reasons.
public enum RouteChangeReason: String, Sendable, Hashable, Codable, CaseIterable {
  case unknown
  /// A device came and is used.
  case newDeviceAvailable
  /// The device that was used went.
  case oldDeviceUnavailable
  /// The session applied a wish.
  case categoryChange
  /// Somebody chose another device.
  case override
  /// The machine slept.
  case wakeFromSleep
  /// There is no device for the category.
  case noSuitableRouteForCategory
  /// The same devices, with another port, rate or map.
  case routeConfigurationChange
}

extension RouteChangeReason {
  /// The reason for a change between two routes.
  ///
  /// - Parameters:
  ///   - isOurs: whether the session made it because it was asked to.
  ///   - needs: the directions that the category cannot do without.
  ///   - hasSlept: whether the machine slept a moment ago.
  ///   - present: the names of all devices, now and at the previous route; nil where not known.
  public static func between(
    _ previous: Route, _ current: Route, isOurs: Bool, needs: [Direction] = [],
    hasSlept: Bool = false, present: (before: Set<String>, now: Set<String>)? = nil
  ) -> RouteChangeReason {
    if isOurs { return .categoryChange }
    let isUnsuitable = needs.contains { direction in
      (direction == .input ? current.inputs : current.outputs).isEmpty
    }
    if isUnsuitable { return .noSuitableRouteForCategory }
    if hasSlept { return .wakeFromSleep }
    let before = Set((previous.inputs + previous.outputs).map(\.name))
    let now = Set((current.inputs + current.outputs).map(\.name))
    if before == now { return .routeConfigurationChange }
    if now.isEmpty { return .noSuitableRouteForCategory }
    if before.isSubset(of: now) { return .newDeviceAvailable }
    if now.isSubset(of: before) { return .oldDeviceUnavailable }
    guard let present else { return .override }
    // One took another's place: because that went, because it came itself, or by somebody's choice.
    if !before.isSubset(of: present.now) { return .oldDeviceUnavailable }
    if !now.isSubset(of: present.before) { return .newDeviceAvailable }
    return .override
  }
}
