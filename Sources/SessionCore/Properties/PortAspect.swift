import PulseTypes

extension PropertyRow {
  static let inputPort = PropertyRow(
    .inputPort, \.inputPort, "input.port", .ports, meaning: portMeaning,
    synonyms: ["port", "jack"],
    aspect: PortAspect(direction: .input), check: Check.ports,
    explain: { explanation, snapshot, _ in explanation.explainPort(.input, snapshot) })

  static let outputPort = PropertyRow(
    .outputPort, \.outputPort, "output.port", .ports, meaning: portMeaning,
    aspect: PortAspect(direction: .output), check: Check.ports,
    explain: { explanation, snapshot, _ in explanation.explainPort(.output, snapshot) })

  private static let portMeaning =
    "The connector; without this line the server takes what is plugged in."
}

/// The port of the input (AVAudioSession: data source) or output.
struct PortAspect: Aspect {
  let direction: Direction
  let phase = Phase.port
  let isShared = false

  func direction(of mode: AudioMode) -> Direction? { direction }

  var property: Property { .port(direction) }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let resolved = context.resolved(direction), let port = resolved.port else { return [] }
    return [
      Target(
        property, .port(direction, device: resolved.name), .name(port.name),
        why: port.description.isEmpty ? "preferred port" : port.description)
    ]
  }

  func report(_ context: PlanContext) -> PropertyReport {
    let device = context.shownDevice(direction)
    let actual = device?.activePort.map(StateValue.string)
    guard let preference = context.mode.preferences(direction).port else { return .unset(actual) }
    let preferred = StateValue.strings(preference.map(\.description))
    if let error = context.resolution.waiting[direction] {
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .pending, reason: error.message,
        waitingFor: .device)
    }
    // A device without ports meets any preference.
    let isMet =
      context.resolved(direction)?.port.map { $0.name == device?.activePort }
      ?? device.map { device in
        device.ports.isEmpty
          || device.active.map { port in preference.contains { $0.matches(port, of: device) } }
            ?? false
      } ?? true
    guard !isMet else {
      return PropertyReport(preferred: preferred, actual: actual, verdict: .applied)
    }
    let meant = context.resolved(direction)?.port?.name ?? Words.list(preference.map(\.description))
    return PropertyReport(
      preferred: preferred, actual: actual, verdict: .overridden,
      reason:
        "the port is \(device?.activePort ?? "none"), not \(meant): another program changed it")
  }
}
