package import PulseTypes

package enum SettingValue: Sendable, Hashable, Codable {
  /// Nothing: no default, no remap, no pin.
  case absent
  /// The name of a profile, device or port.
  case name(String)
  /// Hz.
  case rate(Int)
  /// A latency or an offset.
  case duration(Duration)
  case volume(ChannelVolumes)
  /// Muted or not.
  case flag(Bool)
  case remap(RemapSpec)
  case combination(CombineSpec)
  case echoCanceller(EchoCancellerSpec)
  /// The channels of a device or stream.
  case channels(ChannelMap)
}

extension SettingValue {
  /// The latency or offset; nil for other values.
  var duration: Duration? { if case .duration(let duration) = self { duration } else { nil } }

  /// The volume; nil for other values.
  package var volume: ChannelVolumes? {
    if case .volume(let volume) = self { volume } else { nil }
  }
}

extension SettingValue? {
  /// For people, also where there is no object that could have the value.
  var shown: String { self?.description ?? "none" }
}

extension SettingValue: CustomStringConvertible {
  /// For people: `none`, `48000 Hz`, `10 ms`, `80 %`, `front-right,front-left of NAME`.
  package var description: String {
    switch self {
    case .absent: "none"
    case .name(let name): name
    case .rate(let rate): "\(rate) Hz"
    case .duration(let duration): Words.milliseconds(duration)
    case .volume(let volumes): Words.volume(volumes)
    case .flag(let flag): flag ? "on" : "off"
    case .remap(let spec):
      (spec.isMix ? "all channels mixed" : spec.masterMap.description) + " of \(spec.master)"
    case .channels(let map): map.description
    case .combination(let spec): spec.outputs.joined(separator: " and ")
    case .echoCanceller(let spec): "\(spec.method) between \(spec.input) and \(spec.output)"
    }
  }
}

extension SettingValue {
  /// The value in the form of the state's JSON; nil for none.
  package var stateValue: StateValue? {
    switch self {
    case .absent: nil
    case .name(let name): .string(name)
    case .rate(let rate): .number(Double(rate))
    case .duration(let duration): .number(duration.seconds)
    case .volume(let volumes): StateValue(fraction: volumes.loudest.fraction)
    case .flag(let flag): .flag(flag)
    case .remap(let spec): StateValue(spec.masterMap.positions)
    case .channels(let map): StateValue(map.positions)
    case .combination(let spec): .strings(spec.outputs)
    case .echoCanceller(let spec): .string(spec.method)
    }
  }
}
