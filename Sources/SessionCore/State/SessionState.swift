import PulseTypes

/// Everything there is to say about a session: what is wished, what is, and why they differ.
///
/// Encodes to the `state --json` of the documentation.
public struct SessionState: Sendable, Hashable {
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
  /// Every property that is reported (`Property.reported`).
  public var properties: [Property: PropertyReport]
  /// The inputs and outputs in use.
  public var route: Route
  /// Whether an interruption is under way.
  public var interrupted: Bool
  /// Server restarts lived through; nil without a holder.
  public var resets: Int?
  /// Times the wish was made so again; nil without a holder.
  public var reapplies: Int?
  /// Properties that others keep changing.
  public var conflicts: [String]
  /// The session's pins.
  public var pins: [Pin]
  /// What of the session's works on the sound.
  public var processing: [Processing]
  /// The last 20 events that the holder saw, oldest first; empty without a holder.
  public var events: [TimedEvent]
  /// What is wrong with the session's files.
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
    conflicts = []
    pins = []
    processing = input?.snapshot.processing ?? []
    events = []
    notes = []
  }

  /// Wish and fact of every property.
  private static func reports(_ input: PlanInput?, _ wish: AudioMode) -> [Property: PropertyReport]
  {
    guard let input else { return offline(wish) }
    let context = PlanContext(
      input: input, world: World(input.snapshot), resolution: .tolerant(input))
    return Dictionary(
      uniqueKeysWithValues: allAspects.map { ($0.property, $0.finalReport(context)) })
  }

  /// Without a server every wish is pending and nothing is known.
  private static func offline(_ wish: AudioMode) -> [Property: PropertyReport] {
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
    conflicts = holders.conflicts
    pins = holders.pins
    events = holders.events
    notes += holders.notes
  }

  /// The wishes that wait for something.
  public var pending: [Unmet] {
    Property.reported.compactMap { name in
      guard let report = properties[name], report.verdict == .pending else { return nil }
      return Unmet(property: name, verdict: .pending, reason: report.reason ?? "")
    }
  }

  /// Whether some wish is not in force.
  public var hasUnmet: Bool {
    properties.values.contains { $0.verdict != .applied && $0.verdict != .unset }
  }
}
