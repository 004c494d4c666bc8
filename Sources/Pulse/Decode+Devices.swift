internal import CPulse
internal import PulseTypes

extension DevicePort {
  init(_ port: UnsafePointer<pa_sink_port_info>) {
    let info = port.pointee
    self.init(
      name: text(info.name) ?? "", description: text(info.description) ?? "", direction: .output,
      priority: info.priority, availability: PortAvailability(info.available),
      availabilityGroup: text(info.availability_group), kind: PortKind(number: info.type))
  }

  init(_ port: UnsafePointer<pa_source_port_info>) {
    let info = port.pointee
    self.init(
      name: text(info.name) ?? "", description: text(info.description) ?? "", direction: .input,
      priority: info.priority, availability: PortAvailability(info.available),
      availabilityGroup: text(info.availability_group), kind: PortKind(number: info.type))
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

extension PortKind {
  /// A kind from a newer server becomes `.unknown`.
  init(number: UInt32) { self = PortKind(rawValue: number) ?? .unknown }
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
  private static let known: DeviceFlags = [
    .hardwareVolume, .latency, .hardware, .network, .hardwareMute,
  ]

  init(_ flags: pa_sink_flags_t) {
    self = DeviceFlags(rawValue: UInt32(flags.rawValue)).intersection(Self.known)
    if flags.rawValue & PA_SINK_DYNAMIC_LATENCY.rawValue != 0 { insert(.dynamicLatency) }
  }

  /// The bits are those of a sink, except for dynamic latency, in place of which a sink has flat
  /// volume.
  init(_ flags: pa_source_flags_t) {
    self = DeviceFlags(rawValue: UInt32(flags.rawValue)).intersection(Self.known)
    if flags.rawValue & PA_SOURCE_DYNAMIC_LATENCY.rawValue != 0 { insert(.dynamicLatency) }
  }
}

extension Duration {
  init(_ microseconds: pa_usec_t) { self = .microseconds(Int64(clamping: microseconds)) }
}

extension Device {
  init(_ sink: UnsafePointer<pa_sink_info>) {
    self.init(
      direction: .output, index: Index(sink.pointee.index), name: text(sink.pointee.name) ?? "",
      description: text(sink.pointee.description) ?? "", driver: text(sink.pointee.driver) ?? "",
      sampleSpec: SampleSpec(sink.pointee.sample_spec),
      channelMap: ChannelMap(sink.pointee.channel_map),
      ownerModule: Index(valid: sink.pointee.owner_module), card: Index(valid: sink.pointee.card),
      monitor: text(sink.pointee.monitor_source_name),
      volume: ChannelVolumes(sink.pointee.volume), volumeSteps: sink.pointee.n_volume_steps,
      isMuted: sink.pointee.mute != 0,
      state: DeviceState(number: Int32(sink.pointee.state.rawValue)),
      flags: DeviceFlags(sink.pointee.flags),
      configuredLatency: Duration(sink.pointee.configured_latency),
      ports: entries(sink.pointee.ports, sink.pointee.n_ports).map { DevicePort($0) },
      activePort: sink.pointee.active_port.flatMap { text($0.pointee.name) },
      properties: Pulse.properties(sink.pointee.proplist))
  }

  init(_ source: UnsafePointer<pa_source_info>) {
    self.init(
      direction: .input, index: Index(source.pointee.index), name: text(source.pointee.name) ?? "",
      description: text(source.pointee.description) ?? "",
      driver: text(source.pointee.driver) ?? "",
      sampleSpec: SampleSpec(source.pointee.sample_spec),
      channelMap: ChannelMap(source.pointee.channel_map),
      ownerModule: Index(valid: source.pointee.owner_module),
      card: Index(valid: source.pointee.card), monitor: text(source.pointee.monitor_of_sink_name),
      volume: ChannelVolumes(source.pointee.volume), volumeSteps: source.pointee.n_volume_steps,
      isMuted: source.pointee.mute != 0,
      state: DeviceState(number: Int32(source.pointee.state.rawValue)),
      flags: DeviceFlags(source.pointee.flags),
      configuredLatency: Duration(source.pointee.configured_latency),
      ports: entries(source.pointee.ports, source.pointee.n_ports).map { DevicePort($0) },
      activePort: source.pointee.active_port.flatMap { text($0.pointee.name) },
      properties: Pulse.properties(source.pointee.proplist))
  }
}
