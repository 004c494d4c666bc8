internal import CPulse
internal import PulseTypes

extension ServerInfo {
  init(_ info: UnsafePointer<pa_server_info>) {
    self.init(
      name: text(info.pointee.server_name) ?? "", version: text(info.pointee.server_version) ?? "",
      userName: text(info.pointee.user_name) ?? "", hostName: text(info.pointee.host_name) ?? "",
      sampleSpec: SampleSpec(info.pointee.sample_spec),
      channelMap: ChannelMap(info.pointee.channel_map),
      defaultSinkName: deviceName(info.pointee.default_sink_name),
      defaultSourceName: deviceName(info.pointee.default_source_name),
      cookie: info.pointee.cookie)
  }
}

/// Without a device PulseAudio has NULL, pipewire-pulse a placeholder in at signs.
private func deviceName(_ pointer: UnsafePointer<CChar>?) -> String? {
  text(pointer).flatMap { $0.isEmpty || $0.hasPrefix("@") ? nil : $0 }
}

extension Module {
  init(_ info: UnsafePointer<pa_module_info>) {
    self.init(
      index: Index(info.pointee.index), name: text(info.pointee.name) ?? "",
      argument: text(info.pointee.argument) ?? "",
      properties: Pulse.properties(info.pointee.proplist))
  }
}

extension Client {
  init(_ info: UnsafePointer<pa_client_info>) {
    self.init(
      index: Index(info.pointee.index), name: text(info.pointee.name) ?? "",
      ownerModule: Index(valid: info.pointee.owner_module),
      properties: Pulse.properties(info.pointee.proplist))
  }
}

extension SavedStream {
  init(_ info: UnsafePointer<pa_ext_stream_restore_info>) {
    self.init(
      name: text(info.pointee.name) ?? "", device: text(info.pointee.device),
      channelMap: ChannelMap(info.pointee.channel_map),
      volume: ChannelVolumes(info.pointee.volume), isMuted: info.pointee.mute != 0)
  }
}

extension CardProfile {
  init(_ info: UnsafePointer<pa_card_profile_info2>) {
    self.init(
      name: text(info.pointee.name) ?? "", description: text(info.pointee.description) ?? "",
      sinkCount: Int(info.pointee.n_sinks), sourceCount: Int(info.pointee.n_sources),
      priority: info.pointee.priority, isAvailable: info.pointee.available != 0)
  }
}

extension DevicePort {
  init(_ info: UnsafePointer<pa_card_port_info>) {
    let profiles = entries(info.pointee.profiles2, info.pointee.n_profiles)
    let isInput = info.pointee.direction & Int32(PA_DIRECTION_INPUT.rawValue) != 0
    self.init(
      name: text(info.pointee.name) ?? "", description: text(info.pointee.description) ?? "",
      direction: isInput ? .input : .output, priority: info.pointee.priority,
      availability: PortAvailability(info.pointee.available),
      availabilityGroup: text(info.pointee.availability_group),
      kind: PortKind(number: info.pointee.type),
      profiles: profiles.map { text($0.pointee.name) ?? "" },
      latencyOffset: .microseconds(info.pointee.latency_offset))
  }
}

extension Card {
  init(_ info: UnsafePointer<pa_card_info>) {
    self.init(
      index: Index(info.pointee.index), name: text(info.pointee.name) ?? "",
      ownerModule: Index(valid: info.pointee.owner_module),
      driver: text(info.pointee.driver) ?? "",
      profiles: entries(info.pointee.profiles2, info.pointee.n_profiles).map { CardProfile($0) },
      activeProfile: info.pointee.active_profile2.flatMap { text($0.pointee.name) },
      ports: entries(info.pointee.ports, info.pointee.n_ports).map { DevicePort($0) },
      properties: Pulse.properties(info.pointee.proplist))
  }
}

extension Stream {
  init(_ info: UnsafePointer<pa_sink_input_info>) {
    self.init(
      direction: .output, index: Index(info.pointee.index), name: text(info.pointee.name) ?? "",
      client: Index(valid: info.pointee.client),
      ownerModule: Index(valid: info.pointee.owner_module),
      device: Index(valid: info.pointee.sink), sampleSpec: SampleSpec(info.pointee.sample_spec),
      channelMap: ChannelMap(info.pointee.channel_map),
      volume: info.pointee.has_volume != 0 ? ChannelVolumes(info.pointee.volume) : nil,
      isMuted: info.pointee.mute != 0, isCorked: info.pointee.corked != 0,
      resampleMethod: text(info.pointee.resample_method), driver: text(info.pointee.driver) ?? "",
      properties: Pulse.properties(info.pointee.proplist))
  }

  init(_ info: UnsafePointer<pa_source_output_info>) {
    self.init(
      direction: .input, index: Index(info.pointee.index), name: text(info.pointee.name) ?? "",
      client: Index(valid: info.pointee.client),
      ownerModule: Index(valid: info.pointee.owner_module),
      device: Index(valid: info.pointee.source), sampleSpec: SampleSpec(info.pointee.sample_spec),
      channelMap: ChannelMap(info.pointee.channel_map),
      volume: info.pointee.has_volume != 0 ? ChannelVolumes(info.pointee.volume) : nil,
      isMuted: info.pointee.mute != 0, isCorked: info.pointee.corked != 0,
      resampleMethod: text(info.pointee.resample_method), driver: text(info.pointee.driver) ?? "",
      properties: Pulse.properties(info.pointee.proplist))
  }
}
