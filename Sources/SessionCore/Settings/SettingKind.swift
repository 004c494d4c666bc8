package import PulseTypes

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
  /// change by a person stays; nil for a setting that the session maintains.
  func charged(in snapshot: ServerSnapshot) -> Device?
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

/// A device by its name.
struct NamedDevice: Sendable {
  var direction: Direction
  var name: String
}

/// The traits of a setting.
package struct SettingTraits: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The server may leave it unmet without a failure.
  package static let hint = SettingTraits(rawValue: 1 << 0)
  /// It is a module of the session.
  package static let module = SettingTraits(rawValue: 1 << 1)
  /// It is a link of a chain: a module of the session with a device.
  package static let link = SettingTraits(rawValue: 1 << 2)
  /// Its object is a stream of another program, which may end at any time.
  package static let stream = SettingTraits(rawValue: 1 << 3)
  /// It is a change of another program's stream that the session makes only while it holds.
  package static let others = SettingTraits(rawValue: 1 << 4)
  /// It is a stream of the session.
  package static let ownStream = SettingTraits(rawValue: 1 << 5)
  /// A session of one program changes it, too, because programs do not share it.
  package static let ofOneProgram = SettingTraits(rawValue: 1 << 6)
  /// Writing it creates and removes objects: the server can answer the next request before it sends
  /// the events that name them.
  package static let makesObjects = SettingTraits(rawValue: 1 << 7)
  /// A lazy server may lose it: values that PipeWire keeps in a card's routes if the device has a
  /// card, and values of a stream that is just being connected.
  package static let isLostAtTimes = SettingTraits(rawValue: 1 << 8)
  /// On some servers a device without a card shows it only once it has run.
  package static let showsWhenAwake = SettingTraits(rawValue: 1 << 9)
  /// It is the volume or mute of a device; each port has separate ones.
  package static let level = SettingTraits(rawValue: 1 << 10)
  /// It exists without the session, too, so it has a previous value. Other settings are modules,
  /// streams or pins of the session, or changes of other programs' streams.
  package static let outlivesSession = SettingTraits(rawValue: 1 << 11)
  /// It vanishes or changes with the devices of a card.
  package static let followsCard = SettingTraits(rawValue: 1 << 12)
}

extension SettingKind {
  var traits: SettingTraits { [] }
  var device: NamedDevice? { nil }
  var cardName: String? { nil }
  var link: (any LinkKind)? { nil }
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

  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? { before }

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

/// A request to a server, without its answer.
package enum ServerRequest: Sendable, Hashable {
  case setCardProfile(card: String, String)
  case switchCodec(card: String, String)
  case setDefault(Direction, String)
  case setPort(Direction, device: String, String)
  case setVolume(Direction, device: String, ChannelVolumes)
  case setMute(Direction, device: String, Bool)
  case setPortLatencyOffset(card: String, port: String, Duration)
  case moveStream(Direction, Index<Stream>, device: String)
  case setStreamMute(Index<Stream>, Bool)
  case setStreamVolume(Index<Stream>, ChannelVolumes)
  /// A module that has ended in the meantime counts as unloaded, unless `isSure`.
  case unloadModule(Index<Module>, isSure: Bool)
  /// While the module is loaded, the named devices keep their rates.
  case loadModule(String, argument: String, keepingRates: EchoCancellerSpec?)
  /// Opens, replaces or closes our stream for a hint or the trigger.
  case setOwnStream(Setting, SettingValue)
}
