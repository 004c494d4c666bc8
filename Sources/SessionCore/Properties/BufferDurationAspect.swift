import PulseTypes

extension PropertyRow {
  static let ioBufferDuration = PropertyRow(
    .ioBufferDuration, \.ioBufferDuration, "buffer-duration", .buffer, label: "IO buffer duration",
    unit: .seconds, meaning: "The IO buffer, for every program on the device. A hint.",
    synonyms: ["buffer-duration", "buffer", "latency"], aspect: BufferDurationAspect(),
    check: Check.buffer,
    explain: { $0.causes = $1.latencyCauses($2) })

  static let holdsAlways = PropertyRow(.holdsAlways, \.holdsAlways, "hold-always", .boolean)
}

/// IO buffer duration of the resolved input, or of the output for playback: a hint that a pin
/// holds.
struct BufferDurationAspect: Aspect {
  let property = Property.ioBufferDuration
  let phase = Phase.ioBufferDuration
  let isShared = false

  func direction(of mode: AudioMode) -> Direction? { mode.hintDirection }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    let direction = context.mode.hintDirection
    guard let device = context.device(direction), let preference = preference(context, device),
      !isLeftToStreams(context), !wasAsked(context, device, preference)
    else { return [] }
    return [
      Target(
        property, .latency(direction, device: device.name), .duration(preference),
        why: "held by a pin, for every program on the device")
    ]
  }

  func report(_ context: PlanContext) -> PropertyReport {
    let direction = context.mode.hintDirection
    let device = context.shownDevice(direction)
    let isKnown = device.map { !context.server.isPredicted($0.name) } ?? false
    let setting = device.map { Setting.latency(direction, device: $0.name) }
    let latency = isKnown ? actual(context, device, setting) : nil
    let actual = latency.map { StateValue.number($0.seconds) }
    guard let buffer = context.mode.ioBufferDuration else { return .unset(actual) }
    guard let device = context.device(direction), let preference = preference(context, device)
    else {
      let duration = buffer.duration(atRate: context.mode.sampleRate ?? 48000)
      return PropertyReport(
        preferred: .number(duration.seconds), actual: actual, verdict: .pending,
        reason: "there is no \(direction.rawValue) to set it on", waitingFor: .device, held: false)
    }
    if isLeftToStreams(context) { return ownReport(context, device, preference) }
    let isHeld =
      context.input.holdsPins && context.snapshot.value(of: setting!) == .duration(preference)
    var report = PropertyReport(
      preferred: .number(preference.seconds), actual: actual, verdict: .applied, held: isHeld)
    if let obstacle = obstacle(context, device, preference, latency) {
      report.verdict = obstacle.verdict
      report.reason = obstacle.reason
      report.waitingFor = obstacle.waitingFor
    }
    return report
  }

  func unmet(_ context: PlanContext, steps: [Step]) throws(SessionError) -> Unmet? {
    try strictUnmet(context, steps, .bufferDuration)
  }

  /// Whether a session of one program requests the buffer only through that program's streams: on
  /// PipeWire a pin would force it on all programs.
  private func isLeftToStreams(_ context: PlanContext) -> Bool {
    context.snapshot.isOfOneProgram && context.snapshot.has(.forcedGraph)
  }

  /// PipeWire's buffer is at most the shortest one that a running stream requests.
  private func ownReport(
    _ context: PlanContext, _ device: Device, _ preference: Duration
  ) -> PropertyReport {
    let asked = context.snapshot.viewersStreams(device.direction).filter {
      $0.device == device.index && !$0.isCorked
    }.compactMap { $0.askedLatency }.min()
    let preferred = StateValue.number(preference.seconds)
    guard let asked else {
      return PropertyReport(
        preferred: preferred, actual: nil, verdict: .pending,
        reason: "streams of this program ask for it", waitingFor: .stream, held: false)
    }
    let rate = context.snapshot.rate(of: device)
    let nearest = Graph.quantum(
      preference, rate: rate, limit: context.snapshot.quantumLimit(of: device))
    let isMet = asked <= max(preference, Graph.duration(frames: nearest, rate: rate))
    return PropertyReport(
      preferred: preferred, actual: .number(asked.seconds),
      verdict: isMet ? .applied : .unreachable,
      reason: isMet ? nil : "this program's streams ask for \(Words.milliseconds(asked))",
      held: false)
  }

  private func preference(_ context: PlanContext, _ device: Device) -> Duration? {
    let rate = context.mode.sampleRate ?? context.snapshot.rate(of: device)
    return context.mode.ioBufferDuration?.duration(atRate: rate > 0 ? rate : 48000)
  }

  /// The device's own report; without one, what our pin was granted.
  private func actual(
    _ context: PlanContext, _ device: Device?, _ setting: Setting?
  ) -> Duration? {
    if let device, device.configuredLatency > .zero { return device.configuredLatency }
    if let device, context.snapshot.has(.forcedGraph) {
      return context.snapshot.forcedLatency(on: device)
    }
    return setting.flatMap { context.input.grants[$0] }
  }

  /// What the device granted for this buffer: to the open pin, otherwise to an earlier one, unless
  /// the device was unplugged since.
  private func given(_ context: PlanContext, _ device: Device, _ preference: Duration) -> Duration?
  {
    let setting = Setting.latency(device.direction, device: device.name)
    if context.snapshot.value(of: setting) == .duration(preference) {
      return context.snapshot.latency(
        givenTo: preference, granted: context.input.grants[setting], on: device)
    }
    return remembered(context, device, preference)
  }

  private func remembered(
    _ context: PlanContext, _ device: Device, _ preference: Duration
  ) -> Duration? {
    let setting = Setting.latency(device.direction, device: device.name)
    let got = context.input.memory.outcome(
      setting, asked: .duration(preference), on: context.snapshot)
    guard case .duration(let given) = got, given > .zero else { return nil }
    return given
  }

  /// Whether the device was asked in an earlier run, without a holder since. A pin that is still
  /// open belongs to this run, and stays until its end.
  private func wasAsked(_ context: PlanContext, _ device: Device, _ preference: Duration) -> Bool {
    let setting = Setting.latency(device.direction, device: device.name)
    return !context.input.holdsPins && context.snapshot.value(of: setting) == SettingValue.absent
      && remembered(context, device, preference) != nil
  }

  private typealias Obstacle = (verdict: Verdict, reason: String, waitingFor: WaitingFor?)

  /// Why the buffer differs from the preferred one; `actual` is the device's current buffer.
  private func obstacle(
    _ context: PlanContext, _ device: Device, _ preference: Duration, _ actual: Duration?
  ) -> Obstacle? {
    let given = given(context, device, preference)
    guard context.input.holdsPins else {
      guard let given else {
        return (
          .pending, "no process holds it on \(device.name), which was not asked for it yet", .holder
        )
      }
      if let limit = limit(context, device, preference, given) { return limit }
      return (
        .pending,
        "granted while applying (\(Words.milliseconds(given))); no process maintains it now, so each "
          + "stream chooses its own; use --keep",
        .holder
      )
    }
    guard let actual else {
      return context.snapshot.has(.forcedGraph)
        ? (.pending, "nothing holds it on \(device.name)", .device)
        : (.pending, "\(device.name) has not reported its latency", .device)
    }
    switch context.snapshot.fit(actual, asked: preference, on: device) {
    case .met: return nil
    case .longer: return limit(context, device, preference, actual)
    case .shorter:
      if let given, let limit = limit(context, device, preference, given) { return limit }
      let users = context.snapshot.foreignStreams(on: device).map {
        context.snapshot.programName(of: $0)
      }
      let who = users.isEmpty ? "another stream" : Words.list(Set(users).sorted(), last: "or")
      return (.overridden, "\(who) asked for \(Words.milliseconds(actual))", nil)
    }
  }

  /// How a device's buffer differs from the requested one; nil if it does not.
  private func limit(
    _ context: PlanContext, _ device: Device, _ preference: Duration, _ given: Duration
  ) -> Obstacle? {
    let fit = context.snapshot.fit(given, asked: preference, on: device)
    guard fit != .met else { return nil }
    let gives = "\(device.name) gives \(Words.milliseconds(given))"
    guard context.snapshot.has(.forcedGraph), fit == .shorter else {
      return (.unreachable, "\(gives) and not \(Words.milliseconds(preference))", nil)
    }
    let frames = context.snapshot.quantumLimit(of: device)
    return (.unreachable, "\(gives) at most (\(frames) frames)", nil)
  }
}
