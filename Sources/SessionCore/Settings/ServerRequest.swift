package import PulseTypes

/// A request to a server, without its answer.
package enum ServerRequest: Sendable, Hashable {
  case setCardProfile(card: String, String)
  case switchCodec(card: String, String)
  case setDefault(Direction, String)
  case setPort(Direction, device: String, String)
  case setVolume(Direction, device: String, ChannelVolumes)
  case setMute(Direction, device: String, Bool)
  case setPortLatencyOffset(card: String, port: String, Duration)
  case moveStream(Direction, Index<Stream>, device: String)
  case setStreamMute(Index<Stream>, Bool)
  case setStreamVolume(Index<Stream>, ChannelVolumes)
  /// A module that has ended in the meantime counts as unloaded, unless `isSure`.
  case unloadModule(Index<Module>, isSure: Bool)
  /// While the module is loaded, the named devices keep their rates.
  case loadModule(String, argument: String, keepingRates: EchoCancellerSpec?)
  /// Opens, replaces or closes our stream for a hint.
  case setOwnStream(Setting, SettingValue)
}
