package import PulseTypes

/// The inputs and outputs in use.
public struct Route: Sendable, Hashable, Codable {
  /// The input devices; empty without a device.
  public var inputs: [RouteDevice] = []
  /// The output devices; empty without a device.
  public var outputs: [RouteDevice] = []
}

extension Route: CustomStringConvertible {
  /// The devices by their names: inputs, an arrow, outputs.
  public var description: String {
    func names(_ devices: [RouteDevice]) -> String {
      devices.isEmpty ? "none" : devices.map(\.name).joined(separator: ", ")
    }
    return "\(names(inputs)) → \(names(outputs))"
  }
}

extension Route {
  /// Whether both use the same devices and ports, at whatever rate: PipeWire's devices change their
  /// rate when they start and stop.
  package func hasPlaces(of other: Route) -> Bool {
    func places(_ devices: [RouteDevice]) -> [[String?]] {
      devices.map { [$0.name, $0.port] + $0.via }
    }
    return places(inputs) == places(other.inputs) && places(outputs) == places(other.outputs)
  }
}

extension PlanInput {
  /// The session's route: that of its program's streams in scope `application`, or of the next one where
  /// there is none; otherwise that of all programs.
  var ownRoute: Route {
    var route = snapshot.route
    guard snapshot.isOfOneProgram else { return route }
    for direction in Direction.allCases {
      let meant = meantDevice(direction)
      guard let end = snapshot.viewersDevice(direction, beside: meant) ?? meant else { continue }
      let ends = snapshot.routeDevices(to: end)
      if direction == .input { route.inputs = ends } else { route.outputs = ends }
    }
    return route
  }

  /// The device on which a session of one program has its streams; nil if they follow the default.
  func meantDevice(_ direction: Direction) -> Device? {
    guard mode.preferences(direction).prefer != nil,
      let resolved = Resolution.tolerant(self).devices[direction], !resolved.isDefault
    else { return nil }
    return snapshot.device(direction, named: resolved.name)
  }
}

extension ServerSnapshot {
  /// The route that a program without its own session gets now.
  package var route: Route {
    Route(
      inputs: defaultDevice(.input).map(routeDevices) ?? [],
      outputs: defaultDevice(.output).map(routeDevices) ?? [])
  }

  /// The hardware under the device that programs use.
  fileprivate func routeDevices(to end: Device) -> [RouteDevice] {
    guard let root = chain.root(of: end), !isDummy(root) else { return [] }
    let links = chain.links(to: end)
    let roots =
      [root]
      + links.flatMap { masters(of: $0) }.filter {
        !isOwned($0) && $0.name != root.name
      }
    return roots.map { routeDevice($0, via: links.map(\.name)) }
  }

  /// A hardware device as an end of a route.
  package func routeDevice(_ device: Device, via: [String] = []) -> RouteDevice {
    let map =
      via.isEmpty
      ? device.channelMap : ChannelMapAspect.actual(self, device) ?? device.channelMap
    return RouteDevice(
      name: device.name, description: device.description, port: device.activePort,
      portType: device.portTypes(device.active).first, channels: map.count,
      sampleRate: Int(device.sampleSpec.rate), channelMap: map.positions, via: via)
  }
}
