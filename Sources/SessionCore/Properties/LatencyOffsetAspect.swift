import PulseTypes

extension PropertyRow {
  static let inputLatencyOffset = PropertyRow(
    .inputLatencyOffset, { $1(&$0.inputLatencyOffset) }, "input.latency-offset", .offset,
    unit: .seconds,
    meaning: "Added to the latency of the port in use.",
    aspect: LatencyOffsetAspect(direction: .input), check: Check.offset)

  static let outputLatencyOffset = PropertyRow(
    .outputLatencyOffset, { $1(&$0.outputLatencyOffset) }, "output.latency-offset", .offset,
    unit: .seconds,
    meaning: "Added to the latency of the port in use.",
    aspect: LatencyOffsetAspect(direction: .output), check: Check.offset)
}

/// The latency offset of the port in use.
struct LatencyOffsetAspect: LeveledAspect {
  let direction: Direction

  var property: Property { .latencyOffset(direction) }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let offset = context.mode.preferences(direction).latencyOffset,
      let device = context.device(direction),
      let (card, port) = place(context, context.decidedPort(of: device) ?? device.activePort),
      forgetful(context) == nil
    else { return [] }
    let setting = Setting.latencyOffset(card: card.name, port: port.name)
    let level = context.level(setting, .duration(offset))
    return [
      Target(property, setting, level.value, isLeft: level.isLeft, why: "of the port in use")
    ]
  }

  /// The kind of a device for which the server is known to store no offset.
  private func forgetful(_ context: PlanContext) -> String? {
    context.shownDevice(direction).flatMap { context.snapshot.forgetsLatencyOffset(of: $0) }
  }

  /// The card's port that the device uses.
  private func placeInUse(_ context: PlanContext) -> (Card, DevicePort)? {
    place(context, context.shownDevice(direction)?.activePort)
  }

  private func place(_ context: PlanContext, _ name: String?) -> (Card, DevicePort)? {
    guard let device = context.shownDevice(direction),
      let card = context.snapshot.card(of: device),
      // Servers choose the best usable one for a device that appears.
      let name = name ?? (context.server.isPredicted(device.name) ? device.bestPort : nil)?.name,
      let port = card.ports.first(where: { $0.name == name })
    else { return nil }
    return (card, port)
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.preferences(direction).latencyOffset.map { .number($0.seconds) }
  }

  func actual(_ context: PlanContext) -> StateValue? {
    placeInUse(context).map { .number($1.latencyOffset.seconds) }
  }

  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    guard let device = source.devices[direction], let card = source.snapshot.card(of: device),
      let port = card.ports.first(where: { $0.name == device.activePort }),
      port.latencyOffset != .zero
        || source.changed.contains(.latencyOffset(card: card.name, port: port.name))
    else { return }
    guard abs(port.latencyOffset.seconds) <= 5 else {
      setup.left.append(
        "\(device.name) has a latency offset of more than 5 s, which no profile can set")
      return
    }
    let path = direction == .input ? \AudioMode.inputLatencyOffset : \.outputLatencyOffset
    setup.mode[keyPath: path] = port.latencyOffset
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    let device = try context.awaited(direction)
    guard let preference = context.mode.preferences(direction).latencyOffset else { return [] }
    guard let (card, port) = placeInUse(context) else {
      throw Obstacle(
        .unreachable, "the \(direction.rawValue) has no port of a card to set it on")
    }
    return [
      Condition(.latencyOffset(card: card.name, port: port.name), .duration(preference)) { now in
        guard let maker = forgetful(context) else {
          return .overridden(
            "the offset is \(now.shown), not \(Words.milliseconds(preference))")
        }
        return Obstacle(
          .unreachable,
          "\(device.name) is made by '\(maker)', of which PipeWire keeps no latency offset")
      }
    ]
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    guard let device = result.device(direction, on: snapshot) else { return }
    guard let name = device.activePort else {
      return result.causes = ["\(device.name) has no ports"]
    }
    let port = snapshot.card(of: device)?.ports.first {
      $0.name == name && $0.direction == direction
    }
    let offset = port.map { Words.milliseconds($0.latencyOffset) } ?? "not known"
    result.causes = ["the port \(name) of \(device.name) adds \(offset)"]
  }
}
