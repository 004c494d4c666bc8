/// A server's information about itself (libpulse: `pa_server_info`).
public struct ServerInfo: Sendable, Hashable, Codable {
  /// The program, such as `pulseaudio` or `PulseAudio (on PipeWire 0.3.65)`.
  public var name: String
  /// Its version; pipewire-pulse reports `15.0.0`.
  public var version: String
  /// The configured default spec; not a device's.
  public var sampleSpec: SampleSpec
  /// The configured default map; not a device's.
  public var channelMap: ChannelMap
  /// The default sink; nil without a device (pipewire-pulse's "@DEFAULT_SINK@" becomes nil).
  public var defaultSinkName: String?
  /// The default source; nil without a device.
  public var defaultSourceName: String?
  /// A random number that differs for each run of a server.
  public var cookie: UInt32

  package init(
    name: String, version: String, sampleSpec: SampleSpec, channelMap: ChannelMap,
    defaultSinkName: String?, defaultSourceName: String?, cookie: UInt32
  ) {
    self.name = name
    self.version = version
    self.sampleSpec = sampleSpec
    self.channelMap = channelMap
    self.defaultSinkName = defaultSinkName
    self.defaultSourceName = defaultSourceName
    self.cookie = cookie
  }

  /// The kind of server, recognized by its name.
  public var kind: ServerKind { name.has("PipeWire") ? .pipewire : .pulseaudio }

  /// The default device's name of a direction.
  public func defaultName(_ direction: Direction) -> String? {
    direction == .input ? defaultSourceName : defaultSinkName
  }
}
