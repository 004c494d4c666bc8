import PulseTypes

extension ServerSnapshot {
  /// A server that nothing is known of.
  static let none = ServerSnapshot(
    server: ServerInfo(
      name: "", version: "", sampleSpec: SampleSpec(format: nil, rate: 0, channels: 0),
      channelMap: .stereo, defaultSinkName: nil, defaultSourceName: nil, cookie: 0))
}
