/// The complete state of a session: preferred and actual settings, and why they differ.
///
/// Encodes to the documented `state --json`.
public struct SessionState: Sendable, Hashable, Decodable {
  /// The format's version.
  let schema = 1
  /// The server; nil without one.
  public var server: Server?
  /// Whether a mode is in effect.
  public var active: Bool
  /// The profile from which the mode comes.
  public var profile: String?
  /// Whose streams the session controls.
  public var scope: Scope
  /// The process that holds the session; nil without a holder.
  public var holder: Holder?
  /// What the server supports; nil without a server.
  public var capabilities: Capabilities?
  /// The report of each property in `Property.reported`.
  public var properties: [Property: PropertyReport]
  /// The inputs and outputs in use.
  public var route: Route
  /// Whether an interruption is in progress.
  public var interrupted = false
  /// The number of server restarts that the holder has handled; nil without a holder.
  package var resets: Int?
  /// How often the mode was applied again; nil without a holder.
  package var reapplies: Int?
  /// Settings that other programs keep changing.
  public var conflicts: [String] = []
  package var pins: [Pin] = []
  package var processing: [Processing]
  /// The last 20 events that the holder saw, oldest first; empty without a holder.
  package var events: [TimedEvent] = []
  /// Problems of the session's files.
  package var notes: [String] = []

  /// Makes the state for a mode and a server's snapshot; without a snapshot only the preferences
  /// are known.
  package init(
    input: PlanInput?, mode: AudioMode, server: Server?, profile: String?, active: Bool
  ) {
    self.server = server
    self.active = active
    self.profile = profile
    scope = mode.scope ?? .server
    capabilities = input?.capabilities
    properties = Self.reports(input, mode)
    route = input?.ownRoute ?? Route()
    processing = input?.snapshot.processing ?? []
  }

  /// The preferred and actual value of every property.
  private static func reports(_ input: PlanInput?, _ mode: AudioMode) -> [Property: PropertyReport]
  {
    guard let input else { return offline(mode) }
    return reports(
      input, by: Observer(input.snapshot, grants: input.grants, memory: input.memory))
  }

  /// The preferred value of every property, and what an observer reads.
  static func reports(_ input: PlanInput, by observer: Observer) -> [Property: PropertyReport] {
    let context = PlanContext(input)
    return Dictionary(
      uniqueKeysWithValues: allAspects.map { ($0.property, $0.report(context, by: observer)) })
  }

  /// Without a server every preference is pending, and no actual value is known.
  private static func offline(_ mode: AudioMode) -> [Property: PropertyReport] {
    reports(PlanInput(mode: mode, snapshot: .none), mode).mapValues { report in
      guard report.verdict != .unset else { return report }
      return .unmet(
        report.preferred, nil, Obstacle(.pending, "no server answers", .server))
    }
  }

  /// Adopts what only the holder knows, from the last state that it wrote.
  package mutating func adopt(_ holders: SessionState) {
    holder = holders.holder
    interrupted = holders.interrupted
    resets = holders.resets
    reapplies = holders.reapplies
    conflicts = holders.conflicts
    pins = holders.pins
    events = holders.events
    notes += holders.notes
  }

  /// The preferences that wait for something.
  public var pending: [Unmet] {
    Property.reported.compactMap { name in
      guard let report = properties[name], report.verdict == .pending else { return nil }
      return Unmet(property: name, verdict: .pending, reason: report.reason ?? "")
    }
  }

  /// Of the last conflict about a setting: the programs that may be the cause, and when the session
  /// restores the setting again, in ISO 8601; nil if that is unknown.
  package func conflict(about setting: String) -> (opponents: [String], until: String?) {
    events.reversed().lazy.compactMap { event in
      guard case .conflict(setting, let opponents, let end) = event.event else { return nil }
      return (opponents, end)
    }.first ?? ([], nil)
  }

  /// The command that applies the profile again, without the program's name; nil for a mode that a
  /// program made, and for a pipe, which gave its text only once.
  package var applyCommand: String? { applyCommand("") }

  /// The command that maintains the mode from now on; without a profile in the foreground.
  package var keepCommand: String { applyCommand(" --keep") ?? "watch" }

  private func applyCommand(_ option: String) -> String? {
    let isPipe = profile.map { $0.hasPrefix("/dev/") || $0.hasPrefix("/proc/") } ?? true
    guard let profile, !isPipe else { return nil }
    let name = Words.quoted(profile)
    // A name that looks like an option.
    return profile.hasPrefix("-") ? "apply\(option) -- \(name)" : "apply \(name)\(option)"
  }

  /// Whether a preference is not met.
  public var hasUnmet: Bool {
    properties.values.contains { $0.verdict != .applied && $0.verdict != .unset }
  }
}

extension SessionState: CustomStringConvertible {
  /// Several lines: the profile, the route, and each property with a preference.
  public var description: String {
    let name = "\(profile ?? "no profile"), \(active ? "active" : "not active")"
    let reports = Property.reported.compactMap { property in
      properties[property].flatMap { report in
        report.verdict == .unset ? nil : "\(property): \(report)"
      }
    }
    return ([name, "\(route)"] + reports).joined(separator: "\n")
  }
}
