import PulseTypes

extension PropertyRow {
  static let inputGain = PropertyRow(
    .inputGain, \.inputGain, "input.gain", .volume, unit: .volume,
    meaning: "The hardware's gain; 100 % is 0 dB.", synonyms: ["gain", "level"],
    aspect: LevelAspect(direction: .input), check: Check.volume,
    explain: { $0.causes = $1.volumeCauses(.input, $2) })

  static let outputVolume = PropertyRow(
    .outputVolume, \.outputVolume, "output.volume", .volume, unit: .volume,
    meaning: "The hardware's volume; 100 % is 0 dB.", synonyms: ["volume"],
    aspect: LevelAspect(direction: .output), check: Check.volume,
    explain: { $0.causes = $1.volumeCauses(.output, $2) })

  static let gainLock = PropertyRow(
    .gainLock, \.gainLock, "input.gain-lock", .boolean,
    meaning: "If another program changes the gain, it is restored.")
}

/// Gain of the hardware input, or volume of the hardware output, the same on every channel.
struct LevelAspect: Aspect {
  let direction: Direction
  let phase = Phase.levels

  var property: Property { .level(direction) }

  func direction(of mode: AudioMode) -> Direction? { direction }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let volume = context.mode.preferences(direction).volume,
      let device = context.device(direction)
    else { return [] }
    let setting = Setting.volume(direction, device: device.name)
    let level = context.level(
      setting, .volume(ChannelVolumes(volume, channels: device.channelMap.count)))
    return [Target(property, setting, level.value, isLeft: level.isLeft, why: "on the hardware")]
  }

  func report(_ context: PlanContext) -> PropertyReport {
    let device = context.shownDevice(direction)
    let volume = device.flatMap { Self.chainVolume(context, $0) }
    let actual = volume.map { StateValue.number(Self.rounded($0)) }
    guard let preference = context.mode.preferences(direction).volume else { return .unset(actual) }
    let preferred = StateValue.number(Self.rounded(preference.fraction))
    guard let device = context.device(direction) else {
      return .waiting(preferred, actual, direction)
    }
    guard device.volume.isUniformly(preference) else {
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .overridden,
        reason: "\(device.name) is at \(Words.volume(device.volume)): another program changed it")
    }
    guard volume == device.volume.loudest.fraction else {
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .overridden,
        reason: "the session's \(direction.rawValue) before \(device.name) is not at 100 %: "
          + "another program changed it")
    }
    return PropertyReport(preferred: preferred, actual: actual, verdict: .applied)
  }

  /// The product over the chain, using the loudest channels.
  private static func chainVolume(_ context: PlanContext, _ device: Device) -> Double? {
    guard !context.server.isPredicted(device.name) else { return nil }
    let hardware = device.volume.loudest.fraction
    return context.snapshot.links(on: device).reduce(hardware) {
      $0 * $1.volume.loudest.fraction
    }
  }

  private static func rounded(_ fraction: Double) -> Double {
    (fraction * 10_000).rounded() / 10_000
  }
}
