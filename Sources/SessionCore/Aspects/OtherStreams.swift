import PulseTypes

/// Other programs' streams that the session silences or ducks.
///
/// PipeWire has no modules for this, and PulseAudio's (module-role-ducking) ends the server when a stream that
/// it has lowered is moved, as each change of the default moves it (16.1).
///
/// The previous values are in the baseline, so they are restored like any other change: at the end,
/// by the next mode, and by the next session after a crash.
extension PlanContext {
  /// The playback streams of other programs with one of these roles: those that play, and treated
  /// ones that pause.
  func otherStreams(of roles: [String]) -> [Stream] {
    snapshot.sinkInputs.filter { stream in
      let role = stream.properties["media.role"] ?? "no_role"
      // Until it is connected, PipeWire's session manager may still restore its volume.
      guard roles.contains(role), stream.device != nil, stream.isOfProgram,
        !snapshot.isOwned(stream)
      else { return false }
      if let process = input.process, snapshot.process(of: stream) == String(process) {
        return false
      }
      return !stream.isCorked && !stream.isAtZero || isTreated(stream)
    }
  }

  /// The treated value of a stream; nil if it has no volume.
  func target(_ duckingPolicy: DuckingPolicy, _ stream: Stream) -> Target? {
    let (setting, value): (Setting, SettingValue)
    let level = Setting.othersVolume(stream.index)
    if duckingPolicy.silences(stream) {
      (setting, value) = (.othersMute(stream.index), .flag(true))
    } else {
      // From before the session, on the current server without the steps of this plan.
      guard case .volume(let volumes)? = entry(level)?.before ?? input.snapshot.value(of: level)
      else { return nil }
      (setting, value) = (level, .volume(volumes.lowered(by: DuckingPolicy.lowering)))
    }
    // What users change on a stream that an earlier run treated is left alone.
    let isLeft =
      input.occasion == .upkeep && snapshot.value(of: setting) != value
      && input.restored?.contains(setting) != true
      && input.baseline.valid(for: input.snapshot)[setting] != nil
    return Target(
      .options, setting, value, isLeft: isLeft,
      why: "\(snapshot.programName(of: stream)): \(duckingPolicy.rawValue) others")
  }

  private func isTreated(_ stream: Stream) -> Bool {
    entry(.othersMute(stream.index)) != nil || entry(.othersVolume(stream.index)) != nil
  }

  private func entry(_ setting: Setting) -> Baseline.Entry? {
    input.baseline.valid(for: input.snapshot)[setting] ?? input.journal[setting]
  }
}

extension DuckingPolicy {
  /// Whether one of its streams becomes silent; otherwise it is lowered.
  fileprivate func silences(_ stream: Stream) -> Bool {
    switch self {
    case .silence, .interruptSpeech: true
    case .duck: false
    case .duckAndInterrupt: stream.properties["media.role"] == Self.speechRole
    }
  }
}

extension Stream {
  /// Whether a program made the stream, and no module or filter. PulseAudio also names the protocol's
  /// module.
  var isOfProgram: Bool {
    (ownerModule == nil || driver == "protocol-native.c") && properties[Device.groupKey] == nil
  }

  /// Whether it is silent. PipeWire also reports that for a stream whose volume it does not know
  /// yet, which must not count as the previous value.
  fileprivate var isAtZero: Bool { volume?.loudest == .muted }
}

extension ChannelVolumes {
  /// Each channel lowered by a number of dB.
  fileprivate func lowered(by decibels: Int) -> ChannelVolumes {
    let factor = Volume(decibels: -Double(decibels)).fraction
    return ChannelVolumes(values.map { Volume(fraction: $0.fraction * factor) })
  }
}
