internal import CPulse
internal import PulseTypes

extension DevicePort {
  init(_ info: pa_sink_port_info) {
    self.init(
      name: text(info.name) ?? "", description: text(info.description) ?? "", direction: .output,
      priority: info.priority, availability: PortAvailability(info.available),
      kind: PortKind(rawValue: info.type) ?? .unknown)
  }

  init(_ info: pa_source_port_info) {
    self.init(
      name: text(info.name) ?? "", description: text(info.description) ?? "", direction: .input,
      priority: info.priority, availability: PortAvailability(info.available),
      kind: PortKind(rawValue: info.type) ?? .unknown)
  }
}

extension PortAvailability {
  init(_ number: Int32) {
    self =
      switch number {
      case Int32(bitPattern: PA_PORT_AVAILABLE_NO.rawValue): .no
      case Int32(bitPattern: PA_PORT_AVAILABLE_YES.rawValue): .yes
      default: .unknown
      }
  }
}

extension DeviceState {
  init(number: Int32) {
    self =
      switch number {
      case 0: .running
      case 1: .idle
      case 2: .suspended
      default: .unknown
      }
  }
}

extension DeviceFlags {
  init(_ bits: UInt32, of direction: Direction) {
    self = DeviceFlags(rawValue: bits).intersection([
      .hardwareVolume, .hardware, .network, .dynamicLatency(direction),
    ])
  }
}

extension Device {
  init(_ info: pa_sink_info) {
    self.init(
      direction: .output, index: Index(info.index), name: text(info.name) ?? "",
      description: text(info.description) ?? "", driver: text(info.driver) ?? "",
      sampleSpec: SampleSpec(info.sample_spec), channelMap: ChannelMap(info.channel_map),
      ownerModule: Index(valid: info.owner_module), card: Index(valid: info.card),
      monitor: text(info.monitor_source_name), volume: ChannelVolumes(info.volume),
      volumeSteps: info.n_volume_steps, isMuted: info.mute != 0,
      state: DeviceState(number: Int32(info.state.rawValue)),
      flags: DeviceFlags(info.flags.rawValue, of: .output),
      configuredLatency: .microseconds(Int64(clamping: info.configured_latency)),
      ports: entries(info.ports, info.n_ports).map { DevicePort($0) },
      activePort: info.active_port.flatMap { text($0.pointee.name) },
      properties: Pulse.properties(info.proplist))
  }

  init(_ info: pa_source_info) {
    self.init(
      direction: .input, index: Index(info.index), name: text(info.name) ?? "",
      description: text(info.description) ?? "", driver: text(info.driver) ?? "",
      sampleSpec: SampleSpec(info.sample_spec), channelMap: ChannelMap(info.channel_map),
      ownerModule: Index(valid: info.owner_module), card: Index(valid: info.card),
      monitor: text(info.monitor_of_sink_name), volume: ChannelVolumes(info.volume),
      volumeSteps: info.n_volume_steps, isMuted: info.mute != 0,
      state: DeviceState(number: Int32(info.state.rawValue)),
      flags: DeviceFlags(info.flags.rawValue, of: .input),
      configuredLatency: .microseconds(Int64(clamping: info.configured_latency)),
      ports: entries(info.ports, info.n_ports).map { DevicePort($0) },
      activePort: info.active_port.flatMap { text($0.pointee.name) },
      properties: Pulse.properties(info.proplist))
  }
}
