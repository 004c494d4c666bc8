package import PulseTypes

extension ServerSnapshot {
  /// The session's own devices, which stand before the hardware.
  package var chain: ChainView { ChainView(snapshot: self) }
}

/// The chains of a server: the session's devices, their masters, and the hardware at the root.
package struct ChainView: Sendable {
  let snapshot: ServerSnapshot

  /// The session's devices of a direction, without monitors.
  package func ownedDevices(_ direction: Direction) -> [Device] {
    // On PipeWire a monitor has its sink's properties.
    snapshot.devices(direction, having: Owned.roleKey).filter { !$0.isMonitor }
  }

  /// The stream that connects an owned device to its master; for combined outputs the one to the
  /// first of them.
  package func link(of device: Device) -> Stream? {
    guard let module = device.ownerModule else { return nil }
    let links = snapshot.streams(device.direction, of: module)
    guard let name = device.properties[Owned.primaryKey],
      let primary = snapshot.device(device.direction, named: name)
    else { return links.first }
    return links.first { $0.device == primary.index } ?? links.first
  }

  /// The session's devices of a direction for one setting: the remap's, or the echo canceller's.
  package func ownedDevices(_ direction: Direction, of setting: Setting) -> [Device] {
    guard let role = setting.role(direction) else { return [] }
    return ownedDevices(direction).filter { $0.properties[Owned.roleKey] == role }
  }

  /// The devices of a link, of both directions.
  package func devices(of link: Setting) -> [Device] {
    Direction.allCases.flatMap { ownedDevices($0, of: link) }
  }

  /// The modules of a link: those of its devices, and any without a device.
  package func modules(of link: Setting) -> Set<Index<Module>> {
    Set(devices(of: link).compactMap(\.ownerModule) + barrenModules(of: link))
  }

  /// Modules of a link without a device: PipeWire keeps a module that it was making when its graph
  /// ended.
  func barrenModules(of link: Setting) -> [Index<Module>] {
    guard snapshot.has(.unattributedDevices), let name = link.moduleName else { return [] }
    let modules = snapshot.modules(named: name)
    guard !modules.isEmpty else { return [] }
    let owners = Set(devices(of: link).map(\.ownerModule))
    let words = Set(
      Direction.allCases.map {
        ($0 == .input ? "source_name=" : "sink_name=") + link.deviceName($0)
      })
    return modules.filter { module in
      !owners.contains(module.index)
        && module.argument.split(separator: " ").contains { words.contains(String($0)) }
    }.map(\.index)
  }

  /// Whether one of the session's devices is on a device, directly or not.
  func stands(_ owned: Device, on device: Device) -> Bool {
    path(from: owned).dropFirst().contains { $0.name == device.name }
  }

  /// The current remap, as read from its link: its channels are its stream's map, and its master is
  /// the device that the stream is really on, whatever the module's argument names.
  package func remap(_ direction: Direction) -> RemapSpec? {
    guard let device = ownedDevices(direction, of: .chain(direction)).first,
      let link = link(of: device), let master = master(of: device)
    else { return nil }
    return RemapSpec(
      direction: direction, master: master.name, masterMap: link.channelMap, map: device.channelMap)
  }

  /// The current echo canceller; its masters are the devices that its two streams are really on.
  package var echoCanceller: EchoCancellerSpec? {
    guard let source = ownedDevices(.input, of: .echoCanceller).first,
      let sink = ownedDevices(.output, of: .echoCanceller)
        .first(where: { $0.ownerModule == source.ownerModule }),
      let input = master(of: source), let output = master(of: sink)
    else { return nil }
    let words = (source.properties[Owned.echoKey] ?? "").split(separator: " ").map(String.init)
    return EchoCancellerSpec(
      method: words.first ?? "", input: input.name, output: output.name, map: source.channelMap,
      rate: words.last.flatMap(Int.init) ?? 0)
  }

  /// The master of one of the session's devices.
  package func master(of device: Device) -> Device? {
    guard !device.isMonitor else { return nil }
    guard let link = link(of: device) else { return snapshot.masters(of: device).first }
    return snapshot.device(device.direction, at: link.device)
  }

  /// The hardware device at the root of a chain; the device itself if it is not the session's.
  package func root(of device: Device) -> Device? { path(from: device).last }

  /// Whether a remap has its sound from a device, or gives it to it, also through another link.
  func stands(_ remap: RemapSpec, on device: Device) -> Bool {
    guard let master = snapshot.device(remap.direction, named: remap.master) else { return false }
    return root(of: master)?.name == device.name
  }

  /// A device and its masters, down to the hardware; empty if one is missing.
  private func path(from device: Device) -> [Device] {
    var path = [device]
    // A chain has at most three links; a cycle has no root.
    while snapshot.isOwned(path[path.count - 1]) {
      guard path.count <= 8, let next = master(of: path[path.count - 1]) else { return [] }
      path.append(next)
    }
    return path
  }

  /// The session's devices between the hardware and a device, including the latter, starting at the
  /// hardware.
  package func links(to device: Device) -> [Device] { path(from: device).dropLast().reversed() }

  /// All of the session's devices on a hardware device, directly or not.
  package func links(on hardware: Device) -> [Device] {
    ownedDevices(hardware.direction).filter { root(of: $0)?.name == hardware.name }
  }

  /// Whether one of the session's devices has a separate volume, and not its master's.
  package func hasOwnVolume(_ owned: Device) -> Bool {
    snapshot.has(.ownCancellerVolumes) || owned.properties[Owned.roleKey] != Owned.echoRole
  }

  /// The names of the devices that the default leads to; of combined outputs all.
  func namesInUse(_ direction: Direction) -> Set<String> {
    let line = snapshot.defaultDevice(direction).map { path(from: $0) } ?? []
    return Set((line + line.flatMap { snapshot.masters(of: $0) }).map(\.name))
  }

  /// The hardware device at the root of the default.
  package func defaultRoot(_ direction: Direction) -> Device? {
    snapshot.defaultDevice(direction).flatMap { root(of: $0) }
  }
}
