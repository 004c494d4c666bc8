/// Identifies one object of a server, as in a set of changes.
public struct ObjectID: Sendable, Hashable, CustomStringConvertible {
  /// The kind of object.
  public var facility: Facility
  /// The server's index; on some servers a sink and its monitor have the same.
  public var index: UInt32

  /// Identifies an object.
  public init(_ facility: Facility, _ index: UInt32) {
    self.facility = facility
    self.index = index
  }

  /// The server itself, with its default devices.
  public static let server = ObjectID(.server, .max)

  /// Identifies a sink or a source.
  public static func device(_ direction: Direction, _ index: Index<Device>) -> ObjectID {
    ObjectID(direction == .input ? .source : .sink, index.rawValue)
  }

  /// Identifies a playback or a record stream.
  public static func stream(_ direction: Direction, _ index: Index<Stream>) -> ObjectID {
    ObjectID(direction == .input ? .sourceOutput : .sinkInput, index.rawValue)
  }

  /// Identifies a card.
  public static func card(_ index: Index<Card>) -> ObjectID { ObjectID(.card, index.rawValue) }

  /// The facility, and the index if it has one.
  public var description: String {
    index == .max ? "\(facility)" : "\(facility) \(index)"
  }
}

/// The kinds of objects in events (libpulse: `PA_SUBSCRIPTION_EVENT_FACILITY_MASK`).
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
