package import PulseTypes

extension PropertyRow {
  static let sampleRate = PropertyRow(
    .sampleRate, \.sampleRate, "sample-rate", .integer(of: "Hz", example: 48000), unit: .hertz,
    meaning: "Hz; not the server's own rate. A hint: unmet it is a warning.",
    synonyms: ["rate", "sampling-rate", "frequency"],
    aspect: SampleRateAspect(),
    check: { (rate, property, _) throws(SessionError) in
      try Check.range(rate, 4000...384_000, property, unit: "Hz", example: "48000")
    },
    explain: { $0.causes = $1.rateCauses($2) })
}

/// Sample rate of the resolved input, or of the output for playback: a hint.
struct SampleRateAspect: Aspect {
  let property = Property.sampleRate
  let phase = Phase.sampleRate
  let isShared = false

  func direction(of mode: AudioMode) -> Direction? { mode.hintDirection }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    let direction = context.mode.hintDirection
    guard let preference = context.mode.sampleRate, let device = context.device(direction),
      !context.snapshot.isOfOneProgram, !wasGranted(context, device, preference)
    else { return [] }
    return [
      Target(
        property, .rate(direction, device: device.name), .rate(preference),
        isLeft: obstacle(context, device, preference) != nil, why: "preferred rate")
    ]
  }

  func report(_ context: PlanContext) -> PropertyReport {
    let direction = context.mode.hintDirection
    let device = context.shownDevice(direction)
    let isKnown = device.map { !context.server.isPredicted($0.name) } ?? false
    let rate = isKnown ? device.flatMap { context.snapshot.knownRate(of: $0) } : nil
    let actual = rate.map { StateValue.number(Double($0)) }
    guard let preference = context.mode.sampleRate else { return .unset(actual) }
    let preferred = StateValue.number(Double(preference))
    guard let device = context.device(direction) else {
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .pending,
        reason: "there is no \(direction.rawValue) to set it on", waitingFor: .device)
    }
    if actual == preferred {
      return PropertyReport(preferred: preferred, actual: actual, verdict: .applied)
    }
    if context.snapshot.isOfOneProgram {
      return ownReport(context, device, preference, preferred, actual)
    }
    if wasGranted(context, device, preference) {
      return PropertyReport(
        preferred: preferred, actual: actual, verdict: .pending,
        reason:
          "granted while applying (\(preference) Hz); no process maintains it now; use --keep",
        waitingFor: .holder)
    }
    let obstacle = obstacle(context, device, preference)
    return PropertyReport(
      preferred: preferred, actual: actual, verdict: obstacle?.verdict ?? .overridden,
      reason: obstacle?.reason
        ?? "\(device.name) is at \(context.snapshot.rate(of: device)) Hz: another stream changed it since",
      waitingFor: obstacle?.verdict == .pending ? .idle : nil)
  }

  func unmet(_ context: PlanContext, steps: [Step]) throws(SessionError) -> Unmet? {
    try strictUnmet(context, steps, .sampleRate)
  }

  /// A session of one program requests the rate only through that program's streams: a pin would
  /// change an idle device for all programs, and another session might change it back.
  private func ownReport(
    _ context: PlanContext, _ device: Device, _ preference: Int, _ preferred: StateValue,
    _ actual: StateValue?
  ) -> PropertyReport {
    let now = context.snapshot.rate(of: device)
    let runs = context.snapshot.viewersStreams(device.direction).contains {
      $0.device == device.index && !$0.isCorked
    }
    return PropertyReport(
      preferred: preferred, actual: actual, verdict: runs ? .unreachable : .pending,
      reason: runs
        ? "\(device.name) is at \(now) Hz, and the server converts for this program's streams"
        : "\(device.name) is at \(now) Hz; streams of this program ask for \(preference) Hz",
      waitingFor: runs ? nil : .stream)
  }

  /// Whether the hint was granted in an earlier run, without a holder since. PulseAudio's devices
  /// keep a rate without a holder.
  private func wasGranted(_ context: PlanContext, _ device: Device, _ preference: Int) -> Bool {
    let setting = Setting.rate(device.direction, device: device.name)
    return context.snapshot.has(.forcedGraph) && !context.input.holdsPins
      && !context.snapshot.isPinned(device, kind: "rate")
      && context.input.memory.outcome(setting, asked: .rate(preference), on: context.snapshot)
        == .rate(preference)
  }

  /// Why the device cannot switch now, or ever; nil if it may.
  func obstacle(
    _ context: PlanContext, _ device: Device, _ preference: Int
  ) -> (verdict: Verdict, reason: String)? {
    let now = context.snapshot.knownRate(of: device) ?? 0
    if context.server.isPredicted(device.name) || now == preference { return nil }
    let setting = Setting.rate(device.direction, device: device.name)
    if context.snapshot.has(.forcedGraph) {
      let got = context.input.memory.outcome(
        setting, asked: .rate(preference), on: context.snapshot)
      guard let got, got != .rate(preference) else { return nil }
      // A device that was idle when it was asked may report its rate now.
      let kept =
        got == .absent ? context.snapshot.knownRate(of: device).map(SettingValue.rate) : got
      let outcome =
        kept.map { "its hardware stays at \($0), which would work" } ?? "did not take it"
      return (.unreachable, "\(device.name) was asked for \(preference) Hz and \(outcome)")
    }
    // What it could not do then it cannot do now, whichever stream uses it.
    if let fixed = device.fixedRateReason { return (.unreachable, fixed) }
    if let got = context.input.memory.outcome(
      setting, asked: .rate(preference), on: context.snapshot),
      got != .rate(preference)
    {
      return (
        .unreachable,
        "\(device.name) was asked for \(preference) Hz and is at \(got), which would work: the server "
          + "switches only between a device's own rate and its alternate-sample-rate; set that to "
          + "\(preference) in daemon.conf for \(preference) Hz"
      )
    }
    if let busy = context.snapshot.programs(runningOn: device) {
      return (.pending, "\(device.name) stays at \(now) Hz until \(busy)")
    }
    return nil
  }
}

extension Aspect {
  /// An unmet hint; thrown if the mode requires it.
  func strictUnmet(
    _ context: PlanContext, _ steps: [Step], _ hint: Hint
  ) throws(SessionError) -> Unmet? {
    let report = ownReport(context)
    guard report.verdict == .pending || report.verdict == .unreachable || report.verdict == .refused
    else { return nil }
    guard !steps.contains(where: { $0.property == property && $0.setting.isHint }) else {
      return nil
    }
    let reason = report.reason ?? ""
    // A hint that was granted before, without a holder since, is no failure of the machine.
    guard context.mode.strict?.contains(hint) == true, report.waitingFor != .holder,
      report.waitingFor != .stream
    else {
      return Unmet(property: property, verdict: report.verdict, reason: reason)
    }
    throw SessionError(
      .hintNotGranted, stage: .device,
      "\(hint.rawValue) must be met (strict) and cannot be: \(reason)",
      property: property)
  }
}

extension ServerSnapshot {
  /// Whose streams prevent a device from switching its rate: `firefox and mpv stop`.
  package func programs(runningOn device: Device) -> String? {
    let users = users(of: device)
    guard !users.isEmpty else { return nil }
    let names = Set(users.map { programName(of: $0) }).sorted()
    return "\(Words.list(names)) \(names.count == 1 ? "stops" : "stop")"
  }
}

extension Device {
  /// Why the rate can never change, according to the driver; nil if it may.
  ///
  /// Only ALSA devices and null sinks support a switch in PulseAudio; a monitor follows its sink.
  var fixedRateReason: String? {
    let fixed = [
      "module-null-source", "module-remap-", "module-bluez5-", "module-pipe-", "module-virtual-",
      "module-echo-cancel", "module-combine-", "module-tunnel", "module-sine-source",
      "module-loopback",
    ]
    guard fixed.contains(where: driver.hasPrefix) else { return nil }
    return
      "\(name) stays at \(sampleSpec.rate) Hz: devices of \(driver) have one rate, and only that would work"
  }
}
