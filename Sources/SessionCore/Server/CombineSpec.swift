package import PulseTypes

/// The session's combined outputs: a virtual sink that plays on several outputs at once.
package struct CombineSpec: Sendable, Hashable, Codable, LinkSpec {
  /// The sinks that play, sorted by name.
  package var outputs: [String]
  /// The output to which rate, buffer and levels apply: the first preferred one.
  package var primary: String
  /// The channels of the combined sink: the primary's.
  package var map: ChannelMap

  package init(outputs: [String], primary: String, map: ChannelMap) {
    self.outputs = outputs.sorted()
    self.primary = primary
    self.map = map
  }

  package static let moduleName = "module-combine-sink"

  var masters: [NamedDevice] { outputs.map { NamedDevice(direction: .output, name: $0) } }

  package var moduleArgument: String {
    ModuleArguments.render([
      ("sink_name", .text(Owned.combineName)),
      (
        "sink_properties",
        .properties([
          (Owned.roleKey, Owned.combineRole),
          (Owned.primaryKey, primary),
          ("device.description", "Audio session, several outputs"),
        ])
      ),
      // The first of them is the one whose clock the others follow.
      ("slaves", .text(([primary] + outputs.filter { $0 != primary }).joined(separator: ","))),
      ("channels", .text(String(map.count))),
      ("channel_map", .text(map.description)),
    ])
  }
}

extension ServerSnapshot {
  /// The current combined outputs: those that its streams are really on, or will be on once it plays.
  package var combination: CombineSpec? {
    guard let sink = chain.ownedDevices(.output, of: .combination).first,
      let primary = sink.properties[Owned.primaryKey]
    else { return nil }
    return CombineSpec(
      outputs: masters(of: sink).map(\.name), primary: primary, map: sink.channelMap)
  }

  /// The masters of one of the session's devices; only combined outputs have several.
  package func masters(of device: Device) -> [Device] {
    guard !device.isMonitor, let module = device.ownerModule else { return [] }
    let links = streams(device.direction, of: module)
    guard links.isEmpty else {
      return links.compactMap { self.device(device.direction, at: $0.device) }
    }
    return sleepingOutputs(of: device, module)
  }

  /// PulseAudio ends the streams of combined outputs while nothing plays, and opens them again on the outputs
  /// of the module's argument.
  private func sleepingOutputs(of device: Device, _ module: Index<Module>) -> [Device] {
    guard device.state == .suspended, device.properties[Owned.primaryKey] != nil else { return [] }
    let names = modules.first { $0.index == module }?.value(of: "slaves") ?? ""
    return names.split(separator: ",").compactMap { self.device(.output, named: String($0)) }
  }
}
