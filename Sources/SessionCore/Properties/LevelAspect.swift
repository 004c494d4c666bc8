import PulseTypes

extension PropertyRow {
  static let inputGain = PropertyRow(
    .inputGain, { $1(&$0.inputGain) }, "input.gain", .volume, unit: .volume,
    meaning: "The hardware's gain; 100 % is its most, 0 dB where it has no amplifier.",
    synonyms: ["gain", "level"],
    aspect: LevelAspect(direction: .input), check: Check.volume)

  static let outputVolume = PropertyRow(
    .outputVolume, { $1(&$0.outputVolume) }, "output.volume", .volume, unit: .volume,
    meaning: "The hardware's volume; 100 % is its most, 0 dB where it has no amplifier.",
    synonyms: ["volume"],
    aspect: LevelAspect(direction: .output), check: Check.volume)

  static let gainLock = PropertyRow(
    .gainLock, { $1(&$0.gainLock) }, "input.gain-lock", .boolean,
    meaning: "If another program changes the gain, it is restored.",
    needsDevice: { _ in false })
}

/// Gain of the hardware input, or volume of the hardware output, the same on every channel.
struct LevelAspect: LeveledAspect {
  let direction: Direction

  var property: Property { .level(direction) }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let volume = context.mode.preferences(direction).volume,
      let device = context.device(direction)
    else { return [] }
    let setting = Setting.volume(direction, device: device.name)
    let level = context.level(
      setting, .volume(ChannelVolumes(volume, channels: device.channelMap.count)))
    // The desktop's slider moves the session's own device before it: its level counts, and is a person's.
    let links = Self.links(context, device).map { link in
      Target(
        property, .volume(direction, device: link.name),
        .volume(ChannelVolumes(.norm, channels: link.channelMap.count)),
        isLeft: !context.keepsLevels(setting),
        why: "on the session's own device before it")
    }
    return [Target(property, setting, level.value, isLeft: level.isLeft, why: "on the hardware")]
      + links
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.preferences(direction).volume.map { StateValue(fraction: $0.fraction) }
  }

  func actual(_ context: PlanContext) -> StateValue? {
    guard let device = context.shownDevice(direction), !context.server.isPredicted(device.name)
    else { return nil }
    // The product over the chain, using the loudest channels.
    return StateValue(
      fraction: Self.links(context, device).reduce(device.volume.loudest.fraction) {
        $0 * $1.volume.loudest.fraction
      })
  }

  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    guard let device = source.devices[direction] else { return }
    let volume = device.volume.loudest
    let chain = source.snapshot.chain
    let links = chain.links(on: device).filter(chain.hasOwnVolume)
    if let link = links.first(where: { !$0.volume.isUniformly(.norm) }) {
      setup.left.append(
        "\(link.name) before \(device.name) is at \(Words.volume(link.volume)); a profile has the "
          + "hardware's volume")
    } else if !device.volume.isUniformly(volume) {
      setup.left.append(
        "\(device.name) has a volume for each channel (\(Words.volume(device.volume))); "
          + "a profile has one for all")
    } else if volume.fraction > 3 {
      setup.left.append("\(device.name) is at \(volume); a profile goes to 300 %")
    } else if volume != .norm || source.changed.contains(.volume(direction, device: device.name)) {
      let path = direction == .input ? \AudioMode.inputGain : \.outputVolume
      setup.mode[keyPath: path] = volume
    }
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    let device = try context.awaited(direction)
    guard let preference = context.mode.preferences(direction).volume else { return [] }
    let hardware = Self.volume(preference, of: device, in: context.snapshot) { now in
      .overridden("\(device.name) is at \(now.shown)")
    }
    let links = Self.links(context, device).map { link in
      Self.volume(.norm, of: link, in: context.snapshot) { _ in
        .overridden("the session's \(direction.rawValue) before \(device.name) is not at 100 %")
      }
    }
    return [hardware] + links
  }

  /// The session's devices before a device that have volumes of their own.
  private static func links(_ context: PlanContext, _ device: Device) -> [Device] {
    context.links(on: device).filter(context.snapshot.chain.hasOwnVolume)
  }

  /// The same volume on every channel, or the nearest that the hardware has.
  static func volume(
    _ volume: Volume, of device: Device, in snapshot: ServerSnapshot,
    otherwise: @escaping (SettingValue?) -> Obstacle
  ) -> Condition {
    let volumes = ChannelVolumes(volume, channels: device.channelMap.count)
    return .value(
      .setting(.volume(device.direction, device: device.name)), asked: .volume(volumes),
      isMet: { value in
        guard case .volume(let now) = value else { return false }
        var shown = device
        shown.volume = now
        return snapshot.shows(volumes, on: shown)
      }, otherwise: otherwise)
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    guard let device = result.device(direction, on: snapshot) else { return }
    let place =
      device.flags.contains(.hardwareVolume)
      ? "the hardware applies" : "the server applies in software"
    result.causes = ["\(device.name) is at \(Words.volume(device.volume)), which \(place)"]
    for owned in snapshot.chain.links(on: device) where snapshot.chain.hasOwnVolume(owned) {
      result.causes.append("\(owned.name) before it is at \(Words.volume(owned.volume))")
    }
    if !snapshot.modules(named: "module-device-restore").isEmpty {
      result.causes.append(
        "module-device-restore sets what each device, and each port, had last")
    }
    if result.report.verdict != .applied {
      result.causes.append("the server does not report which program set it")
    }
  }
}
