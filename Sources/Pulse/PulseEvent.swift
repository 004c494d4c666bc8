internal import CPulse
public import PulseTypes

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

  /// Nil for an unknown facility or type, and for an object without an index.
  init?(_ type: pa_subscription_event_type_t, _ index: UInt32) {
    guard let facility = Facility(rawValue: UInt32(type.rawValue) & 0x0f),
      let kind = Kind(rawValue: UInt32(type.rawValue) & 0x30), facility == .server || index != .max
    else { return nil }
    self.init(facility: facility, kind: kind, index: index)
  }
}
