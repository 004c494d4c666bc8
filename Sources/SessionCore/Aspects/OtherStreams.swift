import PulseTypes

/// Others' streams, where the session itself silences or ducks them: on PipeWire, which has no modules
/// for it, and wherever PulseAudio's cannot be loaded.
///
/// What a stream was before is in the baseline, so it is undone like any other change: at the end, by
/// the next wish, and by the next session after a crash.
extension PlanContext {
  /// Whether each stream is changed, and no module does it.
  var treatsByStream: Bool {
    let capabilities = input.capabilities
    guard capabilities.roleModules, capabilities.moduleLoading else { return true }
    // A server takes the module once; somebody else's has other triggers.
    let ours = Set(Treatment.allCases.flatMap { snapshot.modules(of: $0).map(\.index) })
    return snapshot.modules.contains {
      $0.name == Treatment.duck.moduleName && !ours.contains($0.index)
    }
  }

  /// The playback streams of other programs that have one of these roles: those that play, and those
  /// that were treated and pause.
  func otherStreams(of roles: [String]) -> [Stream] {
    snapshot.sinkInputs.filter { stream in
      let role = stream.properties["media.role"] ?? "no_role"
      // Until it is connected PipeWire's session manager may still restore its volume.
      guard roles.contains(role), stream.device != nil, stream.isOfProgram,
        stream.properties[Device.groupKey] == nil, !snapshot.isOwned(stream)
      else { return false }
      if let process = input.process, snapshot.process(of: stream) == String(process) {
        return false
      }
      return !stream.isCorked && !stream.isAtZero || isTreated(stream)
    }
  }

  /// What a treatment makes of a stream; nil where it has no volume of its own.
  func target(_ treatment: Treatment, _ stream: Stream) -> Target? {
    let (setting, value): (Setting, SettingValue)
    if treatment.silences(stream) {
      (setting, value) = (.othersMute(stream.index), .flag(true))
    } else {
      guard case .volume(let volumes)? = before(.othersVolume(stream.index)) else { return nil }
      (setting, value) = (
        .othersVolume(stream.index), .volume(volumes.lowered(by: Treatment.lowering))
      )
    }
    // What people do to a stream that was treated by an earlier run is left to them.
    let isLeft =
      input.occasion == .upkeep && snapshot.value(of: setting) != value
      && input.restored?.contains(setting) != true
      && input.baseline.valid(for: input.snapshot)[setting] != nil
    return Target(
      .options, setting, value, isLeft: isLeft,
      why: "\(snapshot.programName(of: stream)): \(treatment.rawValue) others")
  }

  private func isTreated(_ stream: Stream) -> Bool {
    entry(.othersMute(stream.index)) != nil || entry(.othersVolume(stream.index)) != nil
  }

  /// What a setting was before the session, as the server is now, without the steps of this plan.
  private func before(_ setting: Setting) -> SettingValue? {
    entry(setting)?.before ?? input.snapshot.value(of: setting)
  }

  private func entry(_ setting: Setting) -> Baseline.Entry? {
    input.baseline.valid(for: input.snapshot)[setting] ?? input.journal[setting]
  }
}

extension Treatment {
  /// Whether one of the streams that it is about is heard no more; else it is lowered.
  fileprivate func silences(_ stream: Stream) -> Bool {
    switch self {
    case .silence, .interruptSpeech: true
    case .duck: false
    case .duckAndInterrupt: stream.properties["media.role"] == Self.speechRole
    }
  }
}

extension Stream {
  /// Whether a program made it, and no module. PulseAudio names the module of the protocol, too.
  fileprivate var isOfProgram: Bool { ownerModule == nil || driver == "protocol-native.c" }

  /// Whether nobody hears it: PipeWire says so, too, of one whose volume it has not been told yet, and
  /// that must not be taken for what it was before.
  fileprivate var isAtZero: Bool { volume?.loudest == .muted }
}

extension ChannelVolumes {
  /// Each channel lower by so many dB.
  fileprivate func lowered(by decibels: Int) -> ChannelVolumes {
    let factor = Volume(decibels: -Double(decibels)).fraction
    return ChannelVolumes(values.map { Volume(fraction: $0.fraction * factor) })
  }
}
