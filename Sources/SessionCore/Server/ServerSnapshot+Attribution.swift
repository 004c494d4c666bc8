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
      let devicePath = direction == .input ? \ServerSnapshot.sources : \ServerSnapshot.sinks
      let streamPath =
        direction == .input ? \ServerSnapshot.sourceOutputs : \ServerSnapshot.sinkInputs
      let key = direction == .input ? "source_name" : "sink_name"
      // By their places: devices and streams are large to copy.
      let (devices, streams) = (devices(direction), streams(direction))
      for at in devices.indices where devices[at].ownerModule == nil {
        guard let group = devices[at].properties[Device.groupKey],
          let module = module(having: "\(key)=\(devices[at].name)")
        else { continue }
        result[keyPath: devicePath][at].ownerModule = module
        for place in streams.indices where streams[place].properties[Device.groupKey] == group {
          result[keyPath: streamPath][place].ownerModule = module
        }
      }
    }
    return result
  }

  private func module(having word: String) -> Index<Module>? {
    modules.last { $0.argument.split(separator: " ").contains { $0 == word } }?.index
  }
}
