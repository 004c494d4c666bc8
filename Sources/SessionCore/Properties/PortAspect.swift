import PulseTypes

extension PropertyRow {
  static let inputPort = PropertyRow(
    .inputPort, { $1(&$0.inputPort) }, "input.port", .ports, meaning: portMeaning,
    synonyms: ["port", "jack"],
    aspect: PortAspect(direction: .input), check: Check.ports)

  static let outputPort = PropertyRow(
    .outputPort, { $1(&$0.outputPort) }, "output.port", .ports, meaning: portMeaning,
    aspect: PortAspect(direction: .output), check: Check.ports)

  private static let portMeaning =
    "The connector; without this line the server takes what is plugged in."
}

/// The port of the input (AVAudioSession: data source) or output.
struct PortAspect: Aspect {
  let direction: Direction
  var phase: Phase { .port }
  func isShared(in mode: AudioMode) -> Bool { false }

  func direction(of mode: AudioMode) -> Direction? { direction }

  var property: Property { .port(direction) }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let resolved = context.resolved(direction), let port = resolved.port,
      context.device(direction) != nil
    else { return [] }
    return [
      Target(
        property, .port(direction, device: resolved.name), .name(port.name),
        why: port.description.isEmpty ? "preferred port" : port.description)
    ]
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.preferences(direction).port.map { .strings($0.map(\.description)) }
  }

  func actual(_ context: PlanContext) -> StateValue? {
    context.shownDevice(direction)?.activePort.map(StateValue.string)
  }

  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    guard let device = source.devices[direction], let port = device.active,
      port.availability.isUsable,
      port.name != device.portByItself?.name
        || source.changed.contains(.port(direction, device: device.name))
    else { return }
    guard DeviceMatcher.isSayable(port.name), !port.name.hasPrefix("type:") else {
      return setup.left.append("the port of \(device.name) has no name that a profile can hold")
    }
    let path = direction == .input ? \AudioMode.inputPort : \.outputPort
    setup.mode[keyPath: path] = [.name(port.name)]
    setup.notes[property] = port.description.isEmpty ? nil : port.description
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    let device = try context.awaited(direction)
    let setting = Setting.port(direction, device: device.name)
    if let port = context.resolved(direction)?.port {
      return [Condition(setting, .name(port.name))]
    }
    // A device without ports meets any preference.
    guard let preference = context.mode.preferences(direction).port, !device.ports.isEmpty else {
      return [Condition(setting, .absent)]
    }
    let match = device.ports.first { port in preference.contains { $0.matches(port, of: device) } }
    return [
      .value(.setting(setting), asked: match.map { .name($0.name) } ?? .absent) { now in
        device.ports.contains { port in
          .name(port.name) == now && preference.contains { $0.matches(port, of: device) }
        }
      } otherwise: { now in
        .overridden(
          "the port is \(now.shown), not "
            + Words.list(preference.map(\.description)))
      }
    ]
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    guard let device = result.device(direction, on: snapshot) else { return }
    guard let active = device.active else {
      result.causes.append("\(device.name) has no ports")
      return
    }
    result.causes.append("\(device.name) is on its port \(active.name)")
    if !snapshot.modules(named: "module-switch-on-port-available").isEmpty {
      result.causes.append(
        "module-switch-on-port-available follows the jacks: what is plugged in is used")
    }
    if let card = snapshot.card(of: device) {
      result.causes.append("the card keeps to its profile \(card.profileInUse)")
    }
    result.choices = device.ports.sorted { $0.priority > $1.priority }.map { port in
      Explanation.Choice(
        name: port.name, isChosen: port.name == active.name, availability: port.availability,
        priority: Int(port.priority),
        reason: port.name == active.name
          ? "is in use" : port.availability == .no ? "is not plugged in" : "was not chosen")
    }
  }
}

extension Device {
  /// The port that a server chooses by itself: one with a plug first, then the highest priority.
  fileprivate var portByItself: DevicePort? {
    ports.filter(\.availability.isUsable).max { $0.rank < $1.rank }
  }
}
