public import JSONCoding
public import PulseTypes

/// One end of the route: the hardware in use, and the chain in front of it.
public struct RouteDevice: Sendable, Hashable, Codable, EncodableWithNulls {
  /// The server's name of the hardware source or sink.
  public var name: String
  /// The description for users.
  public var description: String
  /// The name of the port in use.
  public var port: String?
  /// The kind of port.
  public var portType: PortType?
  /// The number of channels for programs.
  package var channels: Int
  /// The hardware's rate in Hz.
  public var sampleRate: Int
  /// The hardware channels that programs get, in order.
  public var channelMap: [ChannelPosition]
  /// The session's devices between the hardware and the programs, starting at the hardware.
  public var via: [String]
}
