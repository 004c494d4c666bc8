import PulseTypes

/// Gain of the hardware input, or volume of the hardware output, the same on every channel.
struct LevelAspect: Aspect {
  let direction: Direction
  let phase = Phase.levels

  var property: Property { .level(direction) }

  func direction(of wish: AudioMode) -> Direction? { direction }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let volume = context.wish.wish(direction).volume, let device = context.device(direction)
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
    guard let wished = context.wish.wish(direction).volume else { return .unset(actual) }
    let preferred = StateValue.number(Self.rounded(wished.fraction))
    guard let device = context.device(direction) else {
      return .waiting(preferred, actual, direction)
    }
    guard device.volume.isUniformly(wished) else {
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .overridden,
        reason: "\(device.name) is at \(Words.volume(device.volume)): somebody changed it")
    }
    guard volume == device.volume.loudest.fraction else {
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .overridden,
        reason: "the session's \(direction.rawValue) before \(device.name) is not at 100 %: "
          + "somebody changed it")
    }
    return PropertyReport(preferred: preferred, actual: actual, verdict: .applied)
  }

  /// The product over the chain, using the loudest channels.
  private static func chainVolume(_ context: PlanContext, _ device: Device) -> Double? {
    guard !context.world.isPredicted(device.name) else { return nil }
    let hardware = device.volume.loudest.fraction
    return context.snapshot.links(on: device).reduce(hardware) {
      $0 * $1.volume.loudest.fraction
    }
  }

  private static func rounded(_ fraction: Double) -> Double {
    (fraction * 10_000).rounded() / 10_000
  }
}

/// Mute of the hardware. Upkeep never unmutes an input: false takes effect only in an explicit
/// apply.
struct MuteAspect: Aspect {
  let direction: Direction
  let phase = Phase.levels

  var property: Property { .muted(direction) }

  func direction(of wish: AudioMode) -> Direction? { direction }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let muted = context.wish.wish(direction).muted, let device = context.device(direction)
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
    let isKnown = device.map { !context.world.isPredicted($0.name) } ?? false
    let isMuted = isKnown ? device.map { isAnyMuted(context, $0) } : nil
    let actual = isMuted.map(StateValue.flag)
    guard let wished = context.wish.wish(direction).muted else { return .unset(actual) }
    guard context.device(direction) != nil else {
      return .waiting(.flag(wished), actual, direction)
    }
    guard isMuted == wished else {
      return PropertyReport(
        preferred: .flag(wished), actual: actual, verdict: .overridden,
        reason: isMuted == true ? "somebody muted it" : "somebody unmuted it")
    }
    return PropertyReport(preferred: .flag(wished), actual: actual, verdict: .applied)
  }

  private func isAnyMuted(_ context: PlanContext, _ device: Device) -> Bool {
    device.isMuted || context.snapshot.links(on: device).contains { $0.isMuted }
  }
}

/// The latency offset of the port in use.
struct LatencyOffsetAspect: Aspect {
  let direction: Direction
  let phase = Phase.levels

  var property: Property { .latencyOffset(direction) }

  func direction(of wish: AudioMode) -> Direction? { direction }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let offset = context.wish.wish(direction).latencyOffset,
      let (card, port) = place(context), forgetful(context) == nil
    else { return [] }
    return [
      Target(
        property, .latencyOffset(card: card.name, port: port.name), .duration(offset),
        why: "of the port in use")
    ]
  }

  /// The kind of a device for which the server is known to store no offset.
  private func forgetful(_ context: PlanContext) -> String? {
    context.shownDevice(direction).flatMap { context.snapshot.forgetsLatencyOffset(of: $0) }
  }

  /// The card's port that the device uses or will use.
  private func place(_ context: PlanContext) -> (Card, Port)? {
    guard let device = context.shownDevice(direction),
      let card = context.snapshot.card(of: device),
      let name = context.resolved(direction)?.port?.name ?? device.activePort
        ?? firstPort(context, device),
      let port = card.ports.first(where: { $0.name == name })
    else { return nil }
    return (card, port)
  }

  /// The port with which a device will appear: servers choose the best usable one.
  private func firstPort(_ context: PlanContext, _ device: Device) -> String? {
    guard context.world.isPredicted(device.name) else { return nil }
    return device.ports.filter(\.availability.isUsable).max { $0.priority < $1.priority }?.name
  }

  func report(_ context: PlanContext) -> PropertyReport {
    let offset = place(context)?.1.latencyOffset
    let actual = offset.map { StateValue.number($0.seconds) }
    guard let wished = context.wish.wish(direction).latencyOffset else { return .unset(actual) }
    let preferred = StateValue.number(wished.seconds)
    guard context.device(direction) != nil else {
      return .waiting(preferred, actual, direction)
    }
    guard let offset else {
      return PropertyReport(
        preferred: preferred, actual: nil, verdict: .unreachable,
        reason: "the \(direction.rawValue) has no port of a card to set it on")
    }
    guard offset == wished else {
      if let maker = forgetful(context), let device = context.device(direction) {
        return PropertyReport(
          preferred: preferred, actual: actual, verdict: .unreachable,
          reason: "\(device.name) is made by '\(maker)', of which PipeWire keeps no latency offset")
      }
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .overridden, reason: "somebody changed it")
    }
    return PropertyReport(preferred: preferred, actual: actual, verdict: .applied)
  }
}

extension PropertyReport {
  /// A preference whose device is missing.
  static func waiting(
    _ preferred: StateValue, _ actual: StateValue?, _ direction: Direction
  ) -> PropertyReport {
    PropertyReport(
      preferred: preferred, actual: actual, verdict: .pending,
      reason: "there is no \(direction.rawValue) to set it on", waitingFor: .device)
  }
}
