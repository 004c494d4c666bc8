import PulseTypes

/// Other programs' streams that the session silences or ducks.
///
/// PipeWire has no modules for this, and PulseAudio's (module-role-ducking) ends the server when a stream that
/// it has lowered is moved, as each change of the default moves it (16.1).
///
/// The previous values are in the baseline, so they are restored like any other change: at the end,
/// by the next mode, and by the next session after a crash.
extension PlanContext {
  /// The playback streams of other programs with one of these roles, and their treated values: of
  /// those that play, and treated ones that pause; not of those without a volume.
  func othersTargets(
    _ duckingPolicy: DuckingPolicy, of roles: [String]
  ) -> [(stream: Stream, target: Target)] {
    let history = OthersHistory(input)
    let own = input.process.map { String($0) }
    func isMeant(_ stream: Stream) -> Bool {
      let role = stream.properties["media.role"] ?? "no_role"
      // Until it is connected, PipeWire's session manager may still restore its volume.
      guard roles.contains(role), stream.device != nil, stream.isOfProgram,
        !snapshot.isOwned(stream)
      else { return false }
      if let own, snapshot.process(of: stream) == own { return false }
      return !stream.isCorked && !stream.isAtZero || history.isTreated(stream)
    }
    // By their places: a stream is large to copy.
    let streams = snapshot.sinkInputs
    return streams.indices.filter { isMeant(streams[$0]) }.compactMap { place in
      target(duckingPolicy, streams[place], history).map {
        (stream: streams[place], target: $0)
      }
    }
  }

  private func target(
    _ duckingPolicy: DuckingPolicy, _ stream: Stream, _ history: OthersHistory
  ) -> Target? {
    let (setting, value): (Setting, SettingValue)
    let level = Setting.othersVolume(stream.index)
    if duckingPolicy.silences(stream) {
      (setting, value) = (.othersMute(stream.index), .flag(true))
    } else {
      // From before the session, on the current server without the steps of this plan.
      guard case .volume(let volumes)? = history[level]?.before ?? input.snapshot.value(of: level)
      else { return nil }
      (setting, value) = (level, .volume(volumes.lowered(by: DuckingPolicy.lowering)))
    }
    // What users change on a stream that an earlier run treated is left alone.
    let isLeft =
      input.occasion == .upkeep && snapshot.value(of: setting) != value
      && input.restored?.contains(setting) != true
      && history.baseline[setting] != nil
    return Target(
      .options, setting, value, isLeft: isLeft,
      why: "\(snapshot.programName(of: stream)): \(duckingPolicy.rawValue) others")
  }
}

/// The entries of other programs' streams by their settings: there may be one for each of many
/// streams.
private struct OthersHistory {
  let baseline: [Setting: Baseline.Entry]
  private let journal: [Setting: Baseline.Entry]

  init(_ input: PlanInput) {
    func entries(_ baseline: Baseline) -> [Setting: Baseline.Entry] {
      let entries = baseline.entries.filter(\.setting.isOfOthers)
      return Dictionary(entries.map { ($0.setting, $0) }) { first, _ in first }
    }
    baseline = entries(input.baseline.valid(for: input.snapshot))
    journal = entries(input.journal)
  }

  subscript(setting: Setting) -> Baseline.Entry? { baseline[setting] ?? journal[setting] }

  func isTreated(_ stream: Stream) -> Bool {
    self[.othersMute(stream.index)] != nil || self[.othersVolume(stream.index)] != nil
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
