public import PulseTypes

/// How the session knows its own objects on a server: by a property, whoever's process made them.
public enum Owned {
  /// The `application.id` of our clients and streams.
  public static let applicationID = "org.audiosession"
  /// The property of our devices.
  public static let roleKey = "audiosession.role"
  /// Its value for a remap.
  public static let remapRole = "remap"
  /// The property of our pin streams: `rate` or `latency`.
  public static let pinKey = "audiosession.pin"
  /// The property of a latency pin: the wished duration in microseconds.
  public static let pinLatencyKey = "audiosession.pin.latency"

  /// The name of our device of a direction.
  public static func name(_ direction: Direction) -> String {
    "audiosession.\(direction.rawValue)"
  }
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
    devices(direction).filter { $0.properties[Owned.roleKey] != nil }
  }

  /// The stream by which an owned device hangs on its master.
  public func link(of device: Device) -> Stream? {
    device.ownerModule.flatMap { module in
      streams(device.direction).first { $0.ownerModule == module }
    }
  }

  /// The remap that stands now, read from its link: what it takes is its stream's map, and its
  /// master is where the stream really is, whatever the module was told.
  public func remap(_ direction: Direction) -> RemapSpec? {
    guard let device = ownedDevices(direction).first, let link = link(of: device),
      let master = self.device(direction, at: link.device)
    else { return nil }
    return RemapSpec(
      direction: direction, master: master.name, masterMap: link.channelMap, map: device.channelMap)
  }

  /// The hardware device at the root of a chain of ours; the device itself where it is not ours.
  public func root(of device: Device) -> Device? {
    guard isOwned(device) else { return device }
    return link(of: device).flatMap { self.device(device.direction, at: $0.device) }
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
