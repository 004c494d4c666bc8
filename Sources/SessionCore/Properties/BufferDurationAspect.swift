import PulseTypes

extension PropertyRow {
  static let ioBufferDuration = PropertyRow(
    .ioBufferDuration, { $1(&$0.ioBufferDuration) }, "buffer-duration", .buffer,
    label: "IO buffer duration",
    unit: .seconds, meaning: "The IO buffer of the device; on PipeWire of its graph. A hint.",
    synonyms: ["buffer-duration", "buffer", "latency"], aspect: BufferDurationAspect(),
    check: Check.buffer)

  static let holdsAlways = PropertyRow(
    .holdsAlways, { $1(&$0.holdsAlways) }, "hold-always", .boolean)
}

/// IO buffer duration of the resolved input, or of the output for playback: a hint that a pin
/// holds.
struct BufferDurationAspect: Aspect {
  let property = Property.ioBufferDuration
  var phase: Phase { .ioBufferDuration }
  func isShared(in mode: AudioMode) -> Bool { false }

  func direction(of mode: AudioMode) -> Direction? { mode.hintDirection }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    let direction = context.mode.hintDirection
    guard let device = context.device(direction), let preference = context.buffer(of: device),
      !isLeftToStreams(context), !wasAsked(context, device, preference)
    else { return [] }
    return [
      Target(
        property, .latency(direction, device: device.name), .duration(preference),
        why: "held by a stream of the session, for other programs, too")
    ]
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.buffer(context.mode.hintDirection).map { .number($0.seconds) }
  }

  func actual(_ context: PlanContext) -> StateValue? {
    guard let device = context.shownDevice(context.mode.hintDirection) else { return nil }
    let buffer = Fact.buffer(device.direction, device: device.name)
    guard isLeftToStreams(context), preferred(context) != nil else {
      return context.value(of: buffer)?.stateValue
    }
    return shortest(context, device)?.askedLatency.map { .number($0.seconds) }
  }

  /// A buffer that is held.
  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    guard let device = source.hintDevice(of: setup.mode) else { return }
    let setting = Setting.latency(device.direction, device: device.name)
    guard let held = source.snapshot.value(of: setting)?.duration,
      held >= .microseconds(500), held <= .seconds(2)
    else { return }
    setup.mode.ioBufferDuration = .duration(held)
  }

  func isHeld(_ context: PlanContext) -> Bool? {
    guard let device = context.device(context.mode.hintDirection),
      let preference = context.buffer(of: device), !isLeftToStreams(context)
    else { return false }
    return context.input.holdsPins
      && context.snapshot.value(of: .latency(device.direction, device: device.name))
        == .duration(preference)
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    let device = try context.awaited(context.mode.hintDirection)
    guard let preference = context.buffer(of: device) else { return [] }
    if isLeftToStreams(context) { return try ownConditions(context, device, preference) }
    let isMet: (SettingValue) -> Bool = {
      $0.duration.map { context.snapshot.fit($0, asked: preference, on: device) } == .met
    }
    guard context.input.holdsPins else { return released(context, device, preference, isMet) }
    return [
      .value(
        .buffer(device.direction, device: device.name), asked: .duration(preference), isMet: isMet
      ) {
        obstacle(context, device, preference, $0?.duration)
      }
    ]
  }

  func unmet(_ context: PlanContext, steps: [Step]) throws(SessionError) -> Unmet? {
    try strictUnmet(context, steps, .bufferDuration)
  }

  /// Without a process that holds it, only what was granted while applying is known.
  private func released(
    _ context: PlanContext, _ device: Device, _ preference: Duration,
    _ isMet: @escaping (SettingValue) -> Bool
  ) -> [Condition] {
    let grant = grant(device, preference)
    let given = context.value(of: grant)?.description ?? ""
    return [
      .value(grant, asked: .duration(preference), isMet: isMet) { now in
        if now == nil, context.snapshot.has(.unreportedBuffer),
          context.snapshot.pins.isPinned(device, kind: "latency")
        {
          return unseen(context, device, preference)
        }
        guard let now = now?.duration, let limit = limit(context, device, preference, now) else {
          let was =
            attempt(context, device, preference) == nil
            ? "was not asked for it yet"
            : "did not show it when it was asked for"
          return Obstacle(.pending, "no process holds it on \(device.name), which \(was)", .holder)
        }
        guard limit.kind == .overridden else { return limit }
        return Obstacle(
          .pending,
          "not granted while applying (\(Words.milliseconds(now))); no process asks for it now; use --keep",
          .holder)
      },
      .blocked(
        Obstacle(
          .pending,
          "granted while applying (\(given)); no process maintains it now, so each "
            + "stream chooses its own; use --keep", .holder)),
    ]
  }

  /// What came of the last time that the device was asked.
  func attempt(
    _ context: PlanContext, _ device: Device, _ preference: Duration
  ) -> SettingValue? {
    context.input.memory.outcome(
      .latency(device.direction, device: device.name), asked: .duration(preference),
      on: context.snapshot)
  }

  private func grant(_ device: Device, _ preference: Duration) -> Fact {
    .grant(.latency(device.direction, device: device.name), asked: .duration(preference))
  }

  /// Whether the device was asked in an earlier run, without a holder since. A pin that is still
  /// open belongs to this run, and stays until its end.
  private func wasAsked(_ context: PlanContext, _ device: Device, _ preference: Duration) -> Bool {
    let setting = Setting.latency(device.direction, device: device.name)
    guard !context.input.holdsPins, context.snapshot.value(of: setting) == SettingValue.absent,
      let given = context.value(of: grant(device, preference))?.duration
    else { return false }
    // What another program forced then may be over.
    return limit(context, device, preference, given)?.kind != .overridden
  }

  /// Why the buffer differs from the preferred one; `actual` is the device's current buffer.
  private func obstacle(
    _ context: PlanContext, _ device: Device, _ preference: Duration, _ actual: Duration?
  ) -> Obstacle {
    guard let actual else {
      guard context.snapshot.has(.unreportedBuffer) else {
        return Obstacle(.pending, "\(device.name) has not reported its latency", .device)
      }
      return unseen(context, device, preference)
    }
    let given = context.value(of: grant(device, preference))?.duration
    let isLonger = context.snapshot.fit(actual, asked: preference, on: device) == .longer
    // A longer buffer is the device's limit only while the session's stream asks for the preferred one.
    let isPinned = context.snapshot.pins.isPinned(device, kind: "latency")
    let shown = isLonger && isPinned ? actual : given
    if let limit = shown.flatMap({ limit(context, device, preference, $0) }) { return limit }
    guard isPinned || !isLonger else {
      return Obstacle(
        .pending, "no stream of the session asks \(device.name) for it now", .device)
    }
    let users = context.snapshot.foreignStreams(on: device).map {
      context.snapshot.programName(of: $0)
    }
    // Level meters and recorders of a monitor count for a server, too: which stream it was is not known.
    let others =
      users.isEmpty ? "" : "; \(device.name) is used by \(Words.list(Set(users).sorted()))"
    return Obstacle(
      .overridden, "another stream asked for \(Words.milliseconds(actual))" + others)
  }

  /// How a device's buffer differs from the requested one; nil if it does not.
  private func limit(
    _ context: PlanContext, _ device: Device, _ preference: Duration, _ given: Duration
  ) -> Obstacle? {
    let fit = context.snapshot.fit(given, asked: preference, on: device)
    guard fit != .met else { return nil }
    let gives = "\(device.name) gives \(Words.milliseconds(given))"
    guard context.snapshot.has(.graphBuffer) else {
      return Obstacle(.unreachable, "\(gives) and not \(Words.milliseconds(preference))")
    }
    return limit(context, device, preference, given, ofGraph: fit)
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    let direction = facts.hintDirection
    guard let device = result.device(direction, on: snapshot) else { return }
    let users = ([device] + snapshot.chain.links(on: device)).flatMap(snapshot.foreignStreams)
    let asked = snapshot.pins.streams(on: device)
      .compactMap { $0.properties[Owned.pinLatencyKey].flatMap { Int64($0) } }.min()
    let latency = Words.milliseconds(device.configuredLatency)
    let isFixed =
      !snapshot.has(.unreportedBuffer) && !device.flags.contains(.dynamicLatency(device.direction))
    if snapshot.has(.unreportedBuffer) {
      result.causes.append(
        "PipeWire does not report a device's buffer; all devices share one quantum")
      result.causes += snapshot.forcingPrograms.map {
        "\($0.name) asks for \($0.frames) frames on all devices"
      }
    } else if device.state == .suspended {
      result.causes.append(
        "\(device.name) is suspended: it has no buffer until a program uses it")
    } else if isFixed {
      result.causes.append(
        "\(device.name) has a fixed buffer of \(latency), whatever its streams request")
    } else if let asked, device.configuredLatency > .microseconds(asked) + .milliseconds(1) {
      result.causes.append("\(device.name) has a buffer of \(latency), and gives no shorter one")
    } else if snapshot.streams(on: device).isEmpty {
      result.causes.append(
        "\(device.name) has a buffer of \(latency), its longest: no stream requests one")
    } else {
      result.causes.append(
        "\(device.name) has a buffer of \(latency): the shortest that any stream on it requests")
    }
    let isPinned = result.addPins(on: device, "latency", snapshot)
    for stream in users {
      let request = stream.askedLatency.map { " and asks for \(Words.milliseconds($0))" } ?? ""
      result.causes.append(
        "\(snapshot.programName(of: stream)) is on it\(request)"
          + (stream.isCorked ? ", paused" : ""))
    }
    if users.isEmpty, !isPinned, snapshot.has(.unreportedBuffer) {
      result.causes.append("no stream requests a buffer")
    } else if users.count > 1, !snapshot.has(.unreportedBuffer), !isFixed {
      result.causes.append("PulseAudio does not report which of them requests the shortest")
    }
  }
}

extension PlanContext {
  /// The preferred buffer of a direction.
  func buffer(_ direction: Direction) -> Duration? {
    device(direction).flatMap { buffer(of: $0) }
      ?? mode.ioBufferDuration?.duration(atRate: mode.sampleRate ?? 48_000)
  }

  /// The preferred buffer of a device; frames are counted at the preferred rate only if the device may have
  /// it.
  func buffer(of device: Device) -> Duration? {
    let preferred = mode.sampleRate.flatMap { rate in
      let setting = RateSetting(direction: device.direction, name: device.name)
      let isPossible =
        !snapshot.isOfOneProgram && setting.obstacle(toRate: rate, in: self) == nil
      return isPossible ? rate : nil
    }
    let rate = preferred ?? snapshot.rate(of: device)
    return mode.ioBufferDuration?.duration(atRate: rate > 0 ? rate : 48000)
  }
}
