import PulseTypes

extension PropertyRow {
  static let mode = PropertyRow(
    .mode, \.mode, "mode", .word(), meaning: "The kind of use within the category.",
    aspect: ModeAspect(),
    check: { (use, property, mode) throws(SessionError) in
      guard mode.cancelsEcho, let category = mode.category, category != .playAndRecord else {
        return
      }
      throw Check.failure(
        property, use.rawValue,
        "mode \"\(use.rawValue)\" needs both directions: category \"play-and-record\", "
          + "not \"\(category.rawValue)\"")
    },
    explain: { explanation, snapshot, _ in explanation.causes = snapshot.processingCauses })

  static let echoCanceller = PropertyRow(
    .echoCanceller, \.echoCanceller, "echo-canceller", .text,
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
    .unloadsIdleEchoCanceller, \.unloadsIdleEchoCanceller, "unload-idle-echo-canceller", .boolean)
}

/// Mode: for calls echo cancelling, a link of both chains; for measurement no processing at all.
struct ModeAspect: Aspect {
  let property = Property.mode
  let phase = Phase.channelMap

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

  func report(_ context: PlanContext) -> PropertyReport {
    guard let mode = context.mode.mode else { return .unset(nil) }
    let preferred = StateValue.string(mode.rawValue)
    let obstacle: Obstacle? =
      switch mode {
      case .default: nil
      case .voiceChat, .videoChat: echo(context)
      case .measurement: processing(context).map { Obstacle(.unreachable, $0) }
      case .gameChat, .moviePlayback, .videoRecording, .spokenAudio:
        // The role applies to this program's own streams.
        context.snapshot.isOfOneProgram
          ? nil
          : Obstacle(
            .unreachable,
            "only the program that makes a stream can say what it is for: make yours with "
              + "media.role = \"\(mode.mediaRole ?? "")\"; others of that role are not silenced")
      }
    guard let obstacle else {
      return PropertyReport(preferred: preferred, actual: preferred, verdict: .applied)
    }
    return PropertyReport(
      preferred: preferred, actual: nil, verdict: obstacle.verdict, reason: obstacle.reason,
      waitingFor: obstacle.waitingFor)
  }

  /// Why no echo is cancelled, or no program gets the result.
  private func echo(_ context: PlanContext) -> Obstacle? {
    for direction in Direction.allCases {
      if let error = context.resolution.waiting[direction] {
        return Obstacle(.pending, error.message, .device)
      }
      guard context.device(direction) != nil else {
        return Obstacle(
          .pending, "there is no \(direction.rawValue) to cancel the echo of", .device)
      }
    }
    guard context.input.capabilities.moduleLoading else {
      return Obstacle(.refused, "the server does not let modules be loaded")
    }
    if let refusal = context.cancellerRefusal { return Obstacle(.refused, refusal) }
    if context.leavesCancellerIdle {
      return context.input.isHeld
        ? nil
        : Obstacle(
          .pending,
          "the echo canceller is loaded when a program records, and no process waits for that; use --keep",
          .holder)
    }
    if let refusal = context.input.refusals[.echoCanceller] { return Obstacle(.refused, refusal) }
    guard let preference = context.preferredCanceller,
      context.snapshot.value(of: .echoCanceller) == .echoCanceller(preference)
    else { return Obstacle(.overridden, "the echo canceller is gone or changed") }
    for direction in Direction.allCases {
      guard let device = context.device(direction), !context.isAtEnd(direction, device) else {
        continue
      }
      return Obstacle(
        .overridden,
        "the echo canceller exists, and the default \(direction.rawValue) is not on it")
    }
    return nil
  }

  /// What processes the signal between the input's hardware and the recording programs.
  private func processing(_ context: PlanContext) -> String? {
    guard let device = context.shownDevice(.input) else {
      return context.mode.concerns(.input) ? "there is no input" : nil
    }
    for device in context.snapshot.origins(of: device) {
      guard let processor = context.snapshot.processor(of: device) else { continue }
      return "\(device.name) is made by \(processor), which processes the signal"
    }
    if let recorder = processedRecorder(context.snapshot, device) { return recorder }
    guard !device.isMuted else { return "\(device.name) is muted" }
    let gain = context.mode.inputGain ?? device.volume.loudest
    guard gain == .norm, device.volume.isUniformly(gain) || context.mode.inputGain != nil else {
      return "the gain of \(device.name) is \(Words.volume(device.volume)), not 100 %; "
        + "set input.gain = \"100 %\""
    }
    for link in context.snapshot.links(on: device)
      + context.snapshot.origins(of: device).dropFirst()
    where !link.volume.isUniformly(.norm) {
      return "the gain of \(link.name) is \(Words.volume(link.volume)), not 100 %"
    }
    if context.snapshot.remap(.input)?.isMix == true {
      return "the channels of \(device.name) are mixed; leave the channel map as it is"
    }
    return nil
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
}
