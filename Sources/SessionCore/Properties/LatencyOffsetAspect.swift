import PulseTypes

extension PropertyRow {
  static let inputLatencyOffset = PropertyRow(
    .inputLatencyOffset, \.inputLatencyOffset, "input.latency-offset", .offset, unit: .seconds,
    meaning: "Added to the latency of the port in use.",
    aspect: LatencyOffsetAspect(direction: .input), check: Check.offset,
    explain: { explanation, snapshot, _ in explanation.causes = snapshot.offsetCauses(.input) })

  static let outputLatencyOffset = PropertyRow(
    .outputLatencyOffset, \.outputLatencyOffset, "output.latency-offset", .offset, unit: .seconds,
    meaning: "Added to the latency of the port in use.",
    aspect: LatencyOffsetAspect(direction: .output), check: Check.offset,
    explain: { explanation, snapshot, _ in explanation.causes = snapshot.offsetCauses(.output) })
}

/// The latency offset of the port in use.
struct LatencyOffsetAspect: Aspect {
  let direction: Direction
  let phase = Phase.levels

  var property: Property { .latencyOffset(direction) }

  func direction(of mode: AudioMode) -> Direction? { direction }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let offset = context.mode.preferences(direction).latencyOffset,
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
  private func place(_ context: PlanContext) -> (Card, DevicePort)? {
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
    guard context.server.isPredicted(device.name) else { return nil }
    return device.ports.filter(\.availability.isUsable).max { $0.priority < $1.priority }?.name
  }

  func report(_ context: PlanContext) -> PropertyReport {
    let offset = place(context)?.1.latencyOffset
    let actual = offset.map { StateValue.number($0.seconds) }
    guard let preference = context.mode.preferences(direction).latencyOffset else {
      return .unset(actual)
    }
    let preferred = StateValue.number(preference.seconds)
    guard context.device(direction) != nil else {
      return .waiting(preferred, actual, direction)
    }
    guard let offset else {
      return PropertyReport(
        preferred: preferred, actual: nil, verdict: .unreachable,
        reason: "the \(direction.rawValue) has no port of a card to set it on")
    }
    guard offset == preference else {
      if let maker = forgetful(context), let device = context.device(direction) {
        return PropertyReport(
          preferred: preferred, actual: actual, verdict: .unreachable,
          reason: "\(device.name) is made by '\(maker)', of which PipeWire keeps no latency offset")
      }
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .overridden,
        reason: "another program changed it")
    }
    return PropertyReport(preferred: preferred, actual: actual, verdict: .applied)
  }
}
