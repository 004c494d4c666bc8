import PulseTypes

extension PropertyRow {
  static let options = PropertyRow(
    .options, \.options, "options", Notation.words(.options),
    meaning: "How others are treated, and which devices may be used.", aspect: OptionsAspect(),
    check: { (options, property, mode) throws(SessionError) in
      guard !options.isSuperset(of: [.mixWithOthers, .silenceOthers]) else {
        throw Check.failure(
          property, "mix-with-others, silence-others",
          "\"mix-with-others\" and \"silence-others\" exclude each other; keep one")
      }
      // As in AVAudioSession, the speaker can be chosen only in a category that also records.
      guard options.contains(.defaultToSpeaker), mode.category != .playAndRecord else { return }
      throw Check.failure(
        property, "default-to-speaker",
        "option \"default-to-speaker\" needs category \"play-and-record\"; "
          + "elsewhere set output.port = [\"type:speaker\"]")
    },
    explain: { explanation, snapshot, _ in explanation.causes = snapshot.processingCauses })
}

/// Options: those that choose devices act while devices are resolved. Those that affect other
/// programs are a module of the server with a stream that triggers it, or a change of each of their
/// streams.
struct OptionsAspect: Aspect {
  let property = Property.options
  let phase = Phase.levels

  func direction(of mode: AudioMode) -> Direction? { nil }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let (duckingPolicy, roles) = context.mode.duckingPolicy, Self.obstacle(context) == nil
    else {
      return []
    }
    if context.treatsByStream {
      return context.otherStreams(of: roles).compactMap { context.target(duckingPolicy, $0) }
    }
    return [
      Target(
        property, .others(duckingPolicy), .roles(roles), why: "\(duckingPolicy.rawValue), by role"),
      Target(property, .trigger, .flag(true), why: "as long as it plays, others are treated so"),
    ]
  }

  func report(_ context: PlanContext) -> PropertyReport {
    guard let options = context.mode.options else { return .unset(nil) }
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
    case .silenceOthers, .duckOthers: duckingObstacle(context)
    case .interruptSpokenAudio:
      // Silence applies to all streams, speech or not.
      context.mode.duckingPolicy?.roles.contains(DuckingPolicy.speechRole) == true
        ? duckingObstacle(context)
        : Obstacle(.unreachable, "speech is what the mode itself is for, and is left alone")
    case .defaultToSpeaker: speakerObstacle(context)
    }
  }

  /// Why other programs are not treated as the options ask; nil if they are.
  static func duckingObstacle(_ context: PlanContext) -> Obstacle? {
    guard let (duckingPolicy, roles) = context.mode.duckingPolicy else { return nil }
    guard !context.snapshot.isOfOneProgram else {
      return Obstacle(.unreachable, "scope \"application\" does nothing to others")
    }
    guard !context.treatsByStream else { return streamObstacle(context, duckingPolicy, roles) }
    if context.snapshot.value(of: .others(duckingPolicy)) == .roles(roles),
      context.snapshot.value(of: .trigger) == .flag(true)
    {
      return nil
    }
    if let obstacle = obstacle(context) { return obstacle }
    if let refusal = context.input.refusals[.trigger] { return Obstacle(.refused, refusal) }
    return Obstacle(.overridden, "the module or the stream that does it is gone")
  }

  /// Why another program's stream is as loud as before.
  private static func streamObstacle(
    _ context: PlanContext, _ duckingPolicy: DuckingPolicy, _ roles: [String]
  ) -> Obstacle? {
    if let obstacle = obstacle(context) { return obstacle }
    for stream in context.otherStreams(of: roles) {
      guard let target = context.target(duckingPolicy, stream),
        context.snapshot.value(of: target.setting) != target.value
      else { continue }
      let program = context.snapshot.programName(of: stream)
      if let refusal = context.input.refusals[target.setting] {
        return Obstacle(.refused, "\(program): \(refusal)")
      }
      return target.isLeft
        ? Obstacle(
          .overridden, "\(program): another program changed its volume or mute, which is left so")
        : Obstacle(.pending, "\(program) has just begun to play", .stream)
    }
    return nil
  }

  /// Why other programs cannot be treated at all.
  private static func obstacle(_ context: PlanContext) -> Obstacle? {
    guard context.treatsByStream || context.snapshot.defaultDevice(.output) != nil else {
      return Obstacle(.pending, "there is no output", .device)
    }
    guard context.input.isHeld else {
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
    return Obstacle(
      .overridden, "the port is \(device.activePort ?? "none"): another program changed it")
  }
}

/// Why a preference is not in effect.
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
