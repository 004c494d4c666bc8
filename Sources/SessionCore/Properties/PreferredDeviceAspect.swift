import PulseTypes

extension PropertyRow {
  static let preferredInput = PropertyRow(
    .preferredInput, \.preferredInput, "input.prefer", .devices,
    meaning: "The input, by what does not change; add others behind it to fall back on.",
    synonyms: [
      "input", "default-source", "default-input", "default", "source", "mic", "microphone",
    ],
    aspect: PreferredDeviceAspect(direction: .input),
    check: Check.devices, explain: { $0.explainDefault(.input, $1, $2) })

  static let preferredOutput = PropertyRow(
    .preferredOutput, \.preferredOutput, "output.prefer", .devices,
    meaning: "The output, by what does not change; add others behind it to fall back on.",
    synonyms: [
      "output", "default-sink", "default-output", "sink", "speaker", "speakers", "headphones",
    ], aspect: PreferredDeviceAspect(direction: .output),
    check: Check.devices, explain: { $0.explainDefault(.output, $1, $2) })

  static let inputRequired = PropertyRow(
    .inputRequired, \.inputRequired, "input.required", .boolean)

  static let outputRequired = PropertyRow(
    .outputRequired, \.outputRequired, "output.required", .boolean)

  static let moveInputStreams = PropertyRow(
    .moveInputStreams, \.moveInputStreams, "input.move-streams", .boolean)

  static let moveOutputStreams = PropertyRow(
    .moveOutputStreams, \.moveOutputStreams, "output.move-streams", .boolean)
}

/// Preferred input or output → the default source or sink.
///
/// If a chain is built, this phase writes nothing: the default is written once, at the chain's end.
struct PreferredDeviceAspect: Aspect {
  let direction: Direction
  let phase = Phase.preferredDevices
  let isShared = false

  var property: Property { .device(direction) }

  /// It compares the device in use with the mode's device itself.
  func direction(of mode: AudioMode) -> Direction? { nil }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let resolved = context.resolved(direction), let device = context.device(direction),
      !context.snapshot.isOfOneProgram
    else { return [] }
    guard context.preferredEnd(on: device) == device.name, isAsked(context, resolved) else {
      return []
    }
    return unplugged(context, resolved, device) + [
      Target(
        property, .defaultDevice(direction), .name(device.name),
        why: context.mode.preferences(direction).prefer == nil
          ? "the category needs it" : "preferred \(direction.rawValue)")
    ]
  }

  /// The port, ahead of its phase, if the active one is unplugged: PulseAudio does not make such a
  /// device the default while another one has a usable port.
  private func unplugged(_ context: PlanContext, _ resolved: Resolved, _ device: Device) -> [Target]
  {
    guard !device.canBeDefault,
      context.snapshot.server.defaultName(direction) != device.name,
      let port = resolved.port ?? device.bestPort
    else { return [] }
    return [
      Target(
        .port(direction),
        .port(direction, device: device.name), .name(port.name), phase: phase,
        why: "the port in use is unplugged, and the device could not be the default")
    ]
  }

  /// Whether the default must be this device: the mode names it, or the category has no other, or
  /// it was the default before the server chose another because of the session's change.
  private func isAsked(_ context: PlanContext, _ resolved: Resolved) -> Bool {
    context.mode.preferences(direction).prefer != nil
      || context.mode.directions.contains(direction)
      || context.resolution.defaultsBefore[direction] == resolved.name
  }

  func report(_ context: PlanContext) -> PropertyReport {
    let root = context.snapshot.defaultRoot(direction)
    let isRoute = root.map { !context.snapshot.isDummy($0) } ?? false
    let actual = isRoute ? root.map { StateValue.string($0.name) } : nil
    guard let prefer = context.mode.preferences(direction).prefer else { return .unset(actual) }
    let preferred = StateValue.strings(prefer.map(\.description))
    if let error = context.resolution.waiting[direction] {
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .pending, reason: error.message,
        waitingFor: context.waitingFor(direction))
    }
    if let resolved = context.resolved(direction), context.device(direction) == nil {
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .pending,
        reason: "\(resolved.name) is not there yet", waitingFor: .profile)
    }
    if context.snapshot.isOfOneProgram { return ownReport(context, preferred) }
    guard let resolved = context.resolved(direction), resolved.name == root?.name else {
      let meant = context.resolved(direction)?.name ?? "the preferred one"
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .overridden,
        reason: "the default is \(root?.name ?? "none"), not \(meant): another program changed it")
    }
    return PropertyReport(preferred: preferred, actual: actual, verdict: .applied)
  }

  /// For a session of one program: whether all of that program's streams are on the device.
  private func ownReport(_ context: PlanContext, _ preferred: StateValue) -> PropertyReport {
    guard let device = context.device(direction) else {
      return PropertyReport(
        preferred: preferred, actual: nil, verdict: .pending,
        reason: "there is no \(direction.rawValue)", waitingFor: .device)
    }
    let end = context.preferredEnd(on: device)
    let stray = context.snapshot.viewersStreams(direction).compactMap { stream in
      context.snapshot.device(direction, at: stream.device).map { (stream, $0) }
    }.first { !$1.isMonitor && $1.name != end }
    guard let (stream, other) = stray else {
      return PropertyReport(
        preferred: preferred, actual: .string(device.name), verdict: .applied)
    }
    return PropertyReport(
      preferred: preferred, actual: .string(other.name), verdict: .overridden,
      reason: "'\(stream.name)' of this program is on \(other.name): another program moved it")
  }
}
