package import PulseTypes

/// Why the route changed, like AVAudioSession's reasons.
public enum RouteChangeReason: String, Sendable, Hashable, Codable, CaseIterable {
  case unknown
  /// A device was added and is in use.
  case newDeviceAvailable
  /// The device in use was removed.
  case oldDeviceUnavailable
  /// The session applied a mode, or restored its device after another program had chosen one.
  case categoryChange
  /// The user or another program chose another device.
  case override
  /// The machine was asleep.
  case wakeFromSleep
  /// There is no device for the category.
  case noSuitableRouteForCategory
  /// The same devices, with another port, rate or channel map.
  case routeConfigurationChange
}

extension RouteChangeReason {
  /// The reason for a change between two routes.
  ///
  /// - Parameters:
  ///   - isOurs: whether the session made the change because it was asked to.
  ///   - needs: the directions that the category requires.
  ///   - restored: the names of the devices that the session made the default again.
  ///   - hasSlept: whether the machine was asleep a moment ago.
  ///   - present: the names of all devices, at the previous route and now; nil if unknown.
  package static func between(
    _ previous: Route, _ current: Route, isOurs: Bool, restored: Set<String> = [],
    needs: [Direction] = [], hasSlept: Bool = false,
    present: (before: Set<String>, now: Set<String>)? = nil
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
    // Another program may have chosen again since.
    let isRestored = [\Route.inputs, \.outputs].allSatisfy { end in
      previous[keyPath: end] == current[keyPath: end]
        || current[keyPath: end].allSatisfy { !restored.isDisjoint(with: [$0.name] + $0.via) }
    }
    let choice: RouteChangeReason = isRestored ? .categoryChange : .override
    guard let present else { return choice }
    // One device replaced another: because that one was removed, because this one was added, or by
    // choice.
    if !before.isSubset(of: present.now) { return .oldDeviceUnavailable }
    if !now.isSubset(of: present.before) { return .newDeviceAvailable }
    return choice
  }
}
