public import PulseTypes

/// What settings were before the session's first change, and what it set them to.
///
/// The same type serves the store (what revert undoes) and the journal of one run (what a rollback
/// undoes).
public struct Baseline: Sendable, Hashable, Codable {
  /// One setting's history.
  public struct Entry: Sendable, Hashable, Codable {
    /// What was changed.
    public var setting: Setting
    /// Its value before our first change.
    public var before: SettingValue
    /// What we set it to; nil where it vanished or changed as a consequence of ours.
    public var ours: SettingValue?
    /// Whether it only followed from another change of ours, such as a volume from a profile: it
    /// goes back when that does, and not before.
    public var isConsequence: Bool
    /// While a run is under way: every value that it may find or leave there, should it be cut short;
    /// nil after it.
    public var inFlight: [SettingValue]?
    /// Of a level the port that was in use: servers keep levels for each port of a device. Nil where the
    /// device has none.
    var port: String?
    /// Of a port which connectors of the device were plugged in: after the next jack event the server
    /// would have chosen another.
    var jacks: [String: PortAvailability]?

    /// Makes an entry.
    public init(
      setting: Setting, before: SettingValue, ours: SettingValue?, isConsequence: Bool = false
    ) {
      self.setting = setting
      self.before = before
      self.ours = ours
      self.isConsequence = isConsequence
    }

    /// Makes an entry with what else counts of its device in a snapshot.
    init(
      setting: Setting, before: SettingValue, ours: SettingValue?, in snapshot: ServerSnapshot
    ) {
      self.init(setting: setting, before: before, ours: ours, isConsequence: ours == nil)
      port = snapshot.device(ofLevel: setting)?.activePort
      jacks = snapshot.jacks(of: setting)
    }

    /// Whether it is about the same setting, on the same port.
    func isOfSame(_ other: Entry) -> Bool { setting == other.setting && port == other.port }

    /// Whether it is about the setting as a snapshot shows it: the level of the port in use.
    func isShown(in snapshot: ServerSnapshot) -> Bool {
      port == nil || snapshot.device(ofLevel: setting)?.activePort == port
    }

    /// Whether it is a default that was a device of ours.
    var isOwnDefault: Bool {
      guard case .defaultDevice = setting, case .name(let name) = before else { return false }
      return Owned.isName(name)
    }

    /// Whether a value can be our doing.
    public func isOurs(_ value: SettingValue) -> Bool {
      value == ours || inFlight?.contains(value) == true
    }
  }

  /// The settings in the order of their first change.
  public var entries: [Entry]
  /// The run of the server that stream numbers belong to.
  public var serverCookie: UInt32?

  /// Makes a baseline; an empty one by default.
  public init(entries: [Entry] = [], serverCookie: UInt32? = nil) {
    self.entries = entries
    self.serverCookie = serverCookie
  }

  /// The entry of a setting.
  public subscript(setting: Setting) -> Entry? {
    entries.first { $0.setting == setting }
  }

  /// Notes a change of ours, or without `ours` what followed from one; what was before the first one
  /// stays.
  public mutating func record(_ setting: Setting, before: SettingValue, ours: SettingValue?) {
    record(Entry(setting: setting, before: before, ours: ours, isConsequence: ours == nil))
  }

  /// Notes a change of ours.
  mutating func record(_ entry: Entry) {
    if let index = entries.firstIndex(where: { $0.isOfSame(entry) }) {
      entries[index].ours = entry.ours
      if entry.ours != nil { entries[index].isConsequence = false }
    } else {
      entries.append(entry)
    }
  }

  /// Whether there is an entry of the same setting, on the same port.
  func has(_ entry: Entry) -> Bool { entries.contains { $0.isOfSame(entry) } }

  /// Notes that a setting would be something else by now without us.
  public mutating func restate(_ setting: Setting, before: SettingValue) {
    for index in entries.indices where entries[index].setting == setting {
      entries[index].before = before
    }
  }

  /// Notes values that a run may leave, should it be cut short.
  mutating func expect(_ values: [SettingValue], of entry: Entry) {
    guard let index = entries.firstIndex(where: { $0.isOfSame(entry) }) else { return }
    for value in values where entries[index].inFlight?.contains(value) != true {
      entries[index].inFlight = (entries[index].inFlight ?? []) + [value]
    }
  }

  /// Notes a step about to be run, and what it takes with it: a profile change removes devices with
  /// their ports, levels and streams, and moves the default; each port has levels of its own.
  public mutating func record(_ step: Step, in snapshot: ServerSnapshot) {
    guard !step.isPermanent else {
      // What must outlast a rollback must not be restored as the consequence of another step either.
      entries.removeAll { $0.setting == step.setting }
      return
    }
    for setting in step.setting.kind.dependents(in: snapshot) {
      guard let before = snapshot.value(of: setting) else { continue }
      let entry = Entry(setting: setting, before: before, ours: nil, in: snapshot)
      if !has(entry) { record(entry) }
    }
    guard let before = snapshot.value(of: step.setting) else { return }
    record(Entry(setting: step.setting, before: before, ours: step.to, in: snapshot))
  }

  /// Follows a step of a run: what was set before is now set to the step's value, and what hangs on
  /// it is wherever the step took it.
  public mutating func follow(_ step: Step, in snapshot: ServerSnapshot) {
    let moved = step.setting.kind.dependents(in: snapshot)
    for index in entries.indices {
      if entries[index].setting == step.setting, entries[index].isShown(in: snapshot) {
        entries[index].ours = step.to
      } else if moved.contains(entries[index].setting) {
        entries[index].ours = nil
      }
    }
  }

  /// Notes what the server made of a hint: that, and not what was asked for, is ours.
  public mutating func note(_ setting: Setting, got value: SettingValue) {
    for index in entries.indices where entries[index].setting == setting {
      entries[index].ours = value
    }
  }

  /// After a run: what followed from our changes is ours as it is now, and what is as it was before
  /// is no change at all. A link of ours that a run found was not there before the session, and was
  /// not the default either.
  public mutating func settle(in snapshot: ServerSnapshot) {
    for index in entries.indices {
      if entries[index].setting.isModule { entries[index].before = .absent }
      guard entries[index].ours == nil, entries[index].isShown(in: snapshot) else { continue }
      entries[index].ours = snapshot.value(of: entries[index].setting)
    }
    for index in entries.indices {
      // A run that was cut short before may have left any of them.
      let now = snapshot.value(of: entries[index].setting)
      if let now, entries[index].isShown(in: snapshot), entries[index].isOurs(now) {
        entries[index].ours = now
      }
      entries[index].inFlight = nil
    }
    entries.removeAll { entry in
      entry.ours == entry.before || entry.isOwnDefault
        // A stream that ended comes back as another one.
        || entry.setting.isOfOthers && snapshot.value(of: entry.setting) == nil
    }
    serverCookie = snapshot.server.cookie
  }

  /// The baseline as it holds on this run of the server: stream numbers of another mean nothing, and
  /// which port a device had means nothing after a jack event.
  public func valid(for snapshot: ServerSnapshot) -> Baseline {
    var result = self
    let isSameRun = serverCookie == snapshot.server.cookie
    result.entries.removeAll { entry in
      if !isSameRun, entry.setting.isOfStream { return true }
      guard let before = entry.jacks, let now = snapshot.jacks(of: entry.setting) else {
        return false
      }
      return before.contains { port, availability in
        now[port].map { $0 != availability } ?? false
      }
    }
    return result
  }
}

extension ServerSnapshot {
  /// What is plugged into the device whose port a setting is; nil of another setting.
  fileprivate func jacks(of setting: Setting) -> [String: PortAvailability]? {
    guard case .port(let direction, let name) = setting,
      let device = device(direction, named: name)
    else { return nil }
    return Dictionary(device.ports.map { ($0.name, $0.availability) }) { first, _ in first }
  }
}
