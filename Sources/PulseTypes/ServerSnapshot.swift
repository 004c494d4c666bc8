/// An immutable picture of a server at one moment: everything a plan is made from.
public struct ServerSnapshot: Sendable, Hashable, Codable {
  /// What the server says of itself, with the names of the default devices.
  public var server: ServerInfo
  /// Sound cards.
  public var cards: [Card]
  /// Where sound goes.
  public var sinks: [Device]
  /// Where sound comes from, monitors included.
  public var sources: [Device]
  /// Playback streams.
  public var sinkInputs: [Stream]
  /// Record streams.
  public var sourceOutputs: [Stream]
  /// Loaded modules.
  public var modules: [Module]
  /// Connected programs.
  public var clients: [Client]
  /// The process whose own streams alone a session is about; nil for a session of the whole server.
  public var viewer: Int32?

  /// Makes a snapshot from lists, as the server gives them.
  public init(
    server: ServerInfo, cards: [Card] = [], sinks: [Device] = [], sources: [Device] = [],
    sinkInputs: [Stream] = [], sourceOutputs: [Stream] = [], modules: [Module] = [],
    clients: [Client] = []
  ) {
    self.server = server
    self.cards = cards
    self.sinks = sinks
    self.sources = sources
    self.sinkInputs = sinkInputs
    self.sourceOutputs = sourceOutputs
    self.modules = modules
    self.clients = clients
  }
}

extension ServerSnapshot {
  /// The sources or the sinks.
  public func devices(_ direction: Direction) -> [Device] {
    direction == .input ? sources : sinks
  }

  /// The device with this name.
  public func device(_ direction: Direction, named name: String) -> Device? {
    devices(direction).first { $0.name == name }
  }

  /// The device with this index.
  public func device(_ direction: Direction, at index: Index<Device>?) -> Device? {
    index.flatMap { index in devices(direction).first { $0.index == index } }
  }

  /// The default source or sink, where there is one and it exists.
  public func defaultDevice(_ direction: Direction) -> Device? {
    server.defaultName(direction).flatMap { device(direction, named: $0) }
  }

  /// The record or the playback streams.
  public func streams(_ direction: Direction) -> [Stream] {
    direction == .input ? sourceOutputs : sinkInputs
  }

  /// The streams on a device.
  public func streams(on device: Device) -> [Stream] {
    streams(device.direction).filter { $0.device == device.index }
  }

  /// The card with this name.
  public func card(named name: String) -> Card? { cards.first { $0.name == name } }

  /// The card a device belongs to.
  public func card(of device: Device) -> Card? {
    device.card.flatMap { index in cards.first { $0.index == index } }
  }

  /// The module that made a device.
  public func module(of device: Device) -> Module? {
    device.ownerModule.flatMap { index in modules.first { $0.index == index } }
  }

  /// The client of a stream.
  public func client(of stream: Stream) -> Client? {
    stream.client.flatMap { index in clients.first { $0.index == index } }
  }
}
