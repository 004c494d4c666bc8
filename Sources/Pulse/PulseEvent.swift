internal import CPulse
public import PulseTypes

/// The facilities to subscribe to (libpulse: `pa_subscription_mask_t`).
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

/// A change of an object (libpulse: `pa_subscription_event_type_t`).
///
/// The server reports nothing else: read the object again to find what changed. Several changes may
/// arrive as one event, and a change before the object's creation.
public struct PulseEvent: Sendable, Hashable, CustomStringConvertible {
  /// The kind of change.
  public enum Kind: UInt32, Sendable, Hashable, Codable {
    case new = 0
    case change = 0x10
    case remove = 0x20
  }

  /// The kind of object.
  public var facility: Facility
  /// The kind of change.
  public var kind: Kind
  /// The object's index; meaningless for the server itself.
  public var index: UInt32

  /// Makes an event.
  public init(facility: Facility, kind: Kind, index: UInt32) {
    self.facility = facility
    self.kind = kind
    self.index = index
  }

  /// The object; the same for all events of the server itself.
  public var object: ObjectID {
    facility == .server ? .server : ObjectID(facility, index)
  }

  /// The kind of change and the object.
  public var description: String { "\(kind) \(object)" }

  /// Nil for an unknown facility or type.
  init?(_ type: pa_subscription_event_type_t, _ index: UInt32) {
    guard let facility = Facility(rawValue: UInt32(type.rawValue) & 0x0f),
      let kind = Kind(rawValue: UInt32(type.rawValue) & 0x30)
    else { return nil }
    self.init(facility: facility, kind: kind, index: index)
  }
}
