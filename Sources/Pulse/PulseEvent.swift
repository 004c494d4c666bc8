internal import CPulse
public import PulseTypes

/// The kinds of objects a server tells about (libpulse: `PA_SUBSCRIPTION_EVENT_FACILITY_MASK`).
public enum Facility: UInt32, Sendable, Hashable, Codable, CaseIterable {
  case sink = 0
  case source = 1
  case sinkInput = 2
  case sourceOutput = 3
  case module = 4
  case client = 5
  case sampleCache = 6
  case server = 7
  case card = 9
}

/// The facilities to be told about (libpulse: `pa_subscription_mask_t`).
public struct EventMask: OptionSet, Sendable, Hashable {
  /// libpulse's bits: 1 shifted left by the facility's raw value.
  public let rawValue: UInt32

  /// Wraps libpulse's bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The mask of one facility.
  public init(_ facility: Facility) { rawValue = 1 << facility.rawValue }

  /// Sinks.
  public static let sink = EventMask(.sink)
  /// Sources.
  public static let source = EventMask(.source)
  /// Playback streams.
  public static let sinkInput = EventMask(.sinkInput)
  /// Record streams.
  public static let sourceOutput = EventMask(.sourceOutput)
  /// Modules.
  public static let module = EventMask(.module)
  /// Clients.
  public static let client = EventMask(.client)
  /// Samples in the server's cache.
  public static let sampleCache = EventMask(.sampleCache)
  /// The server itself: its default devices.
  public static let server = EventMask(.server)
  /// Cards.
  public static let card = EventMask(.card)
  /// Everything.
  public static let all = EventMask(rawValue: 0x2ff)
}

/// Names one object of a server: what a dirty set is made of.
public struct ObjectID: Sendable, Hashable, CustomStringConvertible {
  /// The kind of object.
  public var facility: Facility
  /// The server's number; the same for a sink and its monitor on some servers.
  public var index: UInt32

  /// Names an object.
  public init(_ facility: Facility, _ index: UInt32) {
    self.facility = facility
    self.index = index
  }

  /// The server itself, with its default devices.
  public static let server = ObjectID(.server, invalidIndex)

  /// Names a sink or a source.
  public static func device(_ direction: Direction, _ index: Index<Device>) -> ObjectID {
    ObjectID(direction == .input ? .source : .sink, index.rawValue)
  }

  /// Names a playback or a record stream.
  public static func stream(_ direction: Direction, _ index: Index<PulseTypes.Stream>) -> ObjectID {
    ObjectID(direction == .input ? .sourceOutput : .sinkInput, index.rawValue)
  }

  /// Names a card.
  public static func card(_ index: Index<Card>) -> ObjectID { ObjectID(.card, index.rawValue) }

  /// The facility, and the number where it has one.
  public var description: String {
    index == invalidIndex ? "\(facility)" : "\(facility) \(index)"
  }
}

/// Something happened to an object (libpulse: `pa_subscription_event_type_t`).
///
/// That is all the server tells: what changed is found by reading the object again. Several changes
/// may come as one event, and a change before the object's creation.
public struct PulseEvent: Sendable, Hashable, CustomStringConvertible {
  /// What happened.
  public enum Kind: UInt32, Sendable, Hashable, Codable {
    case new = 0
    case change = 0x10
    case remove = 0x20
  }

  /// The kind of object.
  public var facility: Facility
  /// What happened to it.
  public var kind: Kind
  /// The object's number; means nothing for the server itself.
  public var index: UInt32

  /// Makes an event.
  public init(facility: Facility, kind: Kind, index: UInt32) {
    self.facility = facility
    self.kind = kind
    self.index = index
  }

  /// The object; all events of the server itself have the same.
  public var object: ObjectID {
    facility == .server ? .server : ObjectID(facility, index)
  }

  /// What happened to what.
  public var description: String { "\(kind) \(object)" }

  /// Nil for a facility or type that this library does not know.
  init?(_ type: pa_subscription_event_type_t, _ index: UInt32) {
    guard let facility = Facility(rawValue: UInt32(type.rawValue) & 0x0f),
      let kind = Kind(rawValue: UInt32(type.rawValue) & 0x30)
    else { return nil }
    self.init(facility: facility, kind: kind, index: index)
  }
}
