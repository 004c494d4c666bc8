/// A number the server gave to an object; it means something inside one snapshot only.
///
/// Typed, because a monitor and its sink can share a number (they always do on pipewire-pulse), and
/// no index survives a restart of the server: identity across time is a name.
public struct Index<Object>: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The server's number.
  public var rawValue: UInt32

  /// Wraps a number that the server gave.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// The number.
  public var description: String { String(rawValue) }

  /// Reads the bare value.
  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(UInt32.self)
  }

  /// Writes the bare value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
