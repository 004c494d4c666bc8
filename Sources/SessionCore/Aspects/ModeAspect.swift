import PulseTypes

/// Mode: stored, checked and shown; processing that this version does not have is never `applied`.
struct ModeAspect: Aspect {
  let property = "mode"
  let phase = Phase.category

  func report(_ context: PlanContext) -> PropertyReport {
    guard let mode = context.wish.mode else { return .unset(nil) }
    let preferred = StateValue.string(mode.rawValue)
    let obstacle: String? =
      switch mode {
      case .default: nil
      case .voiceChat, .videoChat: "echo cancellation is not available in this version"
      case .measurement: processing(context)
      case .gameChat, .moviePlayback, .videoRecording, .spokenAudio:
        "stream roles are not available in this version"
      }
    guard let obstacle else {
      return PropertyReport(preferred: preferred, actual: preferred, verdict: .applied)
    }
    return PropertyReport(
      preferred: preferred, actual: nil,
      verdict: mode == .measurement ? .unreachable : .pending, reason: obstacle)
  }

  /// What touches the signal between the input's hardware and those who record.
  private func processing(_ context: PlanContext) -> String? {
    guard let device = context.shownDevice(.input) else {
      return context.wish.concerns(.input) ? "there is no input" : nil
    }
    let filters = ["module-echo-cancel", "module-ladspa", "module-virtual", "module-equalizer"]
    if filters.contains(where: device.driver.hasPrefix) {
      return "\(device.name) is made by \(device.driver), which processes the signal"
    }
    let gain = context.wish.inputGain ?? device.volume.loudest
    guard gain == .norm, device.volume.isUniformly(gain) || context.wish.inputGain != nil else {
      return "the gain of \(device.name) is \(Words.volume(device.volume)), not 100 %; "
        + "set input.gain = \"100 %\""
    }
    if context.snapshot.remap(.input)?.isMix == true {
      return "the channels of \(device.name) are mixed; leave the channel map as it is"
    }
    return nil
  }
}

/// Options: those that choose devices act in the resolution, those that act on others come later.
struct OptionsAspect: Aspect {
  let property = "options"
  let phase = Phase.category

  func report(_ context: PlanContext) -> PropertyReport {
    guard let options = context.wish.options else { return .unset(nil) }
    let preferred = StateValue.strings(options.sorted().map(\.rawValue))
    let missing = options.sorted().filter { option in
      switch option {
      case .mixWithOthers, .allowBluetoothHFP, .allowBluetoothA2DP, .allowAirPlay: false
      case .silenceOthers, .duckOthers, .interruptSpokenAudio, .defaultToSpeaker: true
      }
    }
    guard missing.isEmpty else {
      let inForce = options.subtracting(missing).sorted().map(\.rawValue)
      let names = Words.list(missing.map { "'\($0.rawValue)'" })
      return PropertyReport(
        preferred: preferred, actual: .strings(inForce), verdict: .pending,
        reason: "\(names) \(missing.count == 1 ? "is" : "are") not available in this version")
    }
    return PropertyReport(preferred: preferred, actual: preferred, verdict: .applied)
  }
}
