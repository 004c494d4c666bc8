package import JSONCoding
package import PulseTypes

/// The values of settings from before the session's first change, and the values that it set.
///
/// The store uses this type for what revert undoes, and one run's journal for what a rollback
/// undoes.
package struct Baseline: Sendable, Hashable, Codable {
  /// The history of one setting.
  package struct Entry: Sendable, Hashable, Codable {
    package var setting: Setting
    /// Its value before the session's first change; absent for a stream of one program that followed the
    /// default then.
    package var before: SettingValue
    /// The value that the session set; nil if it vanished or changed as a consequence of another
    /// change.
    package var ours: SettingValue?
    /// Whether it only followed from another change of the session, such as a volume from a
    /// profile: it is restored together with that one, and not before.
    package var isConsequence = false
    /// During a run: every value that the run may find or leave if it is cut short; nil afterwards.
    package var inFlight: [SettingValue]?
    /// For a level, the port in use: servers keep separate levels for each port of a device. Nil if
    /// the device has no ports.
    var port: String?
    /// For a port, the plugged-in connectors of the device: after the next jack event the server
    /// would have chosen another port.
    var jacks: [String: PortAvailability]?
    /// The name of the card that the device belongs to.
    var card: String?
    /// The card's profile under which the device exists without the session; nil if only a profile that
    /// the session chose has it.
    var profile: String?
    /// For a default, whether the server had picked it, as far as can be told; nil if a user chose it.
    var isPicked: Bool?
    /// For a default, the device that was chosen since, on which the session's chain is to stand.
    var adopted: SettingValue?

    /// Whether it is for the same setting, on the same port.
    func isOfSame(_ other: Entry) -> Bool { isOf(other.setting, other.port) }

    func isOf(_ setting: Setting, _ port: String?) -> Bool {
      self.setting == setting && self.port == port
    }

    /// Whether it is for the setting as a snapshot shows it: the level of the port in use.
    func isShown(in snapshot: ServerSnapshot) -> Bool {
      port == nil || snapshot.device(ofLevel: setting)?.activePort == port
    }

    /// Whether it is a default that was a device of ours.
    var isOwnDefault: Bool {
      if setting.isDefault, case .name(let name) = before { Owned.isName(name) } else { false }
    }

    /// Whether the session has changed it; otherwise the entry only has its value from when the
    /// session took charge.
    var isChange: Bool { ours != before || inFlight != nil }

    /// Whether the session can have set a value.
    package func isOurs(_ value: SettingValue) -> Bool {
      value == ours || inFlight?.contains(value) == true
    }

    /// Whether the session can have set what a snapshot shows: one of its values, or the nearest that the
    /// hardware has.
    func isOursShown(in snapshot: ServerSnapshot) -> Bool {
      ([ours].compactMap { $0 } + (inFlight ?? [])).contains {
        setting.kind.isMet($0, in: snapshot)
      }
    }
  }

  /// The entries in the order of their first change.
  package var entries: [Entry]
  /// The run of the server to which stream indexes belong.
  package var serverCookie: UInt32?
  /// The entries of a newer version that this one does not understand; they are kept for it.
  package var newer: [JSON.Text] = []
  /// Whether nothing is recorded.
  package var isEmpty: Bool { entries.isEmpty && newer.isEmpty }

  /// Makes a baseline; an empty one by default.
  package init(entries: [Entry] = [], serverCookie: UInt32? = nil) {
    self.entries = entries
    self.serverCookie = serverCookie
  }

  package subscript(setting: Setting) -> Entry? {
    entries.first { $0.setting == setting }
  }

  /// Records a change of the session, or without `ours` a consequence of one; the value from before
  /// the first change stays.
  package mutating func record(_ setting: Setting, before: SettingValue, ours: SettingValue?) {
    record(Entry(setting: setting, before: before, ours: ours, isConsequence: ours == nil))
  }

  /// Records a change of the session.
  mutating func record(_ entry: Entry) {
    if let index = entries.firstIndex(where: { $0.isOfSame(entry) }) {
      entries[index].ours = entry.ours
      if !entry.isConsequence { entries[index].isConsequence = false }
    } else {
      entries.append(entry)
    }
  }

  /// Whether there is an entry for the same setting, on the same port.
  package func has(_ entry: Entry) -> Bool { has(entry.setting, entry.port) }

  func has(_ setting: Setting, _ port: String?) -> Bool {
    entries.contains { $0.isOf(setting, port) }
  }

  /// Changes the value that a setting would have now without the session.
  package mutating func restate(_ setting: Setting, before: SettingValue) {
    for index in entries.indices where entries[index].setting == setting {
      entries[index].before = before
    }
  }

  /// Notes a value that was chosen in place of the session's; what it was before stays known.
  mutating func adopt(_ value: SettingValue, as setting: Setting) {
    for index in entries.indices where entries[index].setting == setting {
      entries[index].adopted = value
    }
  }

  /// Adds values that a run may leave if it is cut short.
  mutating func expect(_ values: [SettingValue], of entry: Entry) {
    guard let index = entries.firstIndex(where: { $0.isOfSame(entry) }) else { return }
    for value in values where entries[index].inFlight?.contains(value) != true {
      entries[index].inFlight = (entries[index].inFlight ?? []) + [value]
    }
  }

  /// Records a step that is about to run, and its consequences: a profile change removes devices
  /// with their ports, levels and streams, and moves the default; each port has separate levels.
  ///
  /// - Parameter baseline: what earlier runs changed.
  package mutating func record(
    _ step: Step, in snapshot: ServerSnapshot, beside baseline: Baseline = Baseline(),
    withConsequences: Bool = true
  ) {
    guard !step.isPermanent else {
      // A setting that must outlast a rollback must not be restored as another step's consequence
      // either.
      entries.removeAll { $0.setting == step.setting }
      return
    }
    let consequences = withConsequences ? step.setting.kind.dependents(in: snapshot) : []
    for setting in consequences {
      guard !has(setting, snapshot.device(ofLevel: setting)?.activePort),
        let before = snapshot.value(of: setting)
      else { continue }
      var entry = Entry(
        setting: setting, before: before, ours: nil, in: snapshot, beside: [baseline, self])
      if snapshot.returns(setting) { entry.ours = before }
      entries.append(entry)
    }
    guard var before = snapshot.value(of: step.setting) else { return }
    if snapshot.isFollower(step.setting) { before = .absent }
    record(
      Entry(
        setting: step.setting, before: before, ours: step.to, in: snapshot,
        beside: [baseline, self]))
  }

  /// Updates the baseline for a step of a run: the session's value is now the step's, and dependent
  /// settings have whatever the step leads to.
  ///
  /// - Parameter outlastsSession: whether a person chose the step's value, so that no later run restores
  ///   the one from before.
  package mutating func follow(
    _ step: Step, in snapshot: ServerSnapshot, outlastsSession: Bool = false
  ) {
    let moved = step.setting.kind.dependents(in: snapshot)
    for index in entries.indices {
      if entries[index].setting == step.setting, entries[index].isShown(in: snapshot) {
        if outlastsSession { entries[index].before = step.to }
        if !entries[index].isChange, snapshot.isFollower(step.setting) {
          entries[index].before = .absent
        }
        entries[index].ours = step.to
      } else if moved.contains(entries[index].setting), !snapshot.returns(entries[index].setting) {
        entries[index].ours = nil
      }
    }
  }

  /// Notes what the server granted for a hint, or the nearest value that a device has: it counts as the
  /// session's, not the requested one.
  mutating func note(_ setting: Setting, got value: SettingValue, in snapshot: ServerSnapshot) {
    for index in entries.indices
    where entries[index].setting == setting && entries[index].isShown(in: snapshot) {
      entries[index].ours = value
    }
  }

  /// Counts the values that followed from steps as the session's.
  mutating func noteConsequences(
    in snapshot: ServerSnapshot, where isComplete: (Setting) -> Bool = { _ in true }
  ) {
    for index in entries.indices
    where entries[index].ours == nil && entries[index].isShown(in: snapshot)
      && isComplete(entries[index].setting)
    {
      entries[index].ours = snapshot.value(of: entries[index].setting)
    }
  }

  /// Completes a run: consequences count as the session's with their current values, and unchanged
  /// settings are removed. A link of the session that a run found did not exist before the session,
  /// and was not the default.
  ///
  /// - Parameters:
  ///   - claims: the settings that the mode names, which are kept even if they are unchanged; nil
  ///     keeps every setting.
  ///   - written: the settings that the run has set. On PipeWire the level of another device may be
  ///     one that the session manager is about to replace.
  package mutating func settle(
    in snapshot: ServerSnapshot, claims: Set<Setting>? = [], written: Set<Setting> = []
  ) {
    // With the profiles that the run has restored.
    let isAway = entries.map { absence(of: $0, in: snapshot) != nil }
    for index in entries.indices where entries[index].setting.isModule {
      entries[index].before = .absent
    }
    noteConsequences(in: snapshot)
    for index in entries.indices {
      // A run that was cut short may have left any of them.
      let now = snapshot.value(of: entries[index].setting)
      if let now, entries[index].isShown(in: snapshot),
        entries[index].isOurs(now) || entries[index].isOursShown(in: snapshot)
      {
        entries[index].ours = now
      }
      // Which of them a device that is away has is known when it returns.
      let setting = entries[index].setting
      let mayChange =
        snapshot.has(.lateRestoring) && setting.isLevel && !written.contains(setting)
      if !isAway[index], !mayChange { entries[index].inFlight = nil }
    }
    func isOver(_ at: Int) -> Bool {
      let entry = entries[at]
      let isKept =
        entry.setting.is(.outlivesSession)
        && (claims?.contains(entry.setting) ?? true || isAway[at])
      return !entry.isChange && !isKept || entry.isOwnDefault
        // A level of the session's own device goes with it.
        || entry.setting.isLevel && Owned.isName(entry.setting.object)
        // A stream that ended returns as another one.
        || entry.setting.isOfStream && snapshot.value(of: entry.setting) == nil
    }
    entries = entries.indices.filter { !isOver($0) }.map { entries[$0] }
    serverCookie = snapshot.server.cookie
  }

  /// The baseline as valid for this run of the server: stream indexes of another run mean nothing,
  /// nor does a device's port after a jack event.
  package func valid(for snapshot: ServerSnapshot) -> Baseline {
    let isSameRun = serverCookie == snapshot.server.cookie
    // By their places: each plan asks several times, and an entry is large to copy.
    func isInvalid(_ at: Int) -> Bool {
      if !isSameRun, entries[at].setting.isOfStream { return true }
      guard let before = entries[at].jacks,
        let now = snapshot.jacks(of: entries[at].setting)
      else { return false }
      return before.contains { port, availability in
        now[port].map { $0 != availability } ?? false
      }
    }
    guard entries.indices.contains(where: isInvalid) else { return self }
    var result = self
    result.entries = entries.indices.filter { !isInvalid($0) }.map { entries[$0] }
    return result
  }
}

extension Baseline.Entry {
  /// Makes an entry with the port, the connectors and the card of its device in a snapshot.
  ///
  /// - Parameter baselines: where a change of the card's profile may be recorded, the first one first.
  init(
    setting: Setting, before: SettingValue, ours: SettingValue?, in snapshot: ServerSnapshot,
    beside baselines: [Baseline] = []
  ) {
    self.init(setting: setting, before: before, ours: ours, isConsequence: ours == nil)
    port = snapshot.device(ofLevel: setting)?.activePort
    jacks = snapshot.jacks(of: setting)
    card = snapshot.cardName(of: setting)
    profile = snapshot.profile(of: setting, beside: baselines)
    if let direction = setting.defaultDirection, snapshot.ranking(direction).chosen == nil {
      isPicked = true
    }
  }
}

extension ServerSnapshot {
  /// Whether a setting is the device of a stream of one program that follows the default: no device is
  /// its own then. Where it was taken in charge tells less: a device that was the default may not be any
  /// more when the session first moves the stream.
  fileprivate func isFollower(_ setting: Setting) -> Bool {
    guard isOfOneProgram, case .stream(let direction, _) = setting else { return false }
    return value(of: setting) == server.defaultName(direction).map(SettingValue.name)
  }

  /// Whether a setting has its value again when its device returns: another value is then another
  /// program's, who may have changed it at the same moment.
  fileprivate func returns(_ setting: Setting) -> Bool {
    setting.isLevel
      && modules(named: "module-device-restore").contains {
        $0.value(of: "restore_volume") == nil && $0.value(of: "restore_muted") == nil
      }
  }
}
