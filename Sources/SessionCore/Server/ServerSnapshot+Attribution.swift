package import PulseTypes

extension ServerSnapshot {
  /// The snapshot, completed with what a server omits: which module made a device and its stream.
  ///
  /// pipewire-pulse omits this for a module that makes several devices, such as an echo canceller.
  /// The module is then the one with the device's name among its arguments, and its streams are in
  /// the device's group.
  package var attributed: ServerSnapshot {
    guard has(.unattributedDevices) else { return self }
    var result = self
    for direction in Direction.allCases {
      let devices = direction == .input ? \ServerSnapshot.sources : \ServerSnapshot.sinks
      let streams = direction == .input ? \ServerSnapshot.sourceOutputs : \ServerSnapshot.sinkInputs
      let key = direction == .input ? "source_name" : "sink_name"
      for at in result[keyPath: devices].indices {
        let device = result[keyPath: devices][at]
        guard device.ownerModule == nil, let group = device.properties[Device.groupKey],
          let module = module(having: "\(key)=\(device.name)")
        else { continue }
        result[keyPath: devices][at].ownerModule = module
        for stream in result[keyPath: streams].indices
        where result[keyPath: streams][stream].properties[Device.groupKey] == group {
          result[keyPath: streams][stream].ownerModule = module
        }
      }
    }
    return result
  }

  private func module(having word: String) -> Index<Module>? {
    modules.last { $0.argument.split(separator: " ").contains { $0 == word } }?.index
  }
}
