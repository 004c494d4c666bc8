import PulseTypes

/// The category `multi-route`: all preferred outputs that exist play at once.
struct CombinedOutputs: Planned {
  let property = Property.category
  let phase = Phase.channelMap

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let spec = context.preferredCombination else { return [] }
    return [
      Target(
        property, .combination, .combination(spec), phase: phase,
        why: "several outputs play the same")
    ]
  }

  /// Why the outputs are not combined; nil if they are.
  static func obstacle(_ context: PlanContext) -> Obstacle? {
    if let error = context.resolution.tooFewOutputs {
      return context.mode.mayCombine
        ? Obstacle(.pending, error.message, .device) : Obstacle(.unreachable, error.message)
    }
    guard context.input.capabilities.moduleLoading else {
      return Obstacle(.refused, "the server does not let modules be loaded")
    }
    if let refusal = context.input.refusals[.combination] { return Obstacle(.refused, refusal) }
    guard let preference = context.preferredCombination else {
      return Obstacle(.pending, "there is no output", .device)
    }
    guard context.snapshot.value(of: .combination) == .combination(preference) else {
      return Obstacle(.overridden, "the combined outputs are gone or changed")
    }
    guard let device = context.device(.output), context.isAtEnd(.output, device) else {
      return Obstacle(.overridden, "the outputs are combined and the default is not on them")
    }
    return nil
  }
}
