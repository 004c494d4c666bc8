import PulseTypes

extension PropertyRow {
  static let channelMap = PropertyRow(
    .channelMap, { $1(&$0.channelMap) }, "input.channel-map", .channels,
    meaning: "The hardware channels that programs hear, in order.", synonyms: ["channels"],
    aspect: ChannelMapAspect(direction: .input), check: Check.channels)

  static let outputChannelMap = PropertyRow(
    .outputChannelMap, { $1(&$0.outputChannelMap) }, "output.channel-map", .channels,
    meaning: "The hardware channels that play left, right and so on.",
    aspect: ChannelMapAspect(direction: .output), check: Check.channels)
}

/// Channel map, polar pattern and orientation together → the remap.
struct ChannelMapAspect: Aspect {
  let direction: Direction
  var phase: Phase { .channelMap }
  func isShared(in mode: AudioMode) -> Bool { false }

  var property: Property { .channels(direction) }

  func direction(of mode: AudioMode) -> Direction? { direction }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let device = context.device(direction), !Self.isUnknown(context, device),
      let remap = try context.preferredRemap(on: device)
    else { return [] }
    return [Target(property, .chain(direction), .remap(remap), why: reason(context))]
  }

  /// Whether a device does not exist yet, and its name does not say which channels it will have: they are
  /// judged once it is there.
  private static func isUnknown(_ context: PlanContext, _ device: Device) -> Bool {
    context.server.isPredicted(device.name) && Card.guessesChannels(of: device)
  }

  private func reason(_ context: PlanContext) -> String {
    let preferences = context.mode.preferences(direction)
    let pattern = preferences.polarPattern.map { "polar pattern \($0.rawValue)" }
    let turned = (preferences.orientation ?? .none).quarterTurns != 0
    let orientation = turned ? preferences.orientation.map { "orientation \($0.rawValue)" } : nil
    let parts = [pattern, preferences.channels == nil ? nil : "channel map", orientation]
    return Words.list(parts.compactMap { $0 })
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.preferences(direction).channels.map { StateValue($0.positions) }
  }

  func actual(_ context: PlanContext) -> StateValue? {
    guard let device = context.shownDevice(direction) else { return nil }
    let own = context.snapshot.isOfOneProgram ? Self.streams(context, device).first : nil
    let map = own?.channelMap ?? Self.actual(context.snapshot, device)
    return map.map { StateValue($0.positions) }
  }

  /// The channels that programs get: the remap's if the device has one, otherwise the device's.
  static func actual(_ snapshot: ServerSnapshot, _ device: Device) -> ChannelMap? {
    let owned = snapshot.chain.ownedDevices(device.direction, of: .chain(device.direction)).first
    guard let owned, snapshot.chain.root(of: owned)?.name == device.name else {
      return device.channelMap
    }
    return snapshot.chain.link(of: owned)?.channelMap ?? device.channelMap
  }

  /// An echo canceller may be between the remap and the device.
  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    let snapshot = source.snapshot
    guard let device = source.devices[direction], let remap = snapshot.chain.remap(direction),
      snapshot.chain.stands(remap, on: device)
    else { return }
    let path = direction == .input ? \AudioMode.channelMap : \.outputChannelMap
    setup.mode[keyPath: path] = remap.isMix ? .mono : .positions(remap.masterMap.positions)
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    try Self.conditions(context, direction)
  }

  /// The common conditions of channel map, polar pattern and orientation, because they are one remap.
  static func conditions(
    _ context: PlanContext, _ direction: Direction
  ) throws(Obstacle) -> [Condition] {
    let device = try context.awaited(direction)
    guard !isUnknown(context, device) else {
      throw Obstacle(.pending, "its channels are known once \(device.name) is there", .profile)
    }
    let (routing, remap): (ChannelRouting?, RemapSpec?)
    do throws(SessionError) {
      routing = try ChannelRouting.make(context.mode.preferences(direction), on: device)
      remap = try context.preferredRemap(on: device)
    } catch {
      let card = context.snapshot.card(of: device)
      throw card.flatMap(context.awaitedProfile) ?? Obstacle(.unreachable, error.message)
    }
    let isIdentity = routing?.isIdentity(on: device.channelMap) ?? true
    // One channel is its own mix.
    let needsNone = isIdentity || routing?.masterMap == .mono && device.channelMap.count == 1
    let hardware = Condition(
      .channels(direction, device: device.name), .channels(device.channelMap))
    if context.snapshot.isOfOneProgram {
      guard let routing else { return [hardware] }
      // The server plays a stream's channels where they are to be heard, whichever it has.
      guard !isIdentity || direction == .input else { return [hardware] }
      let taken = takenChannels(context, device, routing)
      // The streams themselves select the channels: this project's do, others cannot be made to.
      guard isIdentity || !taken.isEmpty else {
        throw Obstacle(.pending, "streams of this program take the channels themselves", .stream)
      }
      return isIdentity ? [hardware] + taken : taken
    }
    if !needsNone {
      guard context.input.capabilities.moduleLoading else { throw .noModules }
      if let refusal = context.input.refusals[.chain(direction)] {
        throw Obstacle(.refused, refusal)
      }
      guard !context.lacks(.chain(direction)) else { throw .overridden("no remap makes it") }
    }
    let chain = Condition(.chain(direction), remap.map(SettingValue.remap) ?? .absent) { now in
      Obstacle(
        .overridden,
        (now ?? .absent) == .absent ? "no remap makes it" : "the remap is \(now.shown)")
    }
    return remap == nil ? [hardware, chain] : [chain, context.isAtEnd(device, "the remap exists")]
  }

  /// What shows that each stream of the program has the channels; their order is the device's where that
  /// has just these.
  private static func takenChannels(
    _ context: PlanContext, _ device: Device, _ routing: ChannelRouting
  ) -> [Condition] {
    let isIdentity = routing.isIdentity(on: device.channelMap)
    return streams(context, device).map { stream in
      .value(
        .streamChannels(device.direction, stream.index), asked: .channels(routing.masterMap)
      ) { taken in
        guard isIdentity, case .channels(let map) = taken else {
          return taken == .channels(routing.masterMap)
        }
        return routing.isIdentity(on: map)
      } otherwise: { _ in
        Obstacle(
          .unreachable,
          "'\(stream.name)' takes \(stream.channelMap): a stream's channels are chosen when it is "
            + "opened")
      }
    }
  }

  private static func streams(_ context: PlanContext, _ device: Device) -> [Stream] {
    context.snapshot.viewersStreams(device.direction).filter { $0.device == device.index }
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    guard let device = result.device(direction, on: snapshot) else { return }
    result.causes = ["\(device.name) has the channels \(device.channelMap)"]
    guard let remap = snapshot.chain.remap(direction), snapshot.chain.stands(remap, on: device)
    else {
      result.causes.append("the session has no remap on it")
      return
    }
    let isInUse = snapshot.defaultDevice(direction)?.name == remap.name
    result.causes.append(
      "\(remap.name) is on it: it takes \(remap.masterMap) as \(remap.map)"
        + (isInUse ? "" : ", and is not the default"))
  }
}
