import PulseTypes

/// The sample rate of a device: a hint, which a stream of the session holds.
struct RateSetting: DeviceSettingKind {
  let direction: Direction
  let name: String

  var label: String { "sample rate" }
  var phase: Phase { .sampleRate }
  var traits: SettingTraits { [.hint, .ownStream, .outlivesSession] }

  func property(in snapshot: ServerSnapshot) -> Property { .sampleRate }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.device(direction, named: name).map {
      snapshot.pins.knownRate(of: $0).map(SettingValue.rate) ?? .absent
    }
  }

  func answer(in snapshot: ServerSnapshot) -> Reading.Answer {
    let device = snapshot.device(direction, named: name)
    return device.flatMap { snapshot.pins.waitingRate(of: $0) } == nil
      ? .device(direction) : .stream(direction)
  }

  /// A forced graph has a rate of the session only while its stream forces it.
  func isOwn(_ ours: SettingValue, in planner: Planner) -> Bool {
    isForced(in: planner) && isPinned(in: planner.server.snapshot)
  }

  /// A graph keeps a forced rate until it is idle, so a program that runs gets the one from before.
  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    let snapshot = planner.server.snapshot
    guard isForced(in: planner), let device = snapshot.device(direction, named: name) else {
      return before
    }
    if before != .absent, snapshot.isUsed(device) { return before }
    return isPinned(in: snapshot) ? .absent : nil
  }

  func obstacle(to value: SettingValue, in planner: Planner) -> Obstacle? {
    guard case .rate(let rate) = value else { return nil }
    return obstacle(toRate: rate, in: planner.context)
  }

  /// Why the device cannot switch to a rate now, or ever; nil if it may.
  func obstacle(toRate rate: Int, in context: PlanContext) -> Obstacle? {
    let snapshot = context.snapshot
    guard !context.server.isPredicted(name),
      let device = snapshot.device(direction, named: name)
    else { return nil }
    let now = snapshot.pins.knownRate(of: device) ?? 0
    guard now != rate else { return nil }
    let got = context.input.memory.outcome(
      .rate(direction, device: name), asked: .rate(rate), on: snapshot)
    if snapshot.has(.graphRate) {
      guard let got, got != .rate(rate) else { return nil }
      // A device that was idle when it was asked may report its rate now.
      let kept =
        got == .absent ? snapshot.pins.knownRate(of: device).map(SettingValue.rate) : got
      let outcome =
        kept.map { "its hardware stays at \($0), which would work" } ?? "did not take it"
      return Obstacle(.unreachable, "\(name) was asked for \(rate) Hz and \(outcome)")
    }
    // What it could not do then it cannot do now, whichever stream uses it.
    if let fixed = device.fixedRateReason { return Obstacle(.unreachable, fixed) }
    if let got, got != .rate(rate) {
      return Obstacle(
        .unreachable,
        "\(name) was asked for \(rate) Hz and is at \(got), which would work: the server "
          + "switches only between a device's own rate and its alternate-sample-rate in daemon.conf, which "
          + "must be \(rate), and the hardware must have it; see 'audiosession explain rate'")
    }
    if let busy = snapshot.programs(runningOn: device) {
      return Obstacle(.pending, "\(name) stays at \(now) Hz until \(busy)", .idle)
    }
    return nil
  }

  /// A rollback opens the stream of the mode before again.
  private func isForced(in planner: Planner) -> Bool {
    planner.server.snapshot.has(.graphRate) && planner.input.isUndoing != true
  }

  private func isPinned(in snapshot: ServerSnapshot) -> Bool {
    snapshot.device(direction, named: name).map { snapshot.pins.isPinned($0, kind: "rate") }
      ?? false
  }

  func isMet(_ value: SettingValue, in snapshot: ServerSnapshot) -> Bool {
    guard value == .absent, snapshot.has(.graphRate) else { return read(snapshot) == value }
    return read(snapshot) != nil && !isPinned(in: snapshot)
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .rate(let rate) = value else {
      if value == .absent { server.setRatePin(direction, name, nil) }
      return
    }
    server.edit(direction, name) { $0.sampleSpec.rate = UInt32(clamping: rate) }
    if server.snapshot.has(.graphRate) { server.setRatePin(direction, name, rate) }
  }

  func bracket(_ target: Target, from now: SettingValue?, in planner: inout Planner) {
    // PipeWire's graph accepts a forced rate whatever runs.
    guard !planner.server.snapshot.has(.graphRate) else { return }
    let devices = planner.server.snapshot.device(direction, named: name).map { [$0] } ?? []
    planner.unload(
      linksOn: devices, phase: target.phase, "it keeps its master running at its rate")
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    [.setOwnStream(.rate(direction, device: name), value)]
  }
}
