import PulseTypes

/// Something that the wish asks of the server, and when.
protocol Planned: Sendable {
  /// The key of the state's JSON that it belongs to.
  var property: Property { get }
  /// When its targets are planned.
  var phase: Phase { get }
  /// The settings that the wish asks for, and their values.
  func targets(_ context: PlanContext) throws(SessionError) -> [Target]
}

/// One property of the session: how wish and server are compared, when it is changed, its verdict.
protocol Aspect: Planned {
  /// Wish and fact as they are; the steps of the same plan are taken as done.
  func report(_ context: PlanContext) -> PropertyReport
  /// The direction of the device that it is a property of; nil of what is no property of one.
  func direction(of wish: AudioMode) -> Direction?
  /// Whether it is about what all programs share, and is left to them by a session of one.
  var isShared: Bool { get }
  /// What a plan must say that its steps do not meet; throws where it must not go unmet.
  func unmet(_ context: PlanContext, steps: [Step]) throws(SessionError) -> Unmet?
}

extension Aspect {
  func targets(_ context: PlanContext) throws(SessionError) -> [Target] { [] }

  /// Whether it is about what all programs share, and is left to them by a session of one.
  var isShared: Bool { true }

  /// Wish and fact; of what a session of one program leaves alone it says so.
  func ownReport(_ context: PlanContext) -> PropertyReport {
    var report = reportInUse(context)
    guard context.snapshot.isOfOneProgram, isShared, report.verdict != .unset,
      report.verdict != .applied
    else { return report }
    report.verdict = .unreachable
    report.reason = "scope \"application\" changes nothing that other programs share"
    report.waitingFor = nil
    return report
  }

  func unmet(_ context: PlanContext, steps: [Step]) throws(SessionError) -> Unmet? {
    let report = ownReport(context)
    switch report.verdict {
    case .applied, .unset, .overridden: return nil
    case .pending, .unreachable, .refused:
      // A step of this plan on the property is on its way to meet it.
      guard !steps.contains(where: { $0.property == property }) || report.verdict == .refused else {
        return nil
      }
      return Unmet(property: property, verdict: report.verdict, reason: report.reason ?? "")
    }
  }
}

extension Aspect {
  /// The report, with the server's own word where it refused one of the aspect's settings.
  func finalReport(_ context: PlanContext) -> PropertyReport {
    var report = ownReport(context)
    guard report.verdict != .applied, report.verdict != .unset, !context.input.refusals.isEmpty
    else { return report }
    let targets = (try? targets(context)) ?? []
    let refused = targets.first { target in
      context.input.refusals[target.setting] != nil
        && context.snapshot.value(of: target.setting) != target.value
    }
    guard let refused else { return report }
    report.verdict = .refused
    report.reason = context.input.refusals[refused.setting]
    report.waitingFor = nil
    return report
  }
}

/// Every aspect, in the order of the state's JSON.
let allAspects: [any Aspect] = [
  CategoryAspect(), ModeAspect(), OptionsAspect(), SampleRateAspect(), BufferDurationAspect(),
  PreferredDeviceAspect(direction: .input), PortAspect(direction: .input), PolarPatternAspect(),
  OrientationAspect(), ChannelMapAspect(direction: .input), LevelAspect(direction: .input),
  MuteAspect(direction: .input), LatencyOffsetAspect(direction: .input),
  PreferredDeviceAspect(direction: .output), PortAspect(direction: .output), CodecAspect(),
  ChannelMapAspect(direction: .output), LevelAspect(direction: .output),
  MuteAspect(direction: .output), LatencyOffsetAspect(direction: .output),
]

/// What is planned, in the order within each phase: the links of the chains as `Setting.links` builds
/// them, and only then what is to be at their ends.
let plannedAspects: [any Planned] =
  [
    CombinedOutputs(), ChannelMapAspect(direction: .output), ModeAspect(),
    ChannelMapAspect(direction: .input),
  ]
  + Direction.allCases.map { TakingCharge(direction: $0) }
  + Direction.allCases.map { ChainEnd(direction: $0) } + allAspects.filter { !$0.isLink }

extension Aspect {
  /// Whether it asks for a link of a chain.
  fileprivate var isLink: Bool { self is ChannelMapAspect || self is ModeAspect }
}
