public import PulseTypes

/// Why a plan is made.
public enum Occasion: String, Sendable, Hashable, Codable {
  /// A person or program just asked for it: all of the wish counts.
  case asked
  /// The server came back with nothing of ours: all counts, but no input is unmuted.
  case reset
  /// Something changed since: levels count only where they are locked, and no input is unmuted.
  case upkeep
  /// The process that holds ends: what it does to others is undone, and nothing else.
  case leaving
}

/// Everything a plan is made from; the plan is a pure function of it.
public struct PlanInput: Sendable, Hashable, Codable {
  /// What is wished.
  public var wish: AudioMode
  /// What is.
  public var snapshot: ServerSnapshot
  /// What the server can do.
  public var capabilities: Capabilities
  /// What was before us: restored where the wish does not name it.
  public var baseline: Baseline
  /// What the run under way changed so far, and what was before it.
  public var journal: Baseline
  /// The defaults when the run began: a profile that it set can have made the server choose others,
  /// and "default" goes on to mean these. Empty before a run.
  public var defaultsBefore: [Direction: String]
  /// What became of earlier hints.
  public var memory: HintMemory
  /// Whether a person or program just asked: only then an input is unmuted.
  public var isExplicit: Bool {
    get { occasion == .asked }
    set { occasion = newValue ? .asked : .upkeep }
  }
  /// Why a plan is made now.
  public var occasion: Occasion
  /// Whether pins stay open after the run; without, a hint that was granted is not asked again.
  public var holdsPins: Bool
  /// Whether a process holds, this one or another that this one asks for: it acts on others' streams,
  /// and on what begins later.
  public var isHeld: Bool
  /// This process: its own streams are no others'.
  public var process: Int32?
  /// Latencies granted to pins that are held, for servers that do not report a device's.
  public var grants: [Setting: Duration]
  /// The levels that devices were given under this mode; nil where that is not known, and they are left
  /// to people.
  public var charges: Charges?
  /// Settings that are left to whoever keeps changing them.
  public var yielded: Set<Setting>
  /// What comes and goes, and is used only once it has stayed or where there is nothing else.
  public var unsteady: Set<Spot>
  /// Settings of others' streams that the server restored after they were changed, which is nobody's
  /// choice; nil is none.
  public var restored: Set<Setting>?
  /// What the server refused during this session, with its words.
  public var refusals: [Setting: String]

  /// Makes an input with nothing but a wish and a snapshot.
  public init(wish: AudioMode, snapshot: ServerSnapshot) {
    self.wish = wish
    self.snapshot = snapshot
    capabilities = Capabilities(snapshot.server.kind.traits)
    baseline = Baseline()
    journal = Baseline()
    defaultsBefore = [:]
    memory = HintMemory()
    occasion = .asked
    yielded = []
    unsteady = []
    holdsPins = true
    isHeld = true
    grants = [:]
    refusals = [:]
  }
}

extension PlanInput {
  /// Keeps the present defaults as those that the run began with; once, before its first plan.
  public mutating func beginRun() {
    for direction in Direction.allCases {
      defaultsBefore[direction] = snapshot.defaultRoot(direction)?.name
    }
  }

  /// The default before us of each direction: the baseline's as long as the present one is ours, else
  /// the one that the run began with; none where the present one is somebody's choice.
  var knownDefaults: [Direction: String] {
    let baseline = baseline.valid(for: snapshot)
    var result = defaultsBefore
    for direction in Direction.allCases {
      guard let entry = baseline[.defaultDevice(direction)], case .name(let name) = entry.before,
        let now = snapshot.value(of: entry.setting), entry.isOurs(now)
      else { continue }
      result[direction] = name
    }
    return result
  }
}

/// What an aspect sees: the input, the server as the steps so far will have left it, and the devices
/// that the wish means.
struct PlanContext {
  let input: PlanInput
  let world: World
  let resolution: Resolution

  var wish: AudioMode { input.wish }
  var snapshot: ServerSnapshot { world.snapshot }

  /// The resolved device of a direction.
  func resolved(_ direction: Direction) -> Resolved? { resolution.devices[direction] }

  /// The resolved device as it is in the world, ports and values included.
  func device(_ direction: Direction) -> Device? {
    resolved(direction).flatMap { snapshot.device(direction, named: $0.name) }
  }

  /// The device that a state speaks of: the resolved one, else what the default stands on.
  func shownDevice(_ direction: Direction) -> Device? {
    device(direction) ?? snapshot.defaultRoot(direction)
  }
}
