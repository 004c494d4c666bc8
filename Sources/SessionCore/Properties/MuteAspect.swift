import PulseTypes

extension PropertyRow {
  static let inputMuted = PropertyRow(
    .inputMuted, { $1(&$0.inputMuted) }, "input.mute", .boolean,
    meaning: "Muted in hardware; only an 'apply' with false unmutes.", synonyms: ["mute", "muted"],
    aspect: MuteAspect(direction: .input))

  static let outputMuted = PropertyRow(
    .outputMuted, { $1(&$0.outputMuted) }, "output.mute", .boolean, meaning: "Muted in hardware.",
    aspect: MuteAspect(direction: .output))
}

/// Mute of the hardware. Neither upkeep nor a mode that is applied again unmutes an input: false takes
/// effect only in an explicit apply.
struct MuteAspect: LeveledAspect {
  let direction: Direction

  var property: Property { .muted(direction) }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let muted = context.mode.preferences(direction).muted,
      let device = context.device(direction)
    else { return [] }
    let mayUnmute = direction == .output || context.input.unmutesInputs
    let targets = hardware(context, device).map { device in
      let setting = Setting.mute(direction, device: device.name)
      let level = context.level(setting, .flag(muted))
      let isLeft = level.isLeft || !(level.value == .flag(true) || mayUnmute)
      return Target(property, setting, level.value, isLeft: isLeft, why: "on the hardware")
    }
    // Each of them can mute, so all of them must be unmuted.
    guard targets[0].value == .flag(false) else { return targets }
    return targets
      + context.links(on: device).map { link in
        Target(
          property, .mute(direction, device: link.name), .flag(false), isLeft: targets[0].isLeft,
          why: "on the session's own device before it")
      }
  }

  /// The device; of several outputs at once all of them.
  private func hardware(_ context: PlanContext, _ device: Device) -> [Device] {
    let outputs = direction == .output ? context.resolution.outputs : []
    guard outputs.contains(device.name) else { return [device] }
    return [device]
      + outputs.filter { $0 != device.name }.compactMap {
        context.snapshot.device(direction, named: $0)
      }
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.preferences(direction).muted.map(StateValue.flag)
  }

  func actual(_ context: PlanContext) -> StateValue? {
    guard let device = context.shownDevice(direction), !context.server.isPredicted(device.name)
    else { return nil }
    return .flag(
      hardware(context, device).allSatisfy(\.isMuted)
        || linksInUse(context, device).contains(where: \.isMuted))
  }

  /// The links between a device and what programs use.
  private func linksInUse(_ context: PlanContext, _ device: Device) -> [Device] {
    let links = context.links(on: device)
    guard !context.snapshot.isOfOneProgram else { return links }
    let used = context.snapshot.chain.namesInUse(direction)
    return links.filter { used.contains($0.name) }
  }

  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    guard let device = source.devices[direction] else { return }
    if !device.isMuted,
      let link = source.snapshot.chain.links(on: device).first(where: \.isMuted)
    {
      // The mode would unmute it, and no profile mutes a link.
      setup.left.append("\(link.name) before \(device.name) is muted; a profile mutes hardware")
      return
    }
    guard device.isMuted || source.changed.contains(.mute(direction, device: device.name))
    else { return }
    let path = direction == .input ? \AudioMode.inputMuted : \.outputMuted
    setup.mode[keyPath: path] = device.isMuted
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    let device = try context.awaited(direction)
    guard let preference = context.mode.preferences(direction).muted else { return [] }
    let (hardware, links) = (hardware(context, device), context.links(on: device))
    // A muted link is enough, if the sound goes through it; 'mute = false' needs all of them unmuted.
    let link =
      hardware.allSatisfy(\.isMuted)
      ? nil : linksInUse(context, device).first(where: \.isMuted)
    let telling = preference ? link.map { [$0] } ?? hardware : hardware + links
    return telling.map { device in
      Condition(.mute(direction, device: device.name), .flag(preference)) { _ in
        .overridden(
          "\(device.name) is \(preference ? "not muted" : "muted")",
          advice: preference ? nil : "the session unmutes it only when the profile is applied again"
        )
      }
    }
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    guard let device = result.device(direction, on: snapshot) else { return }
    let devices = [device] + snapshot.chain.links(on: device)
    result.causes = devices.map { "\($0.name) is \($0.isMuted ? "muted" : "not muted")" }
    let verdict = facts.state?.properties[property]?.verdict
    guard verdict != .applied, devices.contains(where: \.isMuted) else { return }
    result.causes.append("the server does not report which program muted it")
    guard direction == .input else { return }
    result.causes.append(
      "the session unmutes an input only when a profile with 'mute = false' is applied, or by 'revert'"
    )
  }
}
