import PulseTypes

extension PropertyRow {
  static let channelMap = PropertyRow(
    .channelMap, \.channelMap, "input.channel-map", .channels,
    meaning: "The hardware channels that programs hear, in order.", synonyms: ["channels"],
    aspect: ChannelMapAspect(direction: .input), check: Check.channels,
    explain: { explanation, snapshot, _ in explanation.causes = snapshot.channelCauses(.input) })

  static let outputChannelMap = PropertyRow(
    .outputChannelMap, \.outputChannelMap, "output.channel-map", .channels,
    meaning: "The hardware channels that play left, right and so on.",
    aspect: ChannelMapAspect(direction: .output), check: Check.channels,
    explain: { explanation, snapshot, _ in explanation.causes = snapshot.channelCauses(.output) })

  static let polarPattern = PropertyRow(
    .polarPattern, \.polarPattern, "input.polar-pattern", .word(), aspect: PolarPatternAspect(),
    check: Check.polarPattern,
    explain: { explanation, snapshot, _ in explanation.causes = snapshot.channelCauses(.input) })

  static let inputOrientation = PropertyRow(
    .inputOrientation, \.inputOrientation, "input.orientation", .word(),
    aspect: OrientationAspect(),
    explain: { explanation, snapshot, _ in explanation.causes = snapshot.channelCauses(.input) })
}

/// Channel map, polar pattern and orientation together → the remap.
struct ChannelMapAspect: Aspect {
  let direction: Direction
  let phase = Phase.channelMap
  let isShared = false

  var property: Property { .channels(direction) }

  func direction(of mode: AudioMode) -> Direction? { direction }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let device = context.device(direction), let remap = try context.preferredRemap(on: device)
    else { return [] }
    return [Target(property, .chain(direction), .remap(remap), why: reason(context))]
  }

  private func reason(_ context: PlanContext) -> String {
    let preferences = context.mode.preferences(direction)
    let pattern = preferences.polarPattern.map { "polar pattern \($0.rawValue)" }
    let turned = (preferences.orientation ?? .none).quarterTurns != 0
    let orientation = turned ? preferences.orientation.map { "orientation \($0.rawValue)" } : nil
    let parts = [pattern, preferences.channels == nil ? nil : "channel map", orientation]
    return Words.list(parts.compactMap { $0 })
  }

  func report(_ context: PlanContext) -> PropertyReport {
    let device = context.shownDevice(direction)
    let actual = device.flatMap { Self.actual(context.snapshot, $0) }
    guard context.mode.preferences(direction).channels != nil else {
      return .unset(actual.map { StateValue($0.positions) })
    }
    return Self.report(
      context, direction, preferred: Self.preferred(context, direction, device),
      actual: actual.map { StateValue($0.positions) })
  }

  /// The channels that programs get: the remap's if the device has one, otherwise the device's.
  static func actual(_ snapshot: ServerSnapshot, _ device: Device) -> ChannelMap? {
    let owned = snapshot.ownedDevices(device.direction, of: .chain(device.direction)).first
    guard let owned, snapshot.root(of: owned)?.name == device.name else { return device.channelMap }
    return snapshot.link(of: owned)?.channelMap ?? device.channelMap
  }

  private static func preferred(
    _ context: PlanContext, _ direction: Direction, _ device: Device?
  ) -> StateValue? {
    switch context.mode.preferences(direction).channels {
    case .positions(let positions): StateValue(positions)
    case .mono: StateValue([.mono])
    case .left: StateValue([.frontLeft])
    case .right: StateValue([.frontRight])
    case .swap: StateValue([.frontRight, .frontLeft])
    case nil: nil
    }
  }

  /// The common verdict of channel map, polar pattern and orientation, because they are one remap.
  static func report(
    _ context: PlanContext, _ direction: Direction, preferred: StateValue?, actual: StateValue?
  ) -> PropertyReport {
    func unmet(
      _ verdict: Verdict, _ reason: String, _ waiting: WaitingFor? = nil
    ) -> PropertyReport {
      PropertyReport(
        preferred: preferred, actual: actual, verdict: verdict, reason: reason, waitingFor: waiting)
    }
    if let error = context.resolution.waiting[direction] {
      return unmet(.pending, error.message, .device)
    }
    guard let device = context.device(direction) else {
      return unmet(.pending, "there is no \(direction.rawValue) to set it on", .device)
    }
    do throws(SessionError) {
      let routing = try ChannelRouting.make(context.mode.preferences(direction), on: device)
      if context.snapshot.isOfOneProgram {
        guard let routing, let obstacle = ownObstacle(context, device, routing) else {
          return PropertyReport(preferred: preferred, actual: preferred, verdict: .applied)
        }
        return unmet(obstacle.verdict, obstacle.reason, obstacle.waitingFor)
      }
      let chain = try context.preferredRemap(on: device)
      if !context.input.capabilities.moduleLoading, let routing,
        !routing.isIdentity(on: device.channelMap)
      {
        return unmet(.refused, "the server does not let modules be loaded")
      }
      if let refusal = context.input.refusals[.chain(direction)] { return unmet(.refused, refusal) }
      guard
        context.snapshot.value(of: .chain(direction)) == (chain.map(SettingValue.remap) ?? .absent)
      else { return unmet(.overridden, "the remap that makes it is gone or changed") }
      guard chain == nil || context.isAtEnd(direction, device) else {
        return unmet(.overridden, "the remap exists, and the default is not on it")
      }
    } catch {
      return unmet(.unreachable, error.message)
    }
    return PropertyReport(preferred: preferred, actual: actual, verdict: .applied)
  }
}

extension ChannelMapAspect {
  /// For one program the streams themselves select the channels: this project's streams do, others
  /// cannot be made to.
  private static func ownObstacle(
    _ context: PlanContext, _ device: Device, _ routing: ChannelRouting
  ) -> Obstacle? {
    guard !routing.isIdentity(on: device.channelMap) else { return nil }
    let streams = context.snapshot.viewersStreams(device.direction).filter {
      $0.device == device.index
    }
    guard !streams.isEmpty else {
      return Obstacle(.pending, "streams of this program take the channels themselves", .stream)
    }
    return streams.first { $0.channelMap != routing.masterMap }.map { stream in
      Obstacle(
        .unreachable,
        "'\(stream.name)' takes \(stream.channelMap): a stream's channels are chosen when it is "
          + "opened")
    }
  }
}

/// The polar pattern of the microphone; realized by the remap of `ChannelMapAspect`.
struct PolarPatternAspect: Aspect {
  let property = Property.polarPattern
  let phase = Phase.channelMap
  let isShared = false

  func direction(of mode: AudioMode) -> Direction? { .input }

  func report(_ context: PlanContext) -> PropertyReport {
    guard let pattern = context.mode.polarPattern else { return .unset(nil) }
    let preferred = StateValue.string(pattern.rawValue)
    var report = ChannelMapAspect.report(
      context, .input, preferred: preferred, actual: nil)
    if report.verdict == .applied { report.actual = preferred }
    return report
  }
}

/// How the user holds the device; realized by the remap of `ChannelMapAspect`.
struct OrientationAspect: Aspect {
  let property = Property.inputOrientation
  let phase = Phase.channelMap
  let isShared = false

  func direction(of mode: AudioMode) -> Direction? { .input }

  func report(_ context: PlanContext) -> PropertyReport {
    guard let orientation = context.mode.inputOrientation else { return .unset(nil) }
    let preferred = StateValue.string(orientation.rawValue)
    guard orientation.quarterTurns != 0 || context.resolved(.input) != nil else {
      return PropertyReport(preferred: preferred, actual: preferred, verdict: .applied)
    }
    var report = ChannelMapAspect.report(
      context, .input, preferred: preferred, actual: nil)
    if report.verdict == .applied { report.actual = preferred }
    return report
  }
}
