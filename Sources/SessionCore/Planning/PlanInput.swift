package import PulseTypes

/// The complete input of a plan; the plan is a pure function of it.
package struct PlanInput: Sendable, Hashable, Codable {
  package var mode: AudioMode
  /// The actual server.
  package var snapshot: ServerSnapshot
  /// What the server supports.
  package var capabilities: Capabilities
  /// The values from before the session; those of settings that the mode does not name are
  /// restored.
  package var baseline = Baseline()
  /// What the current run has changed so far, and the previous values.
  package var journal = Baseline()
  /// The defaults when the run began. A card profile that the run sets can make the server choose
  /// other defaults, but "default" keeps this meaning. Empty before a run.
  package var defaultsBefore: [Direction: String] = [:]
  /// The results of earlier hints.
  package var memory = HintMemory()
  /// Whether a user or program asked for the plan.
  package var isExplicit: Bool {
    get { occasion == .asked }
    set { occasion = newValue ? .asked : .upkeep }
  }
  package var occasion = Occasion.asked
  /// Whether an input may be unmuted; nil is whether the plan was asked for.
  package var mayUnmute: Bool?
  /// Whether pins stay open after the run; if not, a granted hint is not requested again.
  package var holdsPins = true
  /// Whether a process holds the session, this one or the one that gets this one's order: it acts
  /// on other programs' streams, also on later ones.
  package var isHeld = true
  /// This process's id; its own streams do not count as other programs'.
  package var process: Int32?
  /// Latencies granted to open pins, for servers that do not report a device's latency.
  package var grants: [Setting: Duration] = [:]
  /// The levels that devices were given under this mode; nil if unknown: upkeep then leaves levels alone,
  /// and a plan that was asked for sets them all.
  package var charges: Charges?
  /// Settings in a conflict, which are left to the other program.
  package var yielded: Set<Setting> = []
  /// Devices and ports that flap; they are used only once they are stable, or if there is no other.
  package var unsteady: Set<Attachment> = []
  /// The cards whose profile a user, a program or the server has chosen; nil is all.
  package var decidedCards: Set<String>?
  /// Settings of other programs' streams that the server restored after the session changed them;
  /// no user chose these values. Nil is none.
  package var restored: Set<Setting>?
  /// The cards to switch off, because a device of theirs delivers nothing; nil is none. Nothing else
  /// is then planned.
  package var silentCards: Set<String>?
  /// Whether a failed change is undone: all that it made has its entry in the baseline, and links and pins
  /// of the former mode stay. Nil is false.
  package var isUndoing: Bool?
  /// Whether only other programs' streams are treated: a holder's mode is not to be applied again now,
  /// but a stream that has begun since is nothing to restore. Nil is false.
  package var isOnlyForOthers: Bool?
  /// The steps that the server refused during this session, with its messages.
  package var refusals: [Setting: String] = [:]

  /// Makes an input with only a mode and a snapshot.
  package init(mode: AudioMode, snapshot: ServerSnapshot) {
    self.mode = mode
    self.snapshot = snapshot
    capabilities = Capabilities(snapshot.traits)
  }
}

extension PlanInput {
  var unmutesInputs: Bool { mayUnmute ?? isExplicit }

  /// Records the current defaults as those from before the run; call it once, before its first
  /// plan.
  package mutating func beginRun() {
    defaultsBefore = [:]
    let known = knownDefaults
    for direction in Direction.allCases {
      defaultsBefore[direction] = known[direction] ?? snapshot.chain.defaultRoot(direction)?.name
    }
  }

  /// The default of each direction from before the session: the baseline's if the session set the
  /// one that was in use when the run began, otherwise that one. It is the same for all plans of a
  /// run, whichever default the steps between them set.
  var knownDefaults: [Direction: String] {
    let baseline = baseline.valid(for: snapshot)
    var result = defaultsBefore
    for direction in Direction.allCases where result[direction] == nil {
      guard let entry = baseline[.defaultDevice(direction)],
        case .name(let name) = entry.adopted ?? entry.before,
        entry.isChange, let now = snapshot.value(of: entry.setting),
        entry.isOurs(now) || isFallback(entry, direction)
      else { continue }
      result[direction] = name
    }
    return result
  }

  /// Whether this is what the server fell back to: the session's default is not there, and the server would
  /// take the present one by itself.
  private func isFallback(_ entry: Baseline.Entry, _ direction: Direction) -> Bool {
    guard case .name(let ours)? = entry.ours else { return false }
    return snapshot.device(direction, named: ours) == nil
      && snapshot.ranking(direction).chosen == nil
  }

  /// Takes a default that was chosen in place of the session's as the one that a mode without a preference
  /// uses: by a new mode; and if a chain is to stand on it, also after the session has set the end again.
  package mutating func adoptDefaults() {
    for direction in Direction.allCases where mode.concerns(direction) {
      let setting = Setting.defaultDevice(direction)
      guard !yielded.contains(setting), occasion != .reset,
        let entry = baseline.valid(for: snapshot)[setting],
        case .name(let chosen)? = snapshot.value(of: setting), !Owned.isName(chosen),
        isExplicit && entry.ours != .name(chosen) && !isFallback(entry, direction)
          || replacesEnd(entry, direction)
      else { continue }
      // What the mode would use: a first choice may be there and not be usable.
      var resolver = Resolver(self, direction, defaultBefore: nil)
      if (try? resolver.resolve())?.isDefault == true {
        baseline.adopt(.name(chosen), as: setting)
      }
    }
  }

  private func replacesEnd(_ entry: Baseline.Entry, _ direction: Direction) -> Bool {
    guard entry.isChange, case .name(let end)? = entry.ours else { return false }
    return Owned.isName(end) && snapshot.device(direction, named: end) != nil
  }
}
