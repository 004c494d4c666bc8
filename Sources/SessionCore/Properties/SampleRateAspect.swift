package import PulseTypes

extension PropertyRow {
  static let sampleRate = PropertyRow(
    .sampleRate, { $1(&$0.sampleRate) }, "sample-rate", .integer(of: "Hz", example: 48000),
    unit: .hertz,
    meaning: "Hz; not the server's own rate. A hint: unmet it is a warning.",
    synonyms: ["rate", "sampling-rate", "frequency"],
    aspect: SampleRateAspect(),
    check: Check.rate)
}

/// Sample rate of the resolved input, or of the output for playback: a hint.
struct SampleRateAspect: Aspect {
  let property = Property.sampleRate
  var phase: Phase { .sampleRate }
  func isShared(in mode: AudioMode) -> Bool { false }

  func direction(of mode: AudioMode) -> Direction? { mode.hintDirection }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    let direction = context.mode.hintDirection
    guard let preference = context.mode.sampleRate, let device = context.device(direction),
      !context.snapshot.isOfOneProgram
    else { return [] }
    let isLeft =
      wasGranted(context, device, preference) || obstacle(context, device, preference) != nil
    return [
      Target(
        property, .rate(direction, device: device.name), .rate(preference), isLeft: isLeft,
        why: "preferred rate")
    ]
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.sampleRate.map { .number(Double($0)) }
  }

  func actual(_ context: PlanContext) -> StateValue? {
    let direction = context.mode.hintDirection
    guard let device = context.shownDevice(direction) else { return nil }
    return context.value(of: .setting(.rate(direction, device: device.name)))?.stateValue
  }

  /// A rate that is not the server's own.
  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    // An idle device of PipeWire has none, whatever it reports.
    guard let device = source.hintDevice(of: setup.mode),
      let rate = source.snapshot.pins.knownRate(of: device)
    else { return }
    let isOther =
      rate != Int(source.snapshot.server.sampleSpec.rate)
      || source.changed.contains(.rate(device.direction, device: device.name))
    // A radio link determines its own rate; the user did not choose it.
    guard isOther, Check.rates.contains(rate),
      source.snapshot.card(of: device)?.isBluetooth != true
    else { return }
    setup.mode.sampleRate = rate
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    let device = try context.awaited(context.mode.hintDirection)
    guard let preference = context.mode.sampleRate else { return [] }
    let setting = Setting.rate(device.direction, device: device.name)
    if wasGranted(context, device, preference),
      context.snapshot.value(of: setting) != .rate(preference)
    {
      return [
        Condition(.grant(setting, asked: .rate(preference)), .rate(preference)),
        .blocked(
          Obstacle(
            .pending,
            "granted while applying (\(preference) Hz); no process maintains it now; use --keep",
            .holder
          )),
      ]
    }
    return [
      Condition(setting, .rate(preference)) { _ in
        if context.snapshot.isOfOneProgram { return ownObstacle(context, device, preference) }
        return obstacle(context, device, preference)
          ?? .overridden(
            "\(device.name) is at \(context.snapshot.rate(of: device)) Hz, not \(preference) Hz")
      }
    ]
  }

  func unmet(_ context: PlanContext, steps: [Step]) throws(SessionError) -> Unmet? {
    try strictUnmet(context, steps, .sampleRate)
  }

  /// A session of one program requests the rate only through that program's streams: a pin would
  /// change an idle device for all programs, and another session might change it back.
  private func ownObstacle(
    _ context: PlanContext, _ device: Device, _ preference: Int
  ) -> Obstacle {
    let now = context.snapshot.rate(of: device)
    let runs = context.snapshot.viewersStreams(on: device).contains { !$0.isCorked }
    return runs
      ? Obstacle(
        .unreachable,
        "\(device.name) is at \(now) Hz, and the server converts for this program's streams")
      : Obstacle(
        .pending,
        "\(device.name) is at \(now) Hz; streams of this program ask for \(preference) Hz", .stream)
  }

  /// Whether the hint was granted in an earlier run, without a holder since. PulseAudio's devices
  /// keep a rate without a holder.
  private func wasGranted(_ context: PlanContext, _ device: Device, _ preference: Int) -> Bool {
    let setting = Setting.rate(device.direction, device: device.name)
    return context.snapshot.has(.graphRate) && !context.input.holdsPins
      && !context.snapshot.pins.isPinned(device, kind: "rate")
      && context.input.memory.outcome(setting, asked: .rate(preference), on: context.snapshot)
        == .rate(preference)
  }

  /// Why the device cannot switch now, or ever; nil if it may.
  private func obstacle(
    _ context: PlanContext, _ device: Device, _ preference: Int
  ) -> Obstacle? {
    RateSetting(direction: device.direction, name: device.name)
      .obstacle(toRate: preference, in: context)
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    let direction = facts.hintDirection
    guard let device = result.device(direction, on: snapshot) else { return }
    let rate = snapshot.pins.knownRate(of: device)
    result.causes = [
      device.state == .running
        ? "\(device.name) runs at \(device.sampleSpec.rate) Hz"
        : "\(device.name) is \(device.state.rawValue)"
          + (rate.map { ", and set to \($0) Hz" } ?? "; its next stream decides the rate")
    ]
    if let fixed = device.fixedRateReason { result.causes.append(fixed) }
    let users = snapshot.users(of: device)
    for stream in users {
      result.causes.append(
        "\(snapshot.programName(of: stream)) uses it with \(stream.sampleSpec.rate) Hz"
          + (snapshot.has(.graphRate) ? "" : ": no rate changes while it runs"))
    }
    let paused = ([device] + snapshot.chain.links(on: device))
      .flatMap { snapshot.foreignStreams(on: $0) }.filter(\.isCorked)
    if !paused.isEmpty {
      let names = Set(paused.map { snapshot.programName(of: $0) }).sorted()
      result.causes.append(
        "\(Words.list(names)) \(names.count == 1 ? "has" : "have") a paused stream on it")
    }
    result.addPins(on: device, "rate", snapshot)
    result.causes.append(Self.policy(snapshot, facts))
  }

  private static func policy(_ snapshot: ServerSnapshot, _ facts: MachineFacts) -> String {
    if let host = facts.serverHost { return "which rates it may take is set on \(host)" }
    if snapshot.has(.graphSettings) {
      let (rates, line) = facts.allowedRates
      let source =
        line.map { " (\($0.place))" }
        ?? facts.graphSettings["default.clock.allowed-rates"].map {
          ": the list in \($0.place) does not count, because it lacks that rate"
        } ?? ", by default"
      return "PipeWire's allowed rates are [ \(rates.joined(separator: " ")) ]\(source)"
    }
    func rate(_ key: String, _ usual: String) -> String {
      facts.daemonSettings[key].map { "\($0.value) (\($0.place))" } ?? usual
    }
    if let line = facts.daemonSettings["avoid-resampling"], line.isYes {
      return "PulseAudio takes the rate of a device's first stream, if the device has it "
        + "(avoid-resampling, \(line.place))"
    }
    return "PulseAudio switches a device between its own rate, by default "
      + "\(rate("default-sample-rate", "44100")), and the alternate one, "
      + rate("alternate-sample-rate", "48000")
  }
}

extension Aspect {
  /// An unmet hint; thrown if the mode requires it.
  func strictUnmet(
    _ context: PlanContext, _ steps: [Step], _ hint: Hint
  ) throws(SessionError) -> Unmet? {
    let isStrict = context.mode.strict?.contains(hint) == true
    guard let obstacle = refusal(context) ?? obstacle(context),
      obstacle.kind != .overridden || isStrict,
      !steps.contains(where: { $0.property == property && $0.setting.isHint })
    else { return nil }
    // A hint that was granted before, without a holder since, is no failure of the machine.
    guard isStrict, obstacle.waitingFor != .holder,
      obstacle.waitingFor != .stream
    else {
      return Unmet(property: property, verdict: obstacle.verdict, reason: obstacle.reason)
    }
    throw SessionError(
      .hintNotGranted, stage: .device,
      "\(hint.rawValue) must be met (strict) and cannot be: \(obstacle.reason)",
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
