import PulseTypes

/// Programs that put processing between the devices and everybody, by the names of their devices.
private let filterPrograms = [
  "easyeffects": "EasyEffects", "pulseeffects": "PulseEffects", "nui_mic": "NoiseTorch",
  "noisetorch": "NoiseTorch", "rnnoise": "rnnoise", "cadmus": "Cadmus",
]

/// Modules that process sound.
private let filterModules: Set<String> = [
  "module-echo-cancel", "module-ladspa-sink", "module-ladspa-source", "module-equalizer-sink",
  "module-virtual-surround-sink", "module-virtual-source", "module-virtual-sink",
]

/// What PipeWire's own modules call the group of their nodes, before its number.
private let filterGroups = ["echo-cancel-", "filter-chain-"]

extension ServerSnapshot {
  /// What processes the sound of a device on its way, such as a module or a program; nil if nothing
  /// does. A remap chooses channels, and processes nothing.
  func processor(of device: Device) -> String? {
    let name = device.name.lowercased()
    if let known = filterPrograms.first(where: { name.contains($0.key) }) { return known.value }
    let module = module(of: device)?.name
    if let module, filterModules.contains(module) { return module }
    let group = device.linkGroup ?? ""
    if let found = filterGroups.first(where: group.hasPrefix) { return String(found.dropLast()) }
    let maker = module ?? device.driver
    guard device.properties["device.class"] == "filter", !maker.hasPrefix("module-remap-") else {
      return nil
    }
    return maker
  }

  /// A device, and what the modules that made it take their sound from, or give it to.
  func origins(of device: Device) -> [Device] {
    var result = [device]
    while result.count <= 8, let link = origin(of: result[result.count - 1]),
      let next = self.device(device.direction, at: link.device),
      !result.contains(where: { $0.name == next.name })
    {
      result.append(next)
    }
    return result
  }

  /// The stream that connects the maker of a device to another device.
  private func origin(of device: Device) -> Stream? {
    if let module = device.ownerModule,
      let stream = streams(device.direction, of: module).first
    {
      return stream
    }
    guard let group = device.linkGroup else { return nil }
    return streams(device.direction).first { $0.properties[Device.groupKey] == group }
  }
}

extension Device {
  /// The property that the devices and streams of one PipeWire module share.
  static let groupKey = "node.link-group"

  fileprivate var linkGroup: String? { properties[Self.groupKey] }
}
