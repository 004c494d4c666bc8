public import PulseTypes

/// Everything there is to say about a session: what is wished, what is, and why they differ.
///
/// Encodes to the `state --json` of the documentation.
public struct SessionState: Sendable, Hashable {
  /// The server that the state is of.
  public struct Server: Sendable, Hashable, Codable {
    /// PulseAudio or PipeWire.
    public var kind: ServerKind
    /// What it calls itself.
    public var name: String
    /// Its version.
    public var version: String
    /// Where it was reached.
    public var address: String

    /// Makes a description.
    public init(kind: ServerKind, name: String, version: String, address: String) {
      self.kind = kind
      self.name = name
      self.version = version
      self.address = address
    }
  }

  /// The process that holds the session.
  public struct Holder: Sendable, Hashable, Codable {
    /// Its process id.
    public var pid: Int32
    /// Its program's name.
    public var name: String
    /// Since when it holds the session, as ISO 8601 has it; nil where it has not said so yet.
    public var since: String?

    /// Makes a description.
    public init(pid: Int32, name: String, since: String? = nil) {
      self.pid = pid
      self.name = name
      self.since = since
    }

    /// Writes every key, null where there is nothing.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(pid, forKey: .pid)
      try values.encode(name, forKey: .name)
      try values.encode(since, forKey: .since)
    }
  }

  /// A stream that the session holds open to keep a rate or a latency.
  public struct Pin: Sendable, Hashable, Codable {
    /// The device it is on.
    public var device: String
    /// `rate` or `latency`.
    public var kind: String
    /// Seconds of a latency pin.
    public var latency: Double?
    /// Hz of the pin.
    public var sampleRate: Int
    /// Whether it is held now; false for one that only an apply held.
    public var held: Bool
    /// Whether its stream runs, which shows as a recording or a playback: on PipeWire, while somebody
    /// uses the device.
    public var running: Bool

    /// Makes a description.
    public init(
      device: String, kind: String, latency: Double?, sampleRate: Int, held: Bool,
      running: Bool = false
    ) {
      self.device = device
      self.kind = kind
      self.latency = latency
      self.sampleRate = sampleRate
      self.held = held
      self.running = running
    }

    /// Writes every key, null where there is nothing.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(device, forKey: .device)
      try values.encode(kind, forKey: .kind)
      try values.encode(latency, forKey: .latency)
      try values.encode(sampleRate, forKey: .sampleRate)
      try values.encode(held, forKey: .held)
      try values.encode(running, forKey: .running)
    }
  }

  /// Something of ours that works on the sound between hardware and programs.
  public struct Processing: Sendable, Hashable, Codable {
    /// What it is: `echo-cancel`.
    public var kind: String
    /// How it does it: `webrtc`.
    public var method: String
    /// Whether some program records or plays through it.
    public var inUse: Bool
    /// The devices that it keeps running, in use or not: a microphone that shows as open.
    public var keepsRunning: [String]

    /// Makes a description.
    public init(kind: String, method: String, inUse: Bool, keepsRunning: [String]) {
      self.kind = kind
      self.method = method
      self.inUse = inUse
      self.keepsRunning = keepsRunning
    }
  }

  /// The server; nil without one.
  public var server: Server?
  /// Whether a wish is in force.
  public var active: Bool
  /// The profile that the wish came from.
  public var profile: String?
  /// Whose streams it is about.
  public var scope: Scope
  /// Who holds it; nil without a holder.
  public var holder: Holder?
  /// What the server can do; nil without one.
  public var capabilities: Capabilities?
  /// Every property, by its name.
  public var properties: [String: PropertyReport]
  /// The inputs and outputs in use.
  public var route: Route
  /// Whether an interruption is under way.
  public var interrupted: Bool
  /// Server restarts lived through; nil without a holder.
  public var resets: Int?
  /// Times the wish was made so again; nil without a holder.
  public var reapplies: Int?
  /// Properties that others keep changing.
  public var fights: [String]
  /// The session's pins.
  public var pins: [Pin]
  /// What of the session's works on the sound.
  public var processing: [Processing]
  /// The last 20 events that the holder saw, oldest first; empty without a holder.
  public var events: [TimedEvent]
  /// What a restore left alone.
  public var notes: [String]

  /// Makes a state for a wish and a server's snapshot; without a snapshot only wishes are known.
  public init(
    input: PlanInput?, wish: AudioMode, server: Server?, profile: String?, active: Bool
  ) {
    self.server = server
    self.active = active
    self.profile = profile
    scope = wish.scope ?? .server
    capabilities = input?.capabilities
    properties = Self.reports(input, wish)
    route = input?.ownRoute ?? Route()
    interrupted = false
    fights = []
    pins = []
    processing = input?.snapshot.processing ?? []
    events = []
    notes = []
  }

  /// The names of all properties, in the order for people.
  public static let propertyNames = allAspects.map(\.property)

  /// Wish and fact of every property.
  private static func reports(_ input: PlanInput?, _ wish: AudioMode) -> [String: PropertyReport] {
    guard let input else { return offline(wish) }
    let context = PlanContext(
      input: input, world: World(input.snapshot), resolution: .tolerant(input))
    return Dictionary(
      uniqueKeysWithValues: allAspects.map { ($0.property, $0.finalReport(context)) })
  }

  /// Without a server every wish is pending and nothing is known.
  private static func offline(_ wish: AudioMode) -> [String: PropertyReport] {
    let nothing = ServerSnapshot(
      server: ServerInfo(
        name: "", version: "", sampleSpec: SampleSpec(format: nil, rate: 0, channels: 0),
        channelMap: .stereo, defaultSinkName: nil, defaultSourceName: nil, cookie: 0))
    let reports = reports(PlanInput(wish: wish, snapshot: nothing), wish)
    return reports.mapValues { report in
      guard report.verdict != .unset else { return report }
      return PropertyReport(
        preferred: report.preferred, actual: nil, verdict: .pending,
        reason: "no server to set it on", waitingFor: .device)
    }
  }

  /// Takes over what only the holder knows, from the state that it wrote last.
  public mutating func adopt(_ holders: SessionState) {
    holder = holders.holder
    interrupted = holders.interrupted
    resets = holders.resets
    reapplies = holders.reapplies
    fights = holders.fights
    pins = holders.pins
    events = holders.events
  }

  /// The wishes that wait for something.
  public var pending: [Unmet] {
    Self.propertyNames.compactMap { name in
      guard let report = properties[name], report.verdict == .pending else { return nil }
      return Unmet(property: name, verdict: .pending, reason: report.reason ?? "")
    }
  }

  /// Whether some wish is not in force.
  public var hasUnmet: Bool {
    properties.values.contains { $0.verdict != .applied && $0.verdict != .unset }
  }
}

extension SessionState: Codable {
  private enum Key: String, CodingKey {
    case schema, server, active, profile, scope, holder, capabilities, properties, route
    case interrupted, resets, reapplies, fights, pins, processing, events, notes
  }

  /// Reads a state.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    server = try values.decodeIfPresent(Server.self, forKey: .server)
    active = try values.decode(Bool.self, forKey: .active)
    profile = try values.decodeIfPresent(String.self, forKey: .profile)
    scope = try values.decode(Scope.self, forKey: .scope)
    holder = try values.decodeIfPresent(Holder.self, forKey: .holder)
    capabilities = try values.decodeIfPresent(Capabilities.self, forKey: .capabilities)
    properties = try values.decode([String: PropertyReport].self, forKey: .properties)
    route = try values.decode(Route.self, forKey: .route)
    interrupted = try values.decode(Bool.self, forKey: .interrupted)
    resets = try values.decodeIfPresent(Int.self, forKey: .resets)
    reapplies = try values.decodeIfPresent(Int.self, forKey: .reapplies)
    fights = try values.decode([String].self, forKey: .fights)
    pins = try values.decode([Pin].self, forKey: .pins)
    processing = try values.decodeIfPresent([Processing].self, forKey: .processing) ?? []
    events = try values.decodeIfPresent([TimedEvent].self, forKey: .events) ?? []
    notes = try values.decodeIfPresent([String].self, forKey: .notes) ?? []
  }

  /// Writes every key, null where there is nothing.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(1, forKey: .schema)
    try values.encode(server, forKey: .server)
    try values.encode(active, forKey: .active)
    try values.encode(profile, forKey: .profile)
    try values.encode(scope, forKey: .scope)
    try values.encode(holder, forKey: .holder)
    try values.encode(capabilities, forKey: .capabilities)
    try values.encode(properties, forKey: .properties)
    try values.encode(route, forKey: .route)
    try values.encode(interrupted, forKey: .interrupted)
    try values.encode(resets, forKey: .resets)
    try values.encode(reapplies, forKey: .reapplies)
    try values.encode(fights, forKey: .fights)
    try values.encode(pins, forKey: .pins)
    try values.encode(processing, forKey: .processing)
    try values.encode(events, forKey: .events)
    try values.encode(notes, forKey: .notes)
  }
}

extension ServerSnapshot {
  /// What of ours works on the sound, and what it keeps awake.
  var processing: [SessionState.Processing] {
    guard let canceller = echoCanceller else { return [] }
    let ends = devices(of: .echoCanceller) + ownedDevices(.input, of: .chain(.input))
    let masters = devices(of: .echoCanceller).compactMap { root(of: $0) }
    return [
      SessionState.Processing(
        kind: "echo-cancel", method: canceller.method,
        inUse: ends.contains { end in foreignStreams(on: end).contains { !$0.isCorked } },
        keepsRunning: masters.filter { $0.state == .running }.map(\.name))
    ]
  }
}
