import PulseTypes

/// The implementation of one kind of setting; one type and one file for each.
///
/// `Setting` names a setting in the store and in plans; `Setting.kind` is the only switch over it.
/// A new setting is a case there and a type that conforms to this protocol; the compiler demands
/// the rest.
protocol SettingKind: Sendable {
  /// The server's object of the setting.
  var object: String { get }
  /// The name of the object's property, in PulseAudio's terms.
  var label: String { get }
  /// The phase in which it is changed.
  var phase: Phase { get }
  /// The traits that distinguish it from a plain value of a device.
  var traits: SettingTraits { get }

  /// Its device, if it is a device's setting.
  var device: NamedDevice? { get }
  /// Its card, if it is a card's setting whose object is not the card.
  var cardName: String? { get }
  /// The same as a link of a chain; nil for other settings.
  var link: (any LinkKind)? { get }
  /// The device that gets the mode's value once, when the session first uses it, so that a later
  /// change by a person stays; nil for a setting that the session maintains. A device's `.level`
  /// and a port's value (``CardPortSettingKind``) have one.
  func charged(in snapshot: ServerSnapshot) -> Device?
  /// The direction whose default device it is; nil for other settings.
  var defaultDirection: Direction? { get }
  /// The other program's stream that the session changes, if it is such a setting.
  var otherStream: Index<Stream>? { get }

  /// The devices that a value of it depends on.
  func devices(under value: SettingValue) -> [NamedDevice]

  /// The property of the state under which a restore is listed.
  func property(in snapshot: ServerSnapshot) -> Property
  /// The current value; nil if its object does not exist.
  func read(_ snapshot: ServerSnapshot) -> SettingValue?
  /// The answer of the server that has the value.
  func answer(in snapshot: ServerSnapshot) -> Reading.Answer
  /// Whether a change of it can have changed another setting.
  func canChange(_ other: Setting, in snapshot: ServerSnapshot) -> Bool
  /// The value that restores the previous one; nil if that no longer exists.
  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue?
  /// Why the server cannot restore a value now, or ever, as far as it is known before the request.
  func obstacle(to value: SettingValue, in planner: Planner) -> Obstacle?
  /// Whether a value that is not the session's any more cannot be a user's choice.
  ///
  /// - Parameter ours: the value that the session set.
  func isOwn(_ ours: SettingValue, in planner: Planner) -> Bool
  /// The settings that vanish, appear or change with this one.
  func dependents(in snapshot: ServerSnapshot) -> [Setting]

  /// The predicted value; nil if it is unknown before the step runs.
  func predicted(in server: PredictedServer) -> SettingValue?
  /// Whether an earlier step creates the object that a value needs.
  func isDeferred(to value: SettingValue, in server: PredictedServer) -> Bool
  /// Predicts a step.
  func predict(_ value: SettingValue, in server: inout PredictedServer)
  /// Plans what must be removed before it changes.
  func bracket(_ target: Target, from now: SettingValue?, in planner: inout Planner)

  /// The requests that set a value; nil if it cannot have the value.
  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]?
  /// The objects to read again after a write, besides those that events name.
  func written(in snapshot: ServerSnapshot) -> [ObjectID]
  /// Whether the server shows a written value.
  func isMet(_ value: SettingValue, in snapshot: ServerSnapshot) -> Bool
  /// How long the server may take until it shows a value; nil means until the deadline.
  ///
  /// - Parameter isLazy: whether it acknowledges before it acts.
  func patience(isLazy: Bool) -> Duration?
}

extension SettingKind {
  var traits: SettingTraits { [] }
  var device: NamedDevice? { nil }
  var cardName: String? { nil }
  var link: (any LinkKind)? { nil }
  var defaultDirection: Direction? { nil }
  var otherStream: Index<Stream>? { nil }

  func charged(in snapshot: ServerSnapshot) -> Device? {
    guard traits.contains(.level), let device else { return nil }
    return snapshot.device(device.direction, named: device.name)
  }

  func answer(in snapshot: ServerSnapshot) -> Reading.Answer {
    if let device { return .device(device.direction) }
    if traits.contains(.module) { return .module }
    return traits.contains(.others) || traits.contains(.ownStream) ? .sinkInput : .card
  }

  func dependents(in snapshot: ServerSnapshot) -> [Setting] { [] }

  func canChange(_ other: Setting, in snapshot: ServerSnapshot) -> Bool { false }

  func devices(under value: SettingValue) -> [NamedDevice] { device.map { [$0] } ?? [] }

  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? { before }

  func obstacle(to value: SettingValue, in planner: Planner) -> Obstacle? { nil }

  /// The session's modules belong to it alone.
  func isOwn(_ ours: SettingValue, in planner: Planner) -> Bool { traits.contains(.module) }

  func predicted(in server: PredictedServer) -> SettingValue? { read(server.snapshot) }

  func isDeferred(to value: SettingValue, in server: PredictedServer) -> Bool {
    server.isPredicted(object)
  }

  func bracket(_ target: Target, from now: SettingValue?, in planner: inout Planner) {}

  func isMet(_ value: SettingValue, in snapshot: ServerSnapshot) -> Bool {
    let now = read(snapshot)
    // A stream that has ended needs nothing.
    return now == value || now == nil && traits.contains(.stream)
  }

  /// A server that acts before it answers shows a value at once, unless another program has changed
  /// it.
  func patience(isLazy: Bool) -> Duration? {
    guard isLazy else { return .milliseconds(250) }
    return traits.contains(.isLostAtTimes) ? .seconds(1) : nil
  }
}
