/// The server's index of an object; valid within one snapshot only.
///
/// Typed, because a monitor and its sink can share a number (on pipewire-pulse they always do), and
/// no index survives a restart of the server: a name identifies an object over time.
public struct Index<Object>: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The server's index.
  public var rawValue: UInt32

  /// Wraps an index of the server.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// The index as text.
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
