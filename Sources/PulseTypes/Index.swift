/// The server's index of an object; valid within one snapshot only.
///
/// Typed, because a monitor and its sink can share a number (on pipewire-pulse they always do), and
/// no index survives a restart of the server: a name identifies an object over time.
public struct Index<Object>: RawRepresentable, Sendable, Hashable, Codable,
  CustomStringConvertible
{
  /// The server's index.
  public var rawValue: UInt32

  /// Wraps an index of the server.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Wraps an index of the server.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// The index as text.
  public var description: String { String(rawValue) }
}
