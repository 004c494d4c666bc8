import PulseTypes

extension PropertyRow {
  static let options = PropertyRow(
    .options, { $1(&$0.options) }, "options", Notation.words(.options),
    meaning: "How others are treated, and which devices may be used.", aspect: OptionsAspect(),
    check: { (options, property, mode) throws(SessionError) in
      guard !options.isSuperset(of: [.mixWithOthers, .silenceOthers]) else {
        throw Check.failure(
          property, "mix-with-others, silence-others",
          "\"mix-with-others\" and \"silence-others\" exclude each other; keep one")
      }
      guard mode.category != .soloAmbient || !options.contains(.mixWithOthers) else {
        throw Check.failure(
          property, "mix-with-others",
          "category \"solo-ambient\" silences others, and option \"mix-with-others\" does not; keep one"
        )
      }
      // As in AVAudioSession, the speaker can be chosen only in a category that also records.
      guard options.contains(.defaultToSpeaker), mode.category != .playAndRecord else { return }
      throw Check.failure(
        property, "default-to-speaker",
        "option \"default-to-speaker\" needs category \"play-and-record\"; "
          + "elsewhere set output.port = [\"type:speaker\"]")
    })
}

/// Options: those that choose devices act while devices are resolved. Those that affect other
/// programs are a change of each of their streams.
struct OptionsAspect: Aspect {
  let property = Property.options
  var phase: Phase { .levels }

  func direction(of mode: AudioMode) -> Direction? { nil }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let (duckingPolicy, roles) = context.mode.duckingPolicy, Self.obstacle(context) == nil
    else {
      return []
    }
    return context.othersTargets(duckingPolicy, of: roles).map(\.target)
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.options.map { .strings($0.sorted().map(\.rawValue)) }
  }

  func actual(_ context: PlanContext) -> StateValue? {
    guard let options = context.mode.options else { return nil }
    let met = options.sorted().filter { context.obstacle(Self.list($0, context)) == nil }
    return .strings(met.map(\.rawValue))
  }

  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    setup.mode.options = source.current?.options
    // It needs the category, which may have been left out.
    if setup.mode.category != .playAndRecord { setup.mode.options?.remove(.defaultToSpeaker) }
    if let input = source.devices[.input], source.snapshot.card(of: input)?.isBluetooth == true {
      setup.mode.options = (setup.mode.options ?? []).union([.allowBluetoothHFP])
    }
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    guard let options = context.mode.options, !options.isEmpty else {
      return [.nothing("no option is preferred")]
    }
    return options.sorted().flatMap { option in
      Self.list(option, context).map { condition in
        condition.mapObstacle {
          Obstacle($0.kind, "'\(option.rawValue)': \($0.reason)", $0.waitingFor)
        }
      }
    }
  }

  private static func list(_ option: CategoryOption, _ context: PlanContext) -> [Condition] {
    Condition.list { () throws(Obstacle) in try conditions(option, context) }
  }

  private static func conditions(
    _ option: CategoryOption, _ context: PlanContext
  ) throws(Obstacle) -> [Condition] {
    switch option {
    case .mixWithOthers, .allowBluetoothHFP, .allowBluetoothA2DP, .allowAirPlay:
      return [.nothing("'\(option.rawValue)' is a permission")]
    case .silenceOthers, .duckOthers: return try duckingConditions(context)
    case .interruptSpokenAudio:
      // Silence applies to all streams, speech or not.
      guard context.mode.duckingPolicy?.roles.contains(DuckingPolicy.speechRole) == true else {
        throw Obstacle(.unreachable, "speech is what the mode itself is for, and is left alone")
      }
      return try duckingConditions(context)
    case .defaultToSpeaker: return try speakerConditions(context)
    }
  }

  /// What shows that other programs are treated as the options ask.
  static func duckingConditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    guard let (duckingPolicy, roles) = context.mode.duckingPolicy else {
      return [.nothing("no other program is treated")]
    }
    guard !context.snapshot.isOfOneProgram else {
      throw Obstacle(.unreachable, "scope \"application\" does nothing to others")
    }
    if let obstacle = obstacle(context) { throw obstacle }
    let targets = context.othersTargets(duckingPolicy, of: roles)
    guard !targets.isEmpty else { return [.nothing("no other program plays")] }
    return targets.map { stream, target in
      let program = context.snapshot.programName(of: stream)
      return Condition(target.setting, target.value) { _ in
        if let refusal = context.input.refusals[target.setting] {
          return Obstacle(.refused, "\(program): \(refusal)")
        }
        return target.isLeft
          ? .overridden("\(program): its volume or mute was changed since, and is left alone")
          : Obstacle(.pending, "\(program) has just begun to play", .stream)
      }
    }
  }

  /// Why other programs cannot be treated at all.
  private static func obstacle(_ context: PlanContext) -> Obstacle? {
    guard !context.input.isHeld else { return nil }
    return Obstacle(
      .pending, "other programs are silenced or lowered only while a process maintains the session",
      .holder)
  }

  private static func speakerConditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    guard let device = context.device(.output) else {
      throw Obstacle(.pending, "there is no output", .device)
    }
    let isUsed =
      context.snapshot.isOfOneProgram ? [] : [context.isDefault(.output, device.name)]
    func isSpeaker(_ port: DevicePort?) -> Bool { device.portTypes(port).contains(.speaker) }
    guard let speaker = device.ports.first(where: isSpeaker) else {
      guard isSpeaker(nil) else {
        throw Obstacle(.unreachable, "\(device.name) has no speaker")
      }
      return [Condition(.device(.output, name: device.name), .name(device.name))] + isUsed
    }
    return isUsed + [
      .value(.setting(.port(.output, device: device.name)), asked: .name(speaker.name)) { now in
        // Without a port that is read, the device's form alone would say that it is a speaker.
        device.ports.contains { port in
          .name(port.name) == now
            && (isSpeaker(port)
              || port.availability == .yes && device.portTypes(port).contains(.headphones))
        }
      } otherwise: { now in
        .overridden("the port is \(now.shown)")
      }
    ]
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    result.addProcessing(on: snapshot)
  }
}
