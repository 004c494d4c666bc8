import PulseTypes

extension PropertyRow {
  static let inputMuted = PropertyRow(
    .inputMuted, \.inputMuted, "input.mute", .boolean,
    meaning: "Muted in hardware; only an 'apply' with false unmutes.", synonyms: ["mute", "muted"],
    aspect: MuteAspect(direction: .input),
    explain: { explanation, snapshot, _ in explanation.causes = snapshot.muteCauses(.input) })

  static let outputMuted = PropertyRow(
    .outputMuted, \.outputMuted, "output.mute", .boolean, meaning: "Muted in hardware.",
    aspect: MuteAspect(direction: .output),
    explain: { explanation, snapshot, _ in explanation.causes = snapshot.muteCauses(.output) })
}

/// Mute of the hardware. Upkeep never unmutes an input: false takes effect only in an explicit
/// apply.
struct MuteAspect: Aspect {
  let direction: Direction
  let phase = Phase.levels

  var property: Property { .muted(direction) }

  func direction(of mode: AudioMode) -> Direction? { direction }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let muted = context.mode.preferences(direction).muted,
      let device = context.device(direction)
    else { return [] }
    let setting = Setting.mute(direction, device: device.name)
    let level = context.level(setting, .flag(muted))
    let mayUnmute = direction == .output || context.input.isExplicit
    let isLeft = level.isLeft || !(level.value == .flag(true) || mayUnmute)
    let hardware = Target(
      property, setting, level.value, isLeft: isLeft, why: "on the hardware")
    // Each of them can mute, so all of them must be unmuted.
    guard level.value == .flag(false) else { return [hardware] }
    return [hardware]
      + context.snapshot.links(on: device).map {
        Target(
          property, .mute(direction, device: $0.name), .flag(false), isLeft: isLeft,
          why: "on the session's own device before it")
      }
  }

  func report(_ context: PlanContext) -> PropertyReport {
    let device = context.shownDevice(direction)
    let isKnown = device.map { !context.server.isPredicted($0.name) } ?? false
    let isMuted = isKnown ? device.map { isAnyMuted(context, $0) } : nil
    let actual = isMuted.map(StateValue.flag)
    guard let preference = context.mode.preferences(direction).muted else { return .unset(actual) }
    guard context.device(direction) != nil else {
      return .waiting(.flag(preference), actual, direction)
    }
    guard isMuted == preference else {
      return PropertyReport(
        preferred: .flag(preference), actual: actual, verdict: .overridden,
        reason: isMuted == true ? "another program muted it" : "another program unmuted it")
    }
    return PropertyReport(preferred: .flag(preference), actual: actual, verdict: .applied)
  }

  private func isAnyMuted(_ context: PlanContext, _ device: Device) -> Bool {
    device.isMuted || context.snapshot.links(on: device).contains { $0.isMuted }
  }
}
