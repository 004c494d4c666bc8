import PulseTypes

extension PropertyRow {
  static let preferredInput = PropertyRow(
    .preferredInput, { $1(&$0.preferredInput) }, "input.prefer", .devices,
    meaning: "The input, by what does not change; add others behind it to fall back on.",
    synonyms: [
      "input", "default-source", "default-input", "default", "source", "mic", "microphone",
    ],
    aspect: PreferredDeviceAspect(direction: .input),
    check: Check.devices)

  static let preferredOutput = PropertyRow(
    .preferredOutput, { $1(&$0.preferredOutput) }, "output.prefer", .devices,
    meaning: "The output, by what does not change; add others behind it to fall back on.",
    synonyms: [
      "output", "default-sink", "default-output", "sink", "speaker", "speakers", "headphones",
    ], aspect: PreferredDeviceAspect(direction: .output),
    check: Check.devices)

  static let inputRequired = PropertyRow(
    .inputRequired, { $1(&$0.inputRequired) }, "input.required", .boolean,
    needsDevice: { _ in false })

  static let outputRequired = PropertyRow(
    .outputRequired, { $1(&$0.outputRequired) }, "output.required", .boolean,
    needsDevice: { _ in false })

  static let moveInputStreams = PropertyRow(
    .moveInputStreams, { $1(&$0.moveInputStreams) }, "input.move-streams", .boolean,
    needsDevice: { $0 })

  static let moveOutputStreams = PropertyRow(
    .moveOutputStreams, { $1(&$0.moveOutputStreams) }, "output.move-streams", .boolean,
    needsDevice: { $0 })
}

/// Preferred input or output → the default source or sink.
///
/// If a chain is built, this phase writes nothing: the default is written once, at the chain's end.
struct PreferredDeviceAspect: Aspect {
  let direction: Direction
  var phase: Phase { .preferredDevices }
  func isShared(in mode: AudioMode) -> Bool { false }

  var property: Property { .device(direction) }

  /// It compares the device in use with the mode's device itself.
  func direction(of mode: AudioMode) -> Direction? { nil }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let resolved = context.resolved(direction), let device = context.device(direction),
      !context.snapshot.isOfOneProgram, context.preferredEnd(on: device) == device.name,
      isAsked(context, resolved)
    else { return [] }
    return unplugged(context, resolved, device) + [
      Target(
        property, .defaultDevice(direction), .name(device.name),
        why: context.mode.preferences(direction).prefer == nil
          ? "the category needs it" : "preferred \(direction.rawValue)")
    ]
  }

  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    guard let device = source.devices[direction],
      let matcher = source.snapshot.stableMatcher(for: device)
    else { return }
    let prefer = direction == .input ? \AudioMode.preferredInput : \.preferredOutput
    setup.mode[keyPath: prefer] = [matcher] + others(beside: device, source)
    let title = device.description.isEmpty ? "" : ", \(device.description)"
    setup.notes[property] = "\(device.name)\(title)"
  }

  /// The other ones of combined outputs.
  private func others(beside device: Device, _ source: CaptureSource) -> [DeviceMatcher] {
    guard direction == .output, source.current?.category == .multiRoute,
      let combination = source.snapshot.combination
    else { return [] }
    return combination.outputs.filter { $0 != device.name }.compactMap {
      source.snapshot.device(.output, named: $0).flatMap { source.snapshot.stableMatcher(for: $0) }
    }
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

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.preferences(direction).prefer.map { .strings($0.map(\.description)) }
  }

  func absent(_ context: PlanContext) -> String? {
    let named = context.mode.preferences(direction).prefer?.prefix { $0 != .default }
    guard let first = named?.first, !context.snapshot.has(first, direction) else { return nil }
    // Several kinds may be descriptions of one device, which is there.
    let isMissing =
      first.isOfOneDevice || named?.contains { context.snapshot.has($0, direction) } != true
    return isMissing ? first.description : nil
  }

  func actual(_ context: PlanContext) -> StateValue? {
    if context.snapshot.isOfOneProgram, preferred(context) != nil,
      let device = context.device(direction)
    {
      let end = context.preferredEnd(on: device)
      let places = context.snapshot.viewersPlaces(direction, beside: end)
      return (places.first { $0.device.name != end } ?? places.first).map {
        .string($0.device.name)
      }
    }
    let root = context.snapshot.chain.defaultRoot(direction)
    return root.flatMap { context.snapshot.isDummy($0) ? nil : .string($0.name) }
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    let device = try context.awaited(direction)
    guard context.snapshot.isOfOneProgram else {
      return [context.isDefault(direction, device.name)] + portConditions(context, device)
    }
    let end = context.preferredEnd(on: device)
    let places = context.snapshot.viewersPlaces(direction, beside: end)
    guard !places.isEmpty else {
      throw Obstacle(.pending, "streams of this program are opened on \(end)", .stream)
    }
    return places.map { stream, place in
      let refusal = context.input.refusals[.stream(direction, stream.index)]
      return Condition(.stream(direction, stream.index), .name(end)) { _ in
        refusal.map { Obstacle(.refused, $0) }
          ?? Obstacle(.overridden, "'\(stream.name)' of this program is on \(place.name)")
      }
    }
  }

  /// A device that is preferred by the type of its port is used through that port.
  private func portConditions(_ context: PlanContext, _ device: Device) -> [Condition] {
    guard let resolved = context.resolved(direction), resolved.isPreferredByPort,
      let port = resolved.port
    else { return [] }
    let setting = Setting.port(direction, device: device.name)
    return [
      Condition(setting, .name(port.name)) { now in
        context.input.refusals[setting].map { Obstacle(.refused, $0) }
          ?? .overridden("the port of \(device.name) is \(now.shown), not \(port.name)")
      }
    ]
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    let word = direction == .input ? "source" : "sink"
    let ranking = snapshot.ranking(direction)
    let present = snapshot.defaultDevice(direction).flatMap { snapshot.isDummy($0) ? nil : $0 }
    if let variable = facts.variables[direction == .input ? "PULSE_SOURCE" : "PULSE_SINK"] {
      result.causes.append("programs started here use \(variable), whatever the default is")
    }
    if let present {
      result.causes += why(present, word, ranking, facts)
    } else {
      result.causes.append("the server has no \(word)")
    }
    result.choices = ranking.devices.map { device in
      let isPresent = device.name == present?.name
      return Explanation.Choice(
        name: device.name, isChosen: isPresent, availability: device.active?.availability,
        priority: ranking.priority(of: device),
        reason: isPresent ? "is the default" : ranking.reason(against: device))
    }
    // The chosen one first, for whatever reason it was chosen.
    result.choices = result.choices.filter(\.isChosen) + result.choices.filter { !$0.isChosen }
  }

  private func why(
    _ present: Device, _ word: String, _ ranking: Ranking, _ facts: MachineFacts
  ) -> [String] {
    let snapshot = ranking.snapshot
    let entry = facts.baseline[.defaultDevice(ranking.direction)]
    // A default that the session found as preferred is recorded, too, and was another's choice.
    let hasChosen = entry.map { $0.isChange && $0.isOurs(.name(present.name)) } ?? false
    let isOurs = snapshot.isOwned(present) || hasChosen
    var causes: [String] = []
    if snapshot.isOwned(present) {
      let root = snapshot.chain.root(of: present)?.name ?? "a device that was removed"
      causes.append("the default \(word) is \(present.name), the session's own device on \(root)")
    }
    if ranking.chosen != nil {
      let who = isOurs ? "the session" : "a person, a program or a module of the server"
      causes.append(
        "\(who) chose \(present.name); by itself the server would take \(ranking.devices[0].name)")
      if let port = snapshot.devices(ranking.direction).first(where: { !$0.canBeDefault }) {
        causes.append(
          "\(port.name) cannot become the default while nothing is plugged into its port")
      }
    } else if isOurs, case .name(let former)? = entry?.before, former != present.name {
      causes.append("the session chose \(present.name); \(former) was the default before")
    } else if let equal = ranking.devices.first(where: { ranking.isEqual($0, present) }) {
      causes.append(
        "the server ranks \(equal.name) as high as \(present.name); whether \(present.name) was "
          + "chosen, or was there first, cannot be read")
    } else {
      causes.append(
        "\(present.name) is the server's own first choice; whether it was also chosen cannot be read"
      )
    }
    if !snapshot.modules(named: "module-switch-on-connect").isEmpty {
      causes.append("module-switch-on-connect chooses whatever is plugged in")
    }
    if !snapshot.modules(named: "module-default-device-restore").isEmpty {
      causes.append("module-default-device-restore chooses at each start what was chosen last")
    }
    return causes
  }
}
