public import JSONCoding
public import PulseTypes

/// One end of the route: the hardware that is in use, and what stands before it.
public struct RouteDevice: Sendable, Hashable, Codable, EncodableWithNulls {
  /// The server's name of the hardware source or sink.
  public var name: String
  /// The words for people.
  public var description: String
  /// The name of the port in use.
  public var port: String?
  /// What the port is.
  public var portType: PortType?
  /// The number of channels that programs hear.
  public var channels: Int
  /// Hz, of the hardware.
  public var sampleRate: Int
  /// The hardware channels that programs hear, in order.
  public var channelMap: [ChannelPosition]
  /// Our devices between the hardware and the programs, the nearest the hardware first.
  public var via: [String]
}

/// The inputs and outputs in use.
public struct Route: Sendable, Hashable, Codable {
  /// Where sound comes from; empty where there is no device.
  public var inputs: [RouteDevice]
  /// Where sound goes; empty where there is no device.
  public var outputs: [RouteDevice]

  /// Makes a route.
  public init(inputs: [RouteDevice] = [], outputs: [RouteDevice] = []) {
    self.inputs = inputs
    self.outputs = outputs
  }
}

extension Route {
  /// Whether both go by the same devices and ports, at whatever rate: PipeWire's devices change theirs
  /// as they run and rest.
  package func hasPlaces(of other: Route) -> Bool {
    func places(_ devices: [RouteDevice]) -> [[String?]] {
      devices.map { [$0.name, $0.port] + $0.via }
    }
    return places(inputs) == places(other.inputs) && places(outputs) == places(other.outputs)
  }
}

extension PlanInput {
  /// The route of the session: for one of a single program that of its streams, else everybody's.
  var ownRoute: Route {
    var route = snapshot.route
    guard snapshot.isOfOneProgram else { return route }
    let resolution = Resolution.tolerant(self)
    for direction in Direction.allCases {
      guard let resolved = resolution.devices[direction], !resolved.isDefault,
        wish.wish(direction).prefer != nil,
        let device = snapshot.device(direction, named: resolved.name)
      else { continue }
      let ends = [snapshot.routeDevice(device)]
      if direction == .input { route.inputs = ends } else { route.outputs = ends }
    }
    return route
  }
}

extension ServerSnapshot {
  /// The route that a program with no wish of its own gets now.
  public var route: Route {
    Route(inputs: routeDevices(.input), outputs: routeDevices(.output))
  }

  private func routeDevices(_ direction: Direction) -> [RouteDevice] {
    guard let end = defaultDevice(direction), let root = root(of: end), !isDummy(root) else {
      return []
    }
    let links = links(to: end)
    let roots =
      [root]
      + links.flatMap { masters(of: $0) }.filter {
        !isOwned($0) && $0.name != root.name
      }
    return roots.map { routeDevice($0, via: links.map(\.name)) }
  }

  /// A hardware device as an end of a route.
  public func routeDevice(_ device: Device, via: [String] = []) -> RouteDevice {
    let map =
      via.isEmpty
      ? device.channelMap : ChannelMapAspect.actual(self, device) ?? device.channelMap
    return RouteDevice(
      name: device.name, description: device.description, port: device.activePort,
      portType: device.portTypes(device.active).first, channels: map.count,
      sampleRate: Int(device.sampleSpec.rate), channelMap: map.positions, via: via)
  }
}
