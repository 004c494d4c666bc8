public import PulseTypes

/// How the session knows its own objects on a server: by a property, whoever's process made them.
public enum Owned {
  /// The `application.id` of our clients and streams.
  public static let applicationID = "org.audiosession"
  /// The property of our devices.
  public static let roleKey = "audiosession.role"
  /// Its value for a remap.
  public static let remapRole = "remap"
  /// Its value for both devices of an echo canceller.
  public static let echoRole = "echo"
  /// Its value for combined outputs.
  public static let combineRole = "combine"
  /// The property of combined outputs: the name of the first of them.
  public static let primaryKey = "audiosession.primary"
  /// The name of our combined outputs.
  public static let combineName = "audiosession.combined"
  /// The property of an echo canceller's source: its method and rate, `webrtc 48000`.
  public static let echoKey = "audiosession.echo"
  /// The property of our pin streams: `rate`, `latency`, or `others` for the trigger.
  public static let pinKey = "audiosession.pin"
  /// Its value for the stream whose presence makes the server silence or duck others.
  public static let triggerPin = "others"
  /// ``pinKey`` of a stream that shows what the server remembers of a program's.
  public static let memoryPin = "memory"
  /// ``pinKey`` of a stream that lets a device run while something is written to it.
  public static let wakePin = "wake"
  /// The property of a pin that is of a session of one program: the program's process id.
  public static let processKey = "audiosession.process"
  /// The property of a program's client, or of a stream, that says that the program's own session is
  /// about it.
  public static let scopeKey = "audiosession.scope"
  /// The property of a stream that its program opened on a device by name, and that stays there.
  public static let fixedKey = "audiosession.fixed"
  /// The property of a latency pin: the wished duration in microseconds.
  public static let pinLatencyKey = "audiosession.pin.latency"

  /// The properties that a session asks for again and again, wherever they are.
  public static let soughtProperties = [
    roleKey, pinKey, pinLatencyKey, scopeKey, HolderMark.key, "media.role", "wireplumber.daemon",
  ]

  /// The name of our remap of a direction.
  public static func name(_ direction: Direction) -> String {
    "audiosession.\(direction.rawValue)"
  }

  /// The name of our echo canceller's device of a direction.
  public static func echoName(_ direction: Direction) -> String {
    "audiosession.echo.\(direction.rawValue)"
  }

  /// Whether a device with this name is one of ours.
  public static func isName(_ name: String) -> Bool { name.hasPrefix("audiosession.") }
}

extension ServerSnapshot {
  /// Whether the session made the device, or it is the monitor of one that it made.
  public func isOwned(_ device: Device) -> Bool {
    if device.properties[Owned.roleKey] != nil { return true }
    guard device.isMonitor, let sink = device.monitor.flatMap({ self.device(.output, named: $0) })
    else { return false }
    return sink.properties[Owned.roleKey] != nil
  }

  /// Whether the stream is one of ours: a pin, or the stream of an owned device.
  public func isOwned(_ stream: Stream) -> Bool {
    if stream.properties[Owned.pinKey] != nil { return true }
    guard let module = stream.ownerModule else { return false }
    return ownedDevices(stream.direction).contains { $0.ownerModule == module }
  }

  /// Our devices of a direction, monitors apart.
  public func ownedDevices(_ direction: Direction) -> [Device] {
    // On PipeWire a monitor has its sink's properties.
    devices(direction, having: Owned.roleKey).filter { !$0.isMonitor }
  }

  /// The stream by which an owned device hangs on its master; of combined outputs the one on the
  /// first of them.
  public func link(of device: Device) -> Stream? {
    guard let module = device.ownerModule else { return nil }
    let links = streams(device.direction, of: module)
    guard let name = device.properties[Owned.primaryKey],
      let primary = self.device(device.direction, named: name)
    else { return links.first }
    return links.first { $0.device == primary.index } ?? links.first
  }

  /// Our devices of a direction that one setting stands for: the remap's, or the echo canceller's.
  public func ownedDevices(_ direction: Direction, of setting: Setting) -> [Device] {
    guard let role = setting.role(direction) else { return [] }
    return ownedDevices(direction).filter { $0.properties[Owned.roleKey] == role }
  }

  /// The devices that a link of ours has, of both directions.
  public func devices(of link: Setting) -> [Device] {
    Direction.allCases.flatMap { ownedDevices($0, of: link) }
  }

  /// The modules that a link of ours has: those of its devices, and any without one.
  public func modules(of link: Setting) -> Set<Index<Module>> {
    Set(devices(of: link).compactMap(\.ownerModule) + barrenModules(of: link))
  }

  /// Modules of a link of ours that have no device: PipeWire keeps one that it was making when its graph
  /// died.
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

  /// Whether one of our devices hangs on a device, directly or not.
  func stands(_ owned: Device, on device: Device) -> Bool {
    path(from: owned).dropFirst().contains { $0.name == device.name }
  }

  /// The current remap, as read from its link: its channels are its stream's map, and its master is
  /// the device that the stream is really on, whatever the module's argument names.
  public func remap(_ direction: Direction) -> RemapSpec? {
    guard let device = ownedDevices(direction, of: .chain(direction)).first,
      let link = link(of: device), let master = master(of: device)
    else { return nil }
    return RemapSpec(
      direction: direction, master: master.name, masterMap: link.channelMap, map: device.channelMap)
  }

  /// The echo canceller that stands now: its masters are where its two streams really are.
  public var echoCanceller: EchoCancellerSpec? {
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

  /// The device that one of ours hangs on.
  public func master(of device: Device) -> Device? {
    guard !device.isMonitor else { return nil }
    return link(of: device).flatMap { self.device(device.direction, at: $0.device) }
  }

  /// The hardware device at the root of a chain of ours; the device itself where it is not ours.
  public func root(of device: Device) -> Device? { path(from: device).last }

  /// A device and what it hangs on, down to the hardware; empty if a link is missing.
  private func path(from device: Device) -> [Device] {
    var path = [device]
    // A chain is two links long; one that bites its tail has no root.
    while isOwned(path[path.count - 1]) {
      guard path.count <= 8, let next = master(of: path[path.count - 1]) else { return [] }
      path.append(next)
    }
    return path
  }

  /// Our devices between the hardware and a device, that one included; the nearest the hardware
  /// first.
  public func links(to device: Device) -> [Device] { path(from: device).dropLast().reversed() }

  /// All of our devices that stand on a hardware device, directly or not.
  public func links(on hardware: Device) -> [Device] {
    ownedDevices(hardware.direction).filter { root(of: $0)?.name == hardware.name }
  }

  /// The hardware device behind the default.
  public func defaultRoot(_ direction: Direction) -> Device? {
    defaultDevice(direction).flatMap { root(of: $0) }
  }

  /// Streams of others on a device, in use or not; level meters and our own do not count.
  func foreignStreams(on device: Device) -> [Stream] {
    streams(on: device).filter { !isOwned($0) && !$0.isOnlooker }
  }

  /// What a person calls the program behind a stream.
  func programName(of stream: Stream) -> String {
    stream.properties["application.name"] ?? client(of: stream)?.name ?? stream.name
  }
}
