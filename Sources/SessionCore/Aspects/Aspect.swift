import PulseTypes

/// A part of the mode that the server should have, and when it is planned.
protocol Planned: Sendable {
  /// The property to which it belongs.
  var property: Property { get }
  /// The phase in which its targets are planned.
  var phase: Phase { get }
  /// The settings for the mode, and their values.
  func targets(_ context: PlanContext) throws(SessionError) -> [Target]
}

/// One property of the session: how mode and server are compared, when it is changed, its verdict.
protocol Aspect: Planned {
  /// The preferred and actual value, as if the steps of the same plan were done.
  func report(_ context: PlanContext) -> PropertyReport
  /// The direction of the property's device; nil if it is not a property of a device.
  func direction(of mode: AudioMode) -> Direction?
  /// Whether it affects all programs, so that a session of one program leaves it alone.
  var isShared: Bool { get }
  /// The preferences that the steps of a plan do not meet; throws if they must be met.
  func unmet(_ context: PlanContext, steps: [Step]) throws(SessionError) -> Unmet?
}

extension Aspect {
  func targets(_ context: PlanContext) throws(SessionError) -> [Target] { [] }

  /// Whether it affects all programs, so that a session of one program leaves it alone.
  var isShared: Bool { true }

  /// The preferred and actual value, with a note if a session of one program leaves the property
  /// alone.
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
      // A step of this plan for the property will meet it.
      guard !steps.contains(where: { $0.property == property }) || report.verdict == .refused else {
        return nil
      }
      return Unmet(property: property, verdict: report.verdict, reason: report.reason ?? "")
    }
  }
}

extension Aspect {
  /// The report, with the server's message if it refused one of the aspect's settings.
  func finalReport(_ context: PlanContext) -> PropertyReport {
    var report = ownReport(context)
    if context.input.snapshot.lacksSessionManager, report.verdict != .unset {
      return PropertyReport(
        preferred: report.preferred, actual: report.actual, verdict: .pending,
        reason: "WirePlumber is not running, and without it PipeWire connects nothing",
        waitingFor: .sessionManager)
    }
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

/// Every aspect, in the order of the properties.
let allAspects = Property.rows.compactMap(\.aspect)

/// Whether a mode sets the property of each of them.
let aspectIsSet = Property.rows.filter { $0.aspect != nil }.map(\.isSet)

/// The planned parts, in the order within each phase: first the links of the chains as in
/// `Setting.links`, then what uses the ends of the chains.
let plannedAspects: [any Planned] =
  [
    CombinedOutputs(), ChannelMapAspect(direction: .output), ModeAspect(),
    ChannelMapAspect(direction: .input),
  ]
  + Direction.allCases.map { TakingCharge(direction: $0) }
  + Direction.allCases.map { ChainEnd(direction: $0) } + allAspects.filter { !$0.isLink }

extension Aspect {
  /// Whether it plans a link of a chain.
  fileprivate var isLink: Bool { self is ChannelMapAspect || self is ModeAspect }
}

extension PropertyReport {
  /// A preference whose device is missing.
  static func waiting(
    _ preferred: StateValue, _ actual: StateValue?, _ direction: Direction
  ) -> PropertyReport {
    PropertyReport(
      preferred: preferred, actual: actual, verdict: .pending,
      reason: "there is no \(direction.rawValue) to set it on", waitingFor: .device)
  }
}
