package import PulseTypes

/// A server's current setup as a mode: what `profiles save` writes.
///
/// It has only what differs from the server's own defaults, and names devices by their stable
/// properties. Applying it at once changes nothing.
package struct CapturedSetup: Sendable, Hashable {
  /// The setup as a mode.
  package var mode = AudioMode()
  /// All inputs, for a profile's `[match]`.
  package var inputs: [DeviceMatcher] = []
  /// All outputs.
  package var outputs: [DeviceMatcher] = []
  /// The devices in use, for users: `USB Microphone, Built-in Audio`; empty without any.
  package var summary = ""
  /// The current device of a property, for users.
  package var notes: [Property: String] = [:]
  /// Settings that a profile cannot express, for users.
  package var left: [String] = []

  /// Captures the setup of a server.
  ///
  /// - Parameters:
  ///   - snapshot: the server.
  ///   - current: the mode in effect, if any: its category, mode, options and policies are part of the
  ///     setup, though no server shows them.
  ///   - baseline: the settings that the session changed. They are part of the setup even if they
  ///     equal the server's defaults, because a setting that a profile does not name is restored.
  package init(of snapshot: ServerSnapshot, current: AudioMode? = nil, baseline: Baseline = .init())
  {
    let changed = Set(baseline.valid(for: snapshot).entries.filter(\.isChange).map(\.setting))
    if let current { adopt(current, snapshot) }
    for direction in Direction.allCases { add(direction, snapshot, changed) }
    addHints(snapshot, changed)
    if mode.inputGain == nil { mode.gainLock = nil }
    inputs = snapshot.stableMatchers(.input)
    outputs = snapshot.stableMatchers(.output)
    summary = Direction.allCases.compactMap { snapshot.routeRoot($0) }
      .map { $0.description.isEmpty ? $0.name : $0.description }.unique.joined(separator: ", ")
  }

  /// Adopts the values that a server does not show.
  private mutating func adopt(_ current: AudioMode, _ snapshot: ServerSnapshot) {
    let missing = Direction.allCases.first {
      current.category?.directions.contains($0) == true && snapshot.routeRoot($0) == nil
    }
    if let missing, let category = current.category {
      left.append("category \(category.rawValue): there is no \(missing.rawValue) for it")
    } else {
      mode.category = current.category
    }
    // Playback on a single output is not this category.
    if mode.category == .multiRoute, snapshot.combination == nil { mode.category = .playback }
    mode.mode = current.mode
    mode.options = current.options
    mode.echoCanceller = current.echoCanceller
    mode.unloadsIdleEchoCanceller = current.unloadsIdleEchoCanceller
    mode.holdsAlways = current.holdsAlways
    mode.reapply = current.reapply
    mode.onFailure = current.onFailure
    mode.gainLock = current.gainLock
    if snapshot.routeRoot(.input) != nil { mode.moveInputStreams = current.moveInputStreams }
    if snapshot.routeRoot(.output) != nil { mode.moveOutputStreams = current.moveOutputStreams }
    // With an input in the profile the hints would apply to the input.
    let hasHints = current.sampleRate != nil || current.ioBufferDuration != nil
    if hasHints, current.category == nil, current.hintDirection == .output,
      snapshot.routeRoot(.output) != nil
    {
      mode.category = .playback
    }
  }

  private mutating func add(
    _ direction: Direction, _ snapshot: ServerSnapshot, _ changed: Set<Setting>
  ) {
    guard let device = snapshot.routeRoot(direction) else { return }
    let names = Names(direction)
    guard device.isUsable else {
      left.append("\(device.name) is the default, and nothing is plugged into it")
      return
    }
    guard let matcher = snapshot.stableMatcher(for: device) else {
      left.append("\(device.name) has no name that a profile can hold")
      return
    }
    mode[keyPath: names.prefer] = [matcher] + others(beside: device, snapshot)
    let title = device.description.isEmpty ? "" : ", \(device.description)"
    notes[.device(direction)] = "\(device.name)\(title)"
    if direction == .input, snapshot.card(of: device)?.isBluetooth == true {
      mode.options = (mode.options ?? []).union([.allowBluetoothHFP])
    }
    if let port = device.active, port.availability.isUsable,
      port.name != device.portByItself?.name
        || changed.contains(.port(direction, device: device.name))
    {
      mode[keyPath: names.port] = [.name(port.name)]
      notes[.port(direction)] = port.description.isEmpty ? nil : port.description
    }
    if direction == .output, let card = snapshot.card(of: device),
      changed.contains(.codec(card: card.name))
    {
      mode.outputCodec = card.activeCodec
    }
    // An echo canceller may be between the two.
    if let remap = snapshot.remap(direction),
      snapshot.device(direction, named: remap.master).map({ snapshot.root(of: $0)?.name })
        == device.name
    {
      mode[keyPath: names.channels] = remap.isMix ? .mono : .positions(remap.masterMap.positions)
    }
    addLevels(of: device, names, snapshot, changed)
  }

  /// The other ones of combined outputs.
  private func others(beside device: Device, _ snapshot: ServerSnapshot) -> [DeviceMatcher] {
    guard device.direction == .output, mode.category == .multiRoute,
      let combination = snapshot.combination
    else { return [] }
    return combination.outputs.filter { $0 != device.name }.compactMap {
      snapshot.device(.output, named: $0).flatMap { snapshot.stableMatcher(for: $0) }
    }
  }

  private mutating func addLevels(
    of device: Device, _ names: Names, _ snapshot: ServerSnapshot, _ changed: Set<Setting>
  ) {
    let direction = device.direction
    let volume = device.volume.loudest
    if !device.volume.isUniformly(volume) {
      left.append(
        "\(device.name) has a volume for each channel (\(Words.volume(device.volume))); "
          + "a profile has one for all")
    } else if volume.fraction > 3 {
      left.append("\(device.name) is at \(volume); a profile goes to 300 %")
    } else if volume != .norm || changed.contains(.volume(direction, device: device.name)) {
      mode[keyPath: names.volume] = volume
    }
    if device.isMuted || changed.contains(.mute(direction, device: device.name)) {
      mode[keyPath: names.muted] = device.isMuted
    }
    guard let card = snapshot.card(of: device),
      let port = card.ports.first(where: { $0.name == device.activePort })
    else { return }
    let offset = port.latencyOffset
    guard offset != .zero || changed.contains(.latencyOffset(card: card.name, port: port.name))
    else { return }
    if offset < .seconds(-5) || offset > .seconds(5) {
      left.append("\(device.name) has a latency offset of more than 5 s, which no profile can")
    } else {
      mode[keyPath: names.latencyOffset] = offset
    }
  }

  /// The rate and the buffer of the device to which the hints apply: a rate that is not the
  /// server's own, and a buffer that is held.
  private mutating func addHints(_ snapshot: ServerSnapshot, _ changed: Set<Setting>) {
    let direction = mode.hintDirection
    guard mode.concerns(direction), let device = snapshot.routeRoot(direction) else { return }
    let rate = Int(device.sampleSpec.rate)
    // A radio link determines its own rate; the user did not choose it.
    let isOther =
      rate != Int(snapshot.server.sampleSpec.rate)
      || changed.contains(.rate(direction, device: device.name))
    if isOther, (4000...384_000).contains(rate), snapshot.card(of: device)?.isBluetooth != true {
      mode.sampleRate = rate
    }
    if case .duration(let held) = snapshot.value(of: .latency(direction, device: device.name)),
      held >= .microseconds(500), held <= .seconds(2)
    {
      mode.ioBufferDuration = .duration(held)
    }
  }
}

/// The key paths of one direction's properties.
private struct Names {
  let prefer: WritableKeyPath<AudioMode, [DeviceMatcher]?>
  let port: WritableKeyPath<AudioMode, [PortMatcher]?>
  let channels: WritableKeyPath<AudioMode, ChannelSelection?>
  let volume: WritableKeyPath<AudioMode, Volume?>
  let muted: WritableKeyPath<AudioMode, Bool?>
  let latencyOffset: WritableKeyPath<AudioMode, Duration?>

  init(_ direction: Direction) {
    let isInput = direction == .input
    prefer = isInput ? \.preferredInput : \.preferredOutput
    port = isInput ? \.inputPort : \.outputPort
    channels = isInput ? \.channelMap : \.outputChannelMap
    volume = isInput ? \.inputGain : \.outputVolume
    muted = isInput ? \.inputMuted : \.outputMuted
    latencyOffset = isInput ? \.inputLatencyOffset : \.outputLatencyOffset
  }
}

extension ServerSnapshot {
  /// The hardware in use; a monitor that a user made the default counts, a dummy does not.
  fileprivate func routeRoot(_ direction: Direction) -> Device? {
    defaultRoot(direction).flatMap { isDummy($0) ? nil : $0 }
  }

  /// All usable devices, by their stable properties.
  fileprivate func stableMatchers(_ direction: Direction) -> [DeviceMatcher] {
    hardware(direction).filter(\.isUsable).compactMap {
      stableMatcher(for: $0, isItself: false)
    }.unique
  }
}

extension Device {
  /// Whether something is plugged in, or the device has no ports.
  fileprivate var isUsable: Bool {
    ports.isEmpty || ports.contains(where: \.availability.isUsable)
  }

  /// The port that a server chooses by itself: one with a plug first, then the highest priority.
  fileprivate var portByItself: DevicePort? {
    ports.filter(\.availability.isUsable).max {
      ($0.availability == .yes ? 1 : 0, $0.priority) < (
        $1.availability == .yes ? 1 : 0, $1.priority
      )
    }
  }
}

extension Array where Element: Hashable {
  /// The elements in their order, each once.
  fileprivate var unique: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
