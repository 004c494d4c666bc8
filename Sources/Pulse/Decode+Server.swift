internal import CPulse
internal import PulseTypes

extension ServerInfo {
  init(_ info: pa_server_info) {
    self.init(
      name: text(info.server_name) ?? "", version: text(info.server_version) ?? "",
      sampleSpec: SampleSpec(info.sample_spec), channelMap: ChannelMap(info.channel_map),
      defaultSinkName: deviceName(info.default_sink_name),
      defaultSourceName: deviceName(info.default_source_name), cookie: info.cookie)
  }
}

/// Without a device PulseAudio has NULL, pipewire-pulse a placeholder in at signs.
private func deviceName(_ pointer: UnsafePointer<CChar>?) -> String? {
  text(pointer).flatMap { $0.isEmpty || $0.hasPrefix("@") ? nil : $0 }
}

extension Module {
  init(_ info: pa_module_info) {
    self.init(
      index: Index(info.index), name: text(info.name) ?? "", argument: text(info.argument) ?? "")
  }
}

extension Client {
  init(_ info: pa_client_info) {
    self.init(
      index: Index(info.index), name: text(info.name) ?? "",
      properties: Pulse.properties(info.proplist))
  }
}

extension SavedStream {
  init(_ info: pa_ext_stream_restore_info) {
    self.init(
      name: text(info.name) ?? "", device: text(info.device),
      channelMap: ChannelMap(info.channel_map), volume: ChannelVolumes(info.volume),
      isMuted: info.mute != 0)
  }
}

extension CardProfile {
  init(_ info: pa_card_profile_info2) {
    self.init(
      name: text(info.name) ?? "", description: text(info.description) ?? "",
      sinkCount: Int(info.n_sinks), sourceCount: Int(info.n_sources), priority: info.priority,
      isAvailable: info.available != 0)
  }
}

extension DevicePort {
  init(_ info: pa_card_port_info) {
    let isInput = info.direction & Int32(PA_DIRECTION_INPUT.rawValue) != 0
    self.init(
      name: text(info.name) ?? "", description: text(info.description) ?? "",
      direction: isInput ? .input : .output, priority: info.priority,
      availability: PortAvailability(info.available),
      kind: PortKind(rawValue: info.type) ?? .unknown,
      profiles: entries(info.profiles2, info.n_profiles).map { text($0.name) ?? "" },
      latencyOffset: .microseconds(info.latency_offset))
  }
}

extension Card {
  init(_ info: pa_card_info) {
    self.init(
      index: Index(info.index), name: text(info.name) ?? "",
      ownerModule: Index(valid: info.owner_module), driver: text(info.driver) ?? "",
      profiles: entries(info.profiles2, info.n_profiles).map { CardProfile($0) },
      activeProfile: info.active_profile2.flatMap { text($0.pointee.name) },
      ports: entries(info.ports, info.n_ports).map { DevicePort($0) },
      properties: Pulse.properties(info.proplist))
  }
}

extension Stream {
  init(_ info: pa_sink_input_info) {
    self.init(
      direction: .output, index: Index(info.index), name: text(info.name) ?? "",
      client: Index(valid: info.client), ownerModule: Index(valid: info.owner_module),
      device: Index(valid: info.sink), sampleSpec: SampleSpec(info.sample_spec),
      channelMap: ChannelMap(info.channel_map),
      volume: info.has_volume != 0 ? ChannelVolumes(info.volume) : nil, isMuted: info.mute != 0,
      isCorked: info.corked != 0, resampleMethod: text(info.resample_method),
      driver: text(info.driver) ?? "", properties: Pulse.properties(info.proplist))
  }

  init(_ info: pa_source_output_info) {
    self.init(
      direction: .input, index: Index(info.index), name: text(info.name) ?? "",
      client: Index(valid: info.client), ownerModule: Index(valid: info.owner_module),
      device: Index(valid: info.source), sampleSpec: SampleSpec(info.sample_spec),
      channelMap: ChannelMap(info.channel_map),
      volume: info.has_volume != 0 ? ChannelVolumes(info.volume) : nil, isMuted: info.mute != 0,
      isCorked: info.corked != 0, resampleMethod: text(info.resample_method),
      driver: text(info.driver) ?? "", properties: Pulse.properties(info.proplist))
  }
}
