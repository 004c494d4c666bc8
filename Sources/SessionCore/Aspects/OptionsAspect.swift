import PulseTypes

/// Options: those that choose devices act in the resolution; those that act on others are a module of
/// the server and the stream that triggers it.
struct OptionsAspect: Aspect {
  let property = "options"
  let phase = Phase.levels

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    let wished = context.wish.treatments
    guard !wished.isEmpty, Self.obstacle(context) == nil else { return [] }
    return Treatment.allCases.compactMap { treatment in
      wished[treatment].map {
        Target(property, .others(treatment), .roles($0), why: "\(treatment.rawValue), by role")
      }
    } + [Target(property, .trigger, .flag(true), why: "as long as it plays, others are treated so")]
  }

  func report(_ context: PlanContext) -> PropertyReport {
    guard let options = context.wish.options else { return .unset(nil) }
    let preferred = StateValue.strings(options.sorted().map(\.rawValue))
    let unmet = options.sorted().compactMap { option in
      Self.obstacle(context, to: option).map { (option, $0) }
    }
    guard let (first, obstacle) = unmet.first else {
      return PropertyReport(preferred: preferred, actual: preferred, verdict: .applied)
    }
    let inForce = options.subtracting(unmet.map(\.0)).sorted().map(\.rawValue)
    return PropertyReport(
      preferred: preferred, actual: .strings(inForce), verdict: obstacle.verdict,
      reason: "'\(first.rawValue)': \(obstacle.reason)", waitingFor: obstacle.waitingFor)
  }

  private static func obstacle(_ context: PlanContext, to option: CategoryOption) -> Obstacle? {
    switch option {
    case .mixWithOthers, .allowBluetoothHFP, .allowBluetoothA2DP, .allowAirPlay: nil
    case .silenceOthers: treatmentObstacle(context, .silence)
    case .duckOthers:
      context.wish.treatments[.silence] == nil ? treatmentObstacle(context, .duck) : nil
    case .interruptSpokenAudio:
      // Who is silenced is silenced; who is only ducked is not.
      switch context.wish.treatments.keys.first {
      case .silence: nil
      case .duck: Obstacle(.unreachable, "the server does one thing to others, and ducks them")
      default: treatmentObstacle(context, .interruptSpeech)
      }
    case .defaultToSpeaker: speakerObstacle(context)
    }
  }

  /// Why others are not treated as wished; nil where they are.
  static func treatmentObstacle(_ context: PlanContext, _ treatment: Treatment) -> Obstacle? {
    if let roles = context.wish.treatments[treatment],
      context.snapshot.value(of: .others(treatment)) == .roles(roles),
      context.snapshot.value(of: .trigger) == .flag(true)
    {
      return nil
    }
    if let obstacle = obstacle(context) { return obstacle }
    for setting in [Setting.others(treatment), .trigger] {
      if let refusal = context.input.refusals[setting] { return Obstacle(.refused, refusal) }
    }
    return Obstacle(.overridden, "the module or the stream that does it is gone")
  }

  /// Why others cannot be treated at all.
  private static func obstacle(_ context: PlanContext) -> Obstacle? {
    guard context.snapshot.server.kind == .pulseaudio else {
      return Obstacle(.unreachable, "pipewire-pulse has no module that acts on others by role")
    }
    let ours = Set(Treatment.allCases.flatMap { context.snapshot.modules(of: $0).map(\.index) })
    let isTaken = context.snapshot.modules(named: Treatment.duck.moduleName).contains {
      !ours.contains($0.index)
    }
    guard !isTaken else {
      return Obstacle(
        .unreachable,
        "the server has a \(Treatment.duck.moduleName) of somebody else, and takes one only")
    }
    guard context.input.capabilities.moduleLoading else {
      return Obstacle(.refused, "the server does not let modules be loaded")
    }
    guard context.snapshot.defaultDevice(.output) != nil else {
      return Obstacle(.pending, "there is no output", .device)
    }
    guard context.input.holdsPins else {
      return Obstacle(.pending, "others are treated so only while a process holds", .holder)
    }
    return nil
  }

  private static func speakerObstacle(_ context: PlanContext) -> Obstacle? {
    guard let device = context.device(.output) else {
      return Obstacle(.pending, "there is no output", .device)
    }
    guard device.ports.contains(where: { device.portTypes($0).contains(.speaker) }) else {
      return device.portTypes(nil).contains(.speaker)
        ? nil : Obstacle(.unreachable, "\(device.name) has no speaker")
    }
    let types = device.portTypes(device.active)
    guard !types.contains(.speaker), !types.contains(.headphones) else { return nil }
    return Obstacle(.overridden, "the port is \(device.activePort ?? "none"): somebody changed it")
  }
}

/// Why a wish is not in force.
struct Obstacle {
  var verdict: Verdict
  var reason: String
  var waitingFor: WaitingFor?

  init(_ verdict: Verdict, _ reason: String, _ waitingFor: WaitingFor? = nil) {
    self.verdict = verdict
    self.reason = reason
    self.waitingFor = waitingFor
  }
}
