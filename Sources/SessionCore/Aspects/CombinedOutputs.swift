import PulseTypes

/// The category `multi-route`: all preferred outputs that exist play at once.
struct CombinedOutputs: Planned {
  let property = Property.category
  var phase: Phase { .channelMap }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let spec = context.preferredCombination else { return [] }
    return [
      Target(
        property, .combination, .combination(spec), phase: phase,
        why: "several outputs play the same")
    ]
  }

  /// What shows that the outputs are combined.
  static func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    if let error = context.resolution.tooFewOutputs {
      throw context.mode.mayCombine
        ? Obstacle(.pending, error.message, .device) : Obstacle(.unreachable, error.message)
    }
    guard context.input.capabilities.moduleLoading else { throw .noModules }
    if let refusal = context.input.refusals[.combination] { throw Obstacle(.refused, refusal) }
    guard !context.lacks(.combination) else { throw .overridden("no outputs are combined") }
    guard let preference = context.preferredCombination, let device = context.device(.output) else {
      throw Obstacle(.pending, "there is no output", .device)
    }
    return [
      Condition(.combination, .combination(preference)) { now in
        .overridden("the combined outputs are \(now.shown)")
      }, context.isAtEnd(device, "the outputs are combined"),
    ]
  }
}
