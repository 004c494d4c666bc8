import PulseTypes

extension PredictedServer {
  /// A free index; a server's indexes can be any numbers, including the highest.
  static func free(_ taken: [UInt32]) -> UInt32 {
    let highest = taken.filter { $0 < .max - 1 }.max() ?? 0
    guard taken.contains(highest + 1) else { return highest + 1 }
    let all = Set(taken)
    return (1..<UInt32.max).first { !all.contains($0) } ?? 0
  }

  func freeStreamIndex(_ direction: Direction) -> Index<Stream> {
    Index(Self.free(snapshot.streams(direction).map(\.index.rawValue)))
  }

  /// Removes a link of the session; its streams move to its master, as in PulseAudio.
  mutating func removeLink(_ setting: Setting, _ direction: Direction) {
    let barren = snapshot.chain.barrenModules(of: setting)
    snapshot.modules.removeAll { barren.contains($0.index) }
    let devices = Self.devices(direction)
    for device in snapshot.chain.ownedDevices(direction, of: setting) {
      let master = snapshot.chain.link(of: device)?.device
      let streams = Self.streams(direction)
      snapshot[keyPath: streams].removeAll {
        $0.ownerModule != nil && $0.ownerModule == device.ownerModule
      }
      for at in snapshot[keyPath: streams].indices
      where snapshot[keyPath: streams][at].device == device.index {
        snapshot[keyPath: streams][at].device = master
      }
      snapshot[keyPath: devices].removeAll { $0.name == device.name }
      snapshot.modules.removeAll { $0.index == device.ownerModule }
    }
  }

  mutating func addModule(_ name: String, _ argument: String) -> Index<Module> {
    let index = Index<Module>(Self.free(snapshot.modules.map(\.index.rawValue)))
    snapshot.modules.append(Module(index: index, name: name, argument: argument))
    return index
  }

  /// A device of the session, and the stream that connects it to its master.
  mutating func addDevice(
    _ direction: Direction, _ name: String, _ map: ChannelMap, _ properties: [String: String],
    of module: Index<Module>, on master: String, taking masterMap: ChannelMap
  ) {
    guard let master = snapshot.device(direction, named: master) else { return }
    let devices = Self.devices(direction)
    let index = Self.free(snapshot[keyPath: devices].map(\.index.rawValue))
    snapshot[keyPath: devices].append(
      Device(
        direction: direction, index: Index(index), name: name,
        sampleSpec: SampleSpec(
          format: master.sampleSpec.format, rate: master.sampleSpec.rate,
          channels: UInt8(clamping: map.count)),
        channelMap: map, ownerModule: module, properties: properties))
    snapshot[keyPath: Self.streams(direction)].append(
      Stream(
        direction: direction, index: freeStreamIndex(direction), ownerModule: module,
        device: master.index, sampleSpec: master.sampleSpec, channelMap: masterMap))
  }
}
