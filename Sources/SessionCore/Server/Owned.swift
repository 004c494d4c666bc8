package import PulseTypes

/// How the session recognizes its own objects on a server, whichever process made them: by a
/// property.
package enum Owned {
  /// The `application.id` of the session's clients and streams.
  package static let applicationID = "org.audiosession"
  /// The property of the session's devices.
  package static let roleKey = "audiosession.role"
  /// Its value for a remap.
  package static let remapRole = "remap"
  /// Its value for both devices of an echo canceller.
  package static let echoRole = "echo"
  /// Its value for combined outputs.
  package static let combineRole = "combine"
  /// The property of combined outputs: the name of the first of them.
  package static let primaryKey = "audiosession.primary"
  /// The name of the session's combined outputs.
  package static let combineName = "audiosession.combined"
  /// The property of an echo canceller's source: its method and rate, `webrtc 48000`.
  package static let echoKey = "audiosession.echo"
  /// The property of the session's pins: `rate`, `latency`, or `others` for the trigger.
  package static let pinKey = "audiosession.pin"
  /// Its value for the stream that makes the server silence or duck others.
  package static let triggerPin = "others"
  /// The value of ``pinKey`` for a stream that has the stored values of a program's streams.
  package static let memoryPin = "memory"
  /// The value of ``pinKey`` for a stream that runs a device while a value is written to it.
  package static let wakePin = "wake"
  /// The property of a pin of a session of one program: the program's process id.
  package static let processKey = "audiosession.process"
  /// The property of a program's client or stream whose own session routes the streams.
  package static let scopeKey = "audiosession.scope"
  /// The property of a stream that its program opened on a device by name, so that it stays there.
  package static let fixedKey = "audiosession.fixed"
  /// The property of a latency pin: the preferred duration in microseconds.
  package static let pinLatencyKey = "audiosession.pin.latency"

  /// The properties by which a session often looks up objects.
  package static let soughtProperties = [
    roleKey, pinKey, pinLatencyKey, scopeKey, HolderMark.key, "media.role", "wireplumber.daemon",
  ]

  /// The name of the session's remap of a direction.
  package static func name(_ direction: Direction) -> String {
    "audiosession.\(direction.rawValue)"
  }

  /// The name of the echo canceller's device of a direction.
  package static func echoName(_ direction: Direction) -> String {
    "audiosession.echo.\(direction.rawValue)"
  }

  /// Whether a device with this name belongs to the session.
  package static func isName(_ name: String) -> Bool { name.hasPrefix("audiosession.") }
}

extension ServerSnapshot {
  /// Whether the session made the device, or it is the monitor of one that it made.
  package func isOwned(_ device: Device) -> Bool {
    if device.properties[Owned.roleKey] != nil { return true }
    guard device.isMonitor, let sink = device.monitor.flatMap({ self.device(.output, named: $0) })
    else { return false }
    return sink.properties[Owned.roleKey] != nil
  }

  /// Whether the stream belongs to the session: a pin, or the stream of an owned device.
  package func isOwned(_ stream: Stream) -> Bool {
    if stream.properties[Owned.pinKey] != nil { return true }
    guard let module = stream.ownerModule else { return false }
    return ownedDevices(stream.direction).contains { $0.ownerModule == module }
  }

  /// The session's devices of a direction, without monitors.
  package func ownedDevices(_ direction: Direction) -> [Device] {
    // On PipeWire a monitor has its sink's properties.
    devices(direction, having: Owned.roleKey).filter { !$0.isMonitor }
  }

  /// The stream that connects an owned device to its master; for combined outputs the one to the
  /// first of them.
  package func link(of device: Device) -> Stream? {
    guard let module = device.ownerModule else { return nil }
    let links = streams(device.direction, of: module)
    guard let name = device.properties[Owned.primaryKey],
      let primary = self.device(device.direction, named: name)
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
    guard has(.unattributedDevices), let name = link.moduleName else { return [] }
    let owners = Set(devices(of: link).map(\.ownerModule))
    let words = Set(
      Direction.allCases.map {
        ($0 == .input ? "source_name=" : "sink_name=") + link.deviceName($0)
      })
    return modules(named: name).filter { module in
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
    return link(of: device).flatMap { self.device(device.direction, at: $0.device) }
  }

  /// The hardware device at the root of a chain; the device itself if it is not the session's.
  package func root(of device: Device) -> Device? { path(from: device).last }

  /// A device and its masters, down to the hardware; empty if one is missing.
  private func path(from device: Device) -> [Device] {
    var path = [device]
    // A chain has at most three links; a cycle has no root.
    while isOwned(path[path.count - 1]) {
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

  /// The hardware device at the root of the default.
  package func defaultRoot(_ direction: Direction) -> Device? {
    defaultDevice(direction).flatMap { root(of: $0) }
  }

  /// Other programs' streams on a device, running or not, without level meters and the session's
  /// own.
  func foreignStreams(on device: Device) -> [Stream] {
    streams(on: device).filter { !isOwned($0) && !$0.isOnlooker }
  }

  /// The name of a stream's program, for users.
  func programName(of stream: Stream) -> String {
    stream.properties["application.name"] ?? client(of: stream)?.name ?? stream.name
  }
}
