package import PulseTypes

/// All that the session knows of one kind of setting: one type and one file each.
///
/// `Setting` names a setting in the store and in plans; `Setting.kind` is the only switch over it.
/// A new setting is a case there and a type that conforms to this; the compiler asks for the rest.
protocol SettingKind: Sendable {
  /// The server's object that the setting belongs to.
  var object: String { get }
  /// What of the object it is, in PulseAudio's words.
  var label: String { get }
  /// The phase in which it is changed.
  var phase: Phase { get }
  /// What sets it apart from a plain value of a device.
  var traits: SettingTraits { get }

  /// The device that it is a value of, where it is one.
  var device: NamedDevice? { get }
  /// The stream of another program that the session changes by itself, where it is one.
  var otherStream: Index<Stream>? { get }

  /// The property of the state under which a restore is listed.
  func property(in snapshot: ServerSnapshot) -> Property
  /// What it is now; nil if its object does not exist.
  func read(_ snapshot: ServerSnapshot) -> SettingValue?
  /// The settings that go, come or change when this one does.
  func dependents(in snapshot: ServerSnapshot) -> [Setting]

  /// What it will be; nil if that is not known before the step runs.
  func predicted(in world: World) -> SettingValue?
  /// Whether the object that a value needs is made by an earlier step.
  func isDeferred(to value: SettingValue, in world: World) -> Bool
  /// Takes a step as done.
  func predict(_ value: SettingValue, in world: inout World)
  /// Plans what must go before it changes.
  func bracket(_ target: Target, from now: SettingValue?, in planner: inout Planner)

  /// What to ask of the server for a value; nil of a value that it cannot have.
  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]?
  /// The objects to read again after a write, beside those that events name.
  func written(in snapshot: ServerSnapshot) -> [ServerObject]
  /// Whether the server shows a value that was written.
  func isMet(_ value: SettingValue, in snapshot: ServerSnapshot) -> Bool
  /// How long the server may take until it shows a value; nil is as long as there is time.
  ///
  /// - Parameter isLazy: whether it acknowledges before it acts.
  func patience(isLazy: Bool) -> Duration?
}

/// A device by its name.
struct NamedDevice: Sendable {
  var direction: Direction
  var name: String
}

/// What sets a setting apart.
package struct SettingTraits: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The server may leave it unmet without a failure.
  package static let hint = SettingTraits(rawValue: 1 << 0)
  /// It is a module of ours.
  package static let module = SettingTraits(rawValue: 1 << 1)
  /// It is a link of a chain: a module of ours with a device.
  package static let link = SettingTraits(rawValue: 1 << 2)
  /// Its object is a stream of another program, which may end at any time.
  package static let stream = SettingTraits(rawValue: 1 << 3)
  /// It is what a session does to a stream of another program by itself, as long as it holds.
  package static let others = SettingTraits(rawValue: 1 << 4)
  /// It is a stream of ours.
  package static let ownStream = SettingTraits(rawValue: 1 << 5)
  /// A session of one program changes it, too: other programs do not share it.
  package static let ofOneProgram = SettingTraits(rawValue: 1 << 6)
  /// Writing it makes objects come and go: the server can answer the next question before it sends
  /// the events that would tell which.
  package static let makesObjects = SettingTraits(rawValue: 1 << 7)
  /// A lazy server may lose it: what PipeWire keeps in a card's routes, where a device has a card,
  /// and what belongs to a stream that is just being connected.
  package static let isLostAtTimes = SettingTraits(rawValue: 1 << 8)
  /// A device without a card shows it only once it has run, on some servers.
  package static let showsWhenAwake = SettingTraits(rawValue: 1 << 9)
  /// It is the volume or mute of a device: each port has its own.
  package static let level = SettingTraits(rawValue: 1 << 10)
  /// It is there without the session, too, so it has a value from before it. Else it is a module, a
  /// stream or a pin of ours, or what the session does to a stream of another program.
  package static let outlivesSession = SettingTraits(rawValue: 1 << 11)
}

extension SettingKind {
  var traits: SettingTraits { [] }
  var device: NamedDevice? { nil }
  var otherStream: Index<Stream>? { nil }

  func dependents(in snapshot: ServerSnapshot) -> [Setting] { [] }

  func predicted(in world: World) -> SettingValue? { read(world.snapshot) }

  func isDeferred(to value: SettingValue, in world: World) -> Bool {
    world.isPredicted(object)
  }

  func bracket(_ target: Target, from now: SettingValue?, in planner: inout Planner) {}

  func isMet(_ value: SettingValue, in snapshot: ServerSnapshot) -> Bool {
    read(snapshot) == value
  }

  /// A server that answers after it acted shows a value at once, or another program has undone it.
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
  /// One that has gone in the meantime is as good as unloaded, unless `isSure`.
  case unloadModule(Index<Module>, isSure: Bool)
  /// While it is loaded the named devices keep their rates.
  case loadModule(String, argument: String, keepingRates: EchoCancellerSpec?)
  /// Opens, replaces or closes the stream of ours that a hint or the trigger is.
  case setOwnStream(Setting, SettingValue)
}

/// An object of a server, by its place in a snapshot.
package enum ServerObject: Sendable, Hashable {
  case server
  case card(Index<Card>)
  case device(Direction, Index<Device>)
  case stream(Direction, Index<Stream>)
}
