/// What a server says of itself (libpulse: `pa_server_info`).
public struct ServerInfo: Sendable, Hashable, Codable {
  /// The program, such as `pulseaudio` or `PulseAudio (on PipeWire 0.3.65)`.
  public var name: String
  /// Its version; pipewire-pulse says `15.0.0`.
  public var version: String
  /// The user it runs as.
  public var userName: String
  /// The machine it runs on.
  public var hostName: String
  /// The configured default spec; not a device's.
  public var sampleSpec: SampleSpec
  /// The configured default map; not a device's.
  public var channelMap: ChannelMap
  /// The default sink; nil where there is no device (pipewire-pulse's "@DEFAULT_SINK@" is nil).
  public var defaultSinkName: String?
  /// The default source; nil where there is no device.
  public var defaultSourceName: String?
  /// A random number that tells one run of a server from the next.
  public var cookie: UInt32

  /// Makes the information from what the server says.
  public init(
    name: String, version: String, userName: String = "", hostName: String = "",
    sampleSpec: SampleSpec, channelMap: ChannelMap, defaultSinkName: String?,
    defaultSourceName: String?, cookie: UInt32
  ) {
    self.name = name
    self.version = version
    self.userName = userName
    self.hostName = hostName
    self.sampleSpec = sampleSpec
    self.channelMap = channelMap
    self.defaultSinkName = defaultSinkName
    self.defaultSourceName = defaultSourceName
    self.cookie = cookie
  }

  /// The kind of server, told by its name.
  public var kind: ServerKind { name.has("PipeWire") ? .pipewire : .pulseaudio }

  /// The default device's name of a direction.
  public func defaultName(_ direction: Direction) -> String? {
    direction == .input ? defaultSourceName : defaultSinkName
  }
}

/// Which program answers the PulseAudio protocol.
public enum ServerKind: String, Sendable, Hashable, Codable {
  case pulseaudio, pipewire
}
