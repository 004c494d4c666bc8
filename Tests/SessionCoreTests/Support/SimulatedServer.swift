import PulseTypes
import SessionCore
import TestSupport

/// A PulseAudio made of values: takes the steps of a plan as the real one takes its commands.
///
/// Written from what was measured on real servers, and on purpose not from the planner's own idea
/// of what a step does: a new device has levels of its own, the default follows the server's rules,
/// a rate may stay, a profile change kills what hangs on a remap.
struct SimulatedServer {
  /// A device that a card profile makes.
  struct Make {
    var direction: Direction
    var name: String
    var map: ChannelMap = .stereo
    var ports: [String] = []
    var rates: [UInt32] = [44100, 48000]
    var priority = 9000
    var driver = "module-alsa-card.c"
  }

  /// What the server says to a command that it does not take.
  struct Refusal: Error, Equatable {
    var message: String
    init(_ message: String) { self.message = message }
  }

  var snapshot: ServerSnapshot
  /// The devices of each card's profiles.
  var makes: [String: [String: [Make]]] = [:]
  /// The rates between which a device can switch: its own and the alternate one; one is none.
  var rates: [String: [UInt32]] = [:]
  /// The higher, the better as a default.
  var priorities: [String: Int] = [:]
  /// What a person or program last chose as the default; its name stays when the device goes.
  var configured: [Direction: String] = [:]
  /// What the device-restore module kept of each device and port.
  var remembered: [String: ChannelVolumes] = [:]
  /// How many volumes the hardware of devices has that takes the nearest one, as without a decibel scale.
  var volumeCounts: [String: UInt32] = [:]
  /// The mutes that it kept.
  var muted: [String: Bool] = [:]
  /// The cards that are pulled out, as they were.
  var unplugged: [String: Card] = [:]
  /// The devices whose levels the session manager has not restored yet.
  var arrivals: Set<String> = []
  /// The latencies that a device can have; one alone is fixed, as without timer scheduling.
  var latencies: [String: ClosedRange<Duration>] = [:]
  /// The latency that each stream asked for.
  var askedLatency: [Index<Stream>: Duration] = [:]
  /// The streams that come back to a link of this name when it is loaded again.
  var linkStreams: [String: Set<Index<Stream>>] = [:]
  /// Whether devices of both profiles are made anew, as some drivers do.
  var recreatesKeptDevices = false
  /// Whether `load-module` is forbidden.
  var deniesModules = false
  /// Settings that the server says no to, whatever is asked.
  var refuses: Set<Setting> = []
  /// Settings whose steps the server acknowledges and does not act on.
  var ignores: Set<Setting> = []
  /// Settings whose next step the server acknowledges before it acts, as PipeWire does.
  var delays: Set<Setting> = []
  /// The steps that it has acknowledged and not done yet.
  var acknowledged: [Step] = []
  /// Whether the session's pins on PipeWire run while another stream uses their device.
  var tendsPins = false
  /// The frames that PipeWire's settings force for the graph, which no client of PulseAudio's protocol sees.
  var settingsQuantum: Int?
  /// The cycles of devices that do not follow the graph.
  var ownCycles: [String: Duration] = [:]
  /// Whether pins deliver no sound, and so show no cycle.
  var pinsStall = false
  /// The cycle that each pin of a latency has shown.
  var shownCycles: [Index<Stream>: Duration] = [:]
  var lastIndex: UInt32 = 10
  private var levels = SeededRandom(seed: 1)

  init(kind: ServerKind = .pulseaudio, seed: UInt64 = 1) {
    levels = SeededRandom(seed: seed)
    snapshot = ServerSnapshot(
      server: ServerInfo(
        name: kind == .pipewire ? "PulseAudio (on PipeWire 1.4.2)" : "pulseaudio",
        version: kind == .pipewire ? "15.0.0" : "16.1",
        sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
        defaultSinkName: nil, defaultSourceName: nil, cookie: 77))
    if kind == .pipewire {
      snapshot.clients = [Self.manager]
    }
  }

  static let manager = Client(
    index: Index(1), name: "WirePlumber",
    properties: ["application.process.binary": "wireplumber"])

  mutating func newIndex() -> UInt32 {
    lastIndex += 1
    return lastIndex
  }

  /// A step as the server takes it; a hint that is not granted is no error.
  mutating func run(_ step: Step) throws(Refusal) {
    guard !refuses.contains(step.setting) else { throw Refusal("Access denied") }
    guard !ignores.contains(step.setting) else { return }
    guard delays.remove(step.setting) == nil else { return acknowledged.append(step) }
    guard let requests = step.setting.requests(for: step.to, in: snapshot) else {
      throw Refusal("Invalid argument: \(step.setting) to \(step.to)")
    }
    switch (step.setting, step.to) {
    // Links are modules, whose arguments the model does not read.
    case (.chain(let direction), .absent): unload(Owned.remapRole, direction)
    case (.chain, .remap(let spec)): try loadRemap(spec)
    case (.combination, .absent): unload(Owned.combineRole, .output)
    case (.combination, .combination(let spec)): try loadCombination(spec)
    case (.echoCanceller, .absent): unload(Owned.echoRole, .input)
    case (.echoCanceller, .echoCanceller(let spec)): try loadCanceller(spec)
    default: for request in requests { try perform(request) }
    }
    updateStates()
  }

  private mutating func perform(_ request: ServerRequest) throws(Refusal) {
    switch request {
    case .setCardProfile(let card, let profile): try setProfile(card, profile)
    case .setDefault(let direction, let name): try setDefault(direction, name)
    case .setPort(let direction, let device, let port): try setPort(direction, device, port)
    case .setVolume(let direction, let shown, let volumes):
      let name = sharedMaster(direction, shown)?.name ?? shown
      let count = volumeCounts[name]
      try edit(direction, name) { device throws(Refusal) in
        guard name != shown || volumes.values.count == device.channelMap.count else {
          throw Refusal("Invalid argument: \(volumes.values.count) volumes")
        }
        let volumes =
          name == shown
          ? volumes : ChannelVolumes(volumes.loudest, channels: device.channelMap.count)
        device.volume = count.map(volumes.nearest) ?? volumes
      }
      remember(direction, name)
    case .setMute(let direction, let name, let flag):
      try edit(direction, name) { device in device.isMuted = flag }
      remember(direction, name)
    case .setPortLatencyOffset(let card, let port, let offset): try setOffset(card, port, offset)
    case .moveStream(let direction, let index, let name): try move(direction, index, name)
    case .setStreamMute(let index, let flag): try edit(index) { $0.isMuted = flag }
    case .setStreamVolume(let index, let volume): try edit(index) { $0.volume = volume }
    case .setOwnStream(.latency(let direction, let name), let value):
      try pin(direction, name, value)
    case .setOwnStream(.rate(let direction, let name), .rate(let rate)):
      if snapshot.has(.graphRate) {
        try pinRate(direction, name, rate)
      } else {
        try askRate(direction, name, UInt32(rate))
      }
    case .setOwnStream(.rate(let direction, let name), _): try pinRate(direction, name, nil)
    case .switchCodec(let card, let codec): try switchCodec(card, codec)
    case .setOwnStream, .loadModule, .unloadModule:
      throw Refusal("no such command: \(request)")
    }
  }

  // MARK: Values of devices

  mutating func edit(
    _ direction: Direction, _ name: String, _ change: (inout Device) throws(Refusal) -> Void
  ) throws(Refusal) {
    let path = direction == .input ? \ServerSnapshot.sources : \ServerSnapshot.sinks
    guard let at = snapshot[keyPath: path].firstIndex(where: { $0.name == name }) else {
      throw Refusal("No such entity: \(name)")
    }
    try change(&snapshot[keyPath: path][at])
  }

  private mutating func remember(_ direction: Direction, _ name: String) {
    guard let device = snapshot.device(direction, named: name) else { return }
    let key = "\(name):\(device.activePort ?? "")"
    (remembered[key], muted[key]) = (device.volume, device.isMuted)
  }

  /// The levels of a port are its own: a device that changes its port changes its volume.
  private mutating func restoreLevels(_ device: inout Device) {
    let key = "\(device.name):\(device.activePort ?? "")"
    let fresh = ChannelVolumes(
      Volume(fraction: Double(levels.int(in: 1...10)) / 10), channels: device.channelMap.count)
    device.volume = remembered[key] ?? fresh
    device.isMuted = muted[key] ?? device.isMuted
    remembered[key] = device.volume
  }

  mutating func setPort(
    _ direction: Direction, _ name: String, _ port: String
  ) throws(Refusal) {
    remember(direction, name)
    guard var device = snapshot.device(direction, named: name) else {
      throw Refusal("No such entity: \(name)")
    }
    guard !device.ports.isEmpty else { throw Refusal("Missing implementation") }
    guard device.ports.contains(where: { $0.name == port }) else {
      throw Refusal("No such entity: \(port)")
    }
    guard device.activePort != port else { return }
    device.activePort = port
    restoreLevels(&device)
    try edit(direction, name) { $0 = device }
    updateDefaults()
  }

  /// A device changes its rate only while nothing runs on it, and only to its own or the alternate.
  mutating func askRate(
    _ direction: Direction, _ name: String, _ rate: UInt32
  ) throws(Refusal) {
    guard let device = snapshot.device(direction, named: name) else {
      throw Refusal("No such entity: \(name)")
    }
    let choices = rates[name] ?? []
    var users = snapshot.streams(on: device)
    if let sink = device.isMonitor ? snapshot.device(.output, named: device.monitor!) : nil {
      users += snapshot.streams(on: sink)
    }
    guard Set(choices).count > 1, choices.contains(rate), users.allSatisfy(\.isCorked) else {
      return
    }
    try edit(direction, name) { $0.sampleSpec.rate = rate }
  }

  private mutating func setOffset(
    _ card: String, _ port: String, _ offset: Duration
  ) throws(Refusal) {
    guard let at = snapshot.cards.firstIndex(where: { $0.name == card }),
      let p = snapshot.cards[at].ports.firstIndex(where: { $0.name == port })
    else { throw Refusal("No such entity: \(card) \(port)") }
    snapshot.cards[at].ports[p].latencyOffset = offset
  }

  // MARK: Cards

  private mutating func switchCodec(_ name: String, _ codec: String) throws(Refusal) {
    guard let at = snapshot.cards.firstIndex(where: { $0.name == name }),
      let new = snapshot.cards[at].codecs?.first(where: { $0.serverName == codec })
    else { throw Refusal("Invalid argument: \(name) \(codec)") }
    snapshot.cards[at].activeCodec = new.name
  }

  /// The devices of the old profile go, those of the new one come with levels and ports of their own.
  mutating func setProfile(_ name: String, _ profile: String) throws(Refusal) {
    guard let at = snapshot.cards.firstIndex(where: { $0.name == name }),
      snapshot.cards[at].profiles.contains(where: { $0.name == profile })
    else { throw Refusal("No such entity: \(name) \(profile)") }
    guard snapshot.cards[at].activeProfile != profile else { return }
    let made = makes[name]?[profile] ?? []
    for direction in Direction.allCases {
      for device in snapshot.devices(direction)
      where device.card == snapshot.cards[at].index && !device.isMonitor {
        let stays = made.contains { $0.name == device.name } && !recreatesKeptDevices
        if !stays { remove(device) }
      }
    }
    snapshot.cards[at].activeProfile = profile
    for make in made where snapshot.device(make.direction, named: make.name) == nil {
      create(make, on: snapshot.cards[at])
    }
    updateDefaults()
    rescueStreams()
  }

  mutating func create(_ make: Make, on card: Card?) {
    let ports = (card?.ports ?? []).filter {
      make.ports.contains($0.name) && $0.direction == make.direction
    }.map { port in
      var port = port
      port.profiles = []
      port.latencyOffset = .zero
      return port
    }
    let best = ports.max { a, b in
      (a.availability.isUsable ? 1 : 0, a.priority) < (b.availability.isUsable ? 1 : 0, b.priority)
    }
    var device = Device(
      direction: make.direction, index: Index(newIndex()), name: make.name,
      description: make.name, driver: make.driver,
      sampleSpec: SampleSpec(
        format: .s16le, rate: make.rates.first ?? 44100, channels: UInt8(make.map.count)),
      channelMap: make.map, card: card?.index, ports: ports, activePort: best?.name,
      properties: card?.properties ?? [:])
    restoreLevels(&device)
    rates[make.name] = make.rates
    priorities[make.name] = make.priority
    add(device)
  }

  /// A sink comes with its monitor.
  mutating func add(_ new: Device) {
    var device = new
    device.volumeSteps = volumeCounts[new.name].map(Self.volumeSteps) ?? new.volumeSteps
    guard device.direction == .output else {
      snapshot.sources.append(device)
      return
    }
    var sink = device
    sink.monitor = "\(device.name).monitor"
    snapshot.sinks.append(sink)
    rates["\(device.name).monitor"] = rates[device.name]
    snapshot.sources.append(
      Device(
        direction: .input, index: Index(newIndex()), name: "\(device.name).monitor",
        driver: device.driver, sampleSpec: device.sampleSpec, channelMap: device.channelMap,
        ownerModule: device.ownerModule, card: device.card, monitor: device.name))
  }

  /// What PipeWire reports of hardware that has so many volumes.
  static func volumeSteps(_ count: UInt32) -> UInt32 { Volume.norm.rawValue / count }

  /// A module whose master went: the streams on its devices are killed, in both directions.
  private mutating func die(_ module: Index<Module>, under device: Device) {
    snapshot.modules.removeAll { $0.index == module }
    let devices = (snapshot.sources + snapshot.sinks).filter {
      $0.ownerModule == module && !$0.isMonitor
    }
    for direction in Direction.allCases { removeStreams(direction) { $0.ownerModule == module } }
    for device in devices {
      let killed = snapshot.streams(on: device).filter { $0.ownerModule == nil }.map(\.index)
      removeStreams(device.direction) { killed.contains($0.index) }
      remove(device)
    }
  }

  /// Takes a device away: what hangs on it as a link is killed with its streams, other streams wait
  /// for the new default.
  mutating func remove(_ device: Device) {
    for stream in snapshot.streams(on: device) {
      guard let module = stream.ownerModule,
        let remap = snapshot.devices(device.direction).first(where: { $0.ownerModule == module })
      else { continue }
      die(module, under: remap)
    }
    editStreams(device.direction) { stream in
      if stream.device == device.index { stream.device = nil }
    }
    if device.direction == .output {
      snapshot.sinks.removeAll { $0.index == device.index }
      if let monitor = snapshot.sources.first(where: { $0.monitor == device.name }) {
        remove(monitor)
      }
    } else {
      snapshot.sources.removeAll { $0.index == device.index }
    }
  }
}

extension ChannelVolumes {
  /// The nearest ones of so many, as PipeWire's hardware without a decibel scale has them.
  func nearest(of count: UInt32) -> ChannelVolumes {
    let last = Double(count - 1)
    return ChannelVolumes(
      values.map { Volume(fraction: min(1, ($0.fraction * last).rounded() / last)) })
  }
}
