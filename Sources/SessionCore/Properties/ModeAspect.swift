import PulseTypes

extension PropertyRow {
  static let mode = PropertyRow(
    .mode, { $1(&$0.mode) }, "mode", .word(), meaning: "The kind of use within the category.",
    aspect: ModeAspect(),
    check: { (use, property, mode) throws(SessionError) in
      guard mode.cancelsEcho, let category = mode.category, category != .playAndRecord else {
        return
      }
      throw Check.failure(
        property, use.rawValue,
        "mode \"\(use.rawValue)\" needs both directions: category \"play-and-record\", "
          + "not \"\(category.rawValue)\"")
    })

  static let echoCanceller = PropertyRow(
    .echoCanceller, { $1(&$0.echoCanceller) }, "echo-canceller", .text,
    check: { (name, property, _) throws(SessionError) in
      let isName = name.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
      }
      guard name.isEmpty || !isName else { return }
      throw Check.failure(
        property, name.unicodeScalars.map { $0.escaped(asASCII: false) }.joined(),
        "an echo canceller is named by small letters and digits, such as \"webrtc\" or \"speex\"")
    })

  static let unloadsIdleEchoCanceller = PropertyRow(
    .unloadsIdleEchoCanceller, { $1(&$0.unloadsIdleEchoCanceller) }, "unload-idle-echo-canceller",
    .boolean)
}

/// Mode: for calls echo cancelling, a link of both chains; for measurement no processing at all.
struct ModeAspect: Aspect {
  let property = Property.mode
  var phase: Phase { .channelMap }
  let isDerived = true

  func isShared(in mode: AudioMode) -> Bool { mode.mode?.ownRole == nil }

  /// For measurement this is about the input; an echo canceller is about both chains.
  func direction(of mode: AudioMode) -> Direction? { mode.mode == .measurement ? .input : nil }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    if let refusal = context.cancellerRefusal {
      throw SessionError(
        .refused, stage: .device, refusal, property: property, value: context.mode.echoCanceller,
        alternatives: ["echo-canceller = \"\(EchoCancellerSpec.defaultMethod)\""])
    }
    guard let canceller = context.preferredCanceller else { return [] }
    return [
      Target(
        property, .echoCanceller, .echoCanceller(canceller),
        why: "\(context.mode.mode?.rawValue ?? "the mode") cancels echo")
    ]
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.mode.map { .string($0.rawValue) }
  }

  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    setup.mode.mode = source.current?.mode
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    guard let mode = context.mode.mode else { return [] }
    switch mode {
    case .default: return [.nothing("this mode changes nothing")]
    case .voiceChat, .videoChat: return try echoConditions(context)
    case .measurement: return try purityConditions(context)
    case .gameChat, .moviePlayback, .videoRecording, .spokenAudio:
      guard context.snapshot.isOfOneProgram else {
        throw Obstacle(
          .unreachable,
          "only the program that makes a stream can say what it is for: make yours with "
            + "media.role = \"\(mode.mediaRole ?? "")\"; others of that role are not silenced")
      }
      return try roleConditions(context, mode.ownRole ?? "")
    }
  }

  /// What shows that the program's streams have a role, those of the category's directions.
  private func roleConditions(
    _ context: PlanContext, _ role: String
  ) throws(Obstacle) -> [Condition] {
    let directions = context.mode.category?.directions ?? Set(Direction.allCases)
    let streams = Direction.allCases.filter(directions.contains)
      .flatMap { context.snapshot.viewersStreams($0) }
    guard !streams.isEmpty else {
      throw Obstacle(
        .pending, "the role '\(role)' is given to streams of this program when they are opened",
        .stream)
    }
    return streams.map { stream in
      Condition(.streamRole(stream.direction, stream.index), .name(role)) { now in
        Obstacle(
          .unreachable,
          "'\(stream.name)' has \(now.map { "the media.role '\($0)'" } ?? "no media.role"), not "
            + "'\(role)': a stream's role is chosen when it is opened")
      }
    }
  }

  /// What shows that echo is cancelled, and that programs get the result.
  private func echoConditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    guard !context.snapshot.isOfOneProgram else {
      throw Obstacle(.unreachable, "scope \"application\" loads no echo canceller")
    }
    var ends: [Condition] = []
    for direction in Direction.allCases {
      if let error = context.resolution.waiting[direction] {
        throw Obstacle(.pending, error.message, .device)
      }
      guard let device = context.device(direction) else {
        throw Obstacle(
          .pending, "there is no \(direction.rawValue) to cancel the echo of", .device)
      }
      ends.append(context.isAtEnd(device, "the echo canceller exists"))
    }
    guard context.input.capabilities.moduleLoading else { throw .noModules }
    if let refusal = context.cancellerRefusal ?? context.input.refusals[.echoCanceller] {
      throw Obstacle(.refused, refusal)
    }
    if context.leavesCancellerIdle {
      guard context.input.isHeld else {
        throw Obstacle(
          .pending,
          "the echo canceller is loaded when a program records, and no process waits for that; use --keep",
          .holder)
      }
      guard [nil, .always].contains(context.mode.reapply) else {
        throw Obstacle(
          .unreachable,
          "nothing loads the echo canceller when a program records: that needs reapply = \"always\""
        )
      }
      return ends + [.nothing("the echo canceller is loaded when a program records")]
    }
    guard !context.lacks(.echoCanceller) else { throw .overridden("there is no echo canceller") }
    guard let preference = context.preferredCanceller else { return [] }
    let canceller = Condition(.echoCanceller, .echoCanceller(preference)) { now in
      Obstacle(
        .overridden,
        (now ?? .absent) == .absent ? "there is no echo canceller" : "it is another echo canceller")
    }
    return [canceller] + ends
  }

  /// What shows that nothing processes the signal between the input's hardware and recording programs.
  private func purityConditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    guard let device = context.shownDevice(.input) else {
      guard context.mode.concerns(.input) else { return [.nothing("the mode is about an input")] }
      throw Obstacle(.unreachable, "there is no input")
    }
    let origins = context.snapshot.origins(of: device)
    for device in origins {
      guard let processor = context.snapshot.processor(of: device) else { continue }
      throw Obstacle(
        .unreachable, "\(device.name) is made by \(processor), which processes the signal")
    }
    if let recorder = processedRecorder(context.snapshot, device) {
      throw Obstacle(.unreachable, recorder)
    }
    if !context.snapshot.isOfOneProgram || !context.links(on: device).isEmpty,
      context.snapshot.chain.remap(.input)?.isMix == true
    {
      throw Obstacle(
        .unreachable,
        "the channels of \(device.name) are mixed; leave the channel map as it is")
    }
    // The levels of a device that a step creates are set by a later plan.
    guard !context.server.isPredicted(device.name) else { return [.nothing("not there yet")] }
    let parts = [device] + context.links(on: device) + origins.dropFirst()
    let mutes = parts.map { part in
      Condition(.mute(.input, device: part.name), .flag(false)) { _ in
        Obstacle(.unreachable, "\(part.name) is muted")
      }
    }
    let isSet = context.mode.inputGain == .norm
    let levels = parts.filter(context.snapshot.chain.hasOwnVolume).map { part in
      LevelAspect.volume(.norm, of: part, in: context.snapshot) { now in
        let gain = "the gain of \(part.name) is \(now.shown), not 100 %"
        guard part.name == device.name else { return Obstacle(.unreachable, gain) }
        return isSet
          ? .overridden(gain) : Obstacle(.unreachable, gain + "; set input.gain = \"100 %\"")
      }
    }
    return mutes + levels
  }

  /// A program that records another program's output made from the input, instead of the input
  /// itself.
  private func processedRecorder(_ snapshot: ServerSnapshot, _ input: Device) -> String? {
    for stream in snapshot.sourceOutputs where stream.client != nil && !snapshot.isOwned(stream) {
      guard !stream.isOnlooker, stream.properties[Device.groupKey] == nil,
        let device = snapshot.device(.input, at: stream.device), device.name != input.name,
        let processor = snapshot.processor(of: device)
      else { continue }
      let origins = snapshot.origins(of: device)
      // The server does not report where the sound of a program's own device comes from.
      guard origins.count == 1 || origins.contains(where: { $0.name == input.name }) else {
        continue
      }
      return "\(snapshot.programName(of: stream)) records \(device.name), which is made by "
        + processor
    }
    return nil
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    result.addProcessing(on: snapshot)
  }
}
