/// An immutable picture of a server at one time: the main input of a plan.
public struct ServerSnapshot: Sendable, Hashable, Codable {
  /// The server's information about itself, with the names of the default devices.
  public var server: ServerInfo
  /// Sound cards.
  public var cards: [Card]
  /// The output devices.
  public var sinks: [Device] { didSet { places.sinks = nil } }
  /// The input devices, monitors included.
  public var sources: [Device] { didSet { places.sources = nil } }
  /// Playback streams.
  public var sinkInputs: [Stream] { didSet { places.sinkInputs = nil } }
  /// Record streams.
  public var sourceOutputs: [Stream] { didSet { places.sourceOutputs = nil } }
  /// Loaded modules.
  public var modules: [Module] { didSet { places.modules = nil } }
  /// Connected programs.
  public var clients: [Client] { didSet { places.clients = nil } }
  /// The process whose streams alone a session controls; nil for a session of the whole server.
  public var viewer: Int32?
  /// The index of the lists, as far as one was requested.
  var places = SnapshotPlaces()

  private enum CodingKeys: CodingKey {
    case server, cards, sinks, sources, sinkInputs, sourceOutputs, modules, clients, viewer
  }

  /// Makes a snapshot from the server's lists.
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
    first(devices(direction), places.devices(direction), .name(name)) { $0.name == name }
  }

  /// The device with this index.
  public func device(_ direction: Direction, at index: Index<Device>?) -> Device? {
    index.flatMap { index in
      first(devices(direction), places.devices(direction), .number(index.rawValue)) {
        $0.index == index
      }
    }
  }

  /// The devices that have a property, with any value.
  public func devices(_ direction: Direction, having property: String) -> [Device] {
    all(devices(direction), places.devices(direction), .property(property)) {
      $0.properties[property] != nil
    }
  }

  /// The devices of a card, monitors included.
  public func devices(_ direction: Direction, of card: Card) -> [Device] {
    all(devices(direction), places.devices(direction), .card(card.index.rawValue)) {
      $0.card == card.index
    }
  }

  /// The default source or sink, if it exists.
  public func defaultDevice(_ direction: Direction) -> Device? {
    server.defaultName(direction).flatMap { device(direction, named: $0) }
  }

  /// The record or the playback streams.
  public func streams(_ direction: Direction) -> [Stream] {
    direction == .input ? sourceOutputs : sinkInputs
  }

  /// The stream with this index.
  public func stream(_ direction: Direction, at index: Index<Stream>) -> Stream? {
    first(streams(direction), places.streams(direction), .number(index.rawValue)) {
      $0.index == index
    }
  }

  /// The streams on a device.
  public func streams(on device: Device) -> [Stream] { streams(on: device) { _ in true } }

  /// The streams on a device that satisfy a condition; no others are copied.
  package func streams(on device: Device, where isIncluded: (Stream) -> Bool) -> [Stream] {
    all(
      streams(device.direction), places.streams(device.direction), .device(device.index.rawValue),
      where: { $0.device == device.index }, and: isIncluded)
  }

  /// The streams of a module.
  public func streams(_ direction: Direction, of module: Index<Module>) -> [Stream] {
    all(streams(direction), places.streams(direction), .module(module.rawValue)) {
      $0.ownerModule == module
    }
  }

  /// The streams that have a property, with any value.
  public func streams(_ direction: Direction, having property: String) -> [Stream] {
    streams(direction, having: property) { _ in true }
  }

  /// The streams that have a property and satisfy a condition; no others are copied.
  package func streams(
    _ direction: Direction, having property: String, where isIncluded: (Stream) -> Bool
  ) -> [Stream] {
    all(
      streams(direction), places.streams(direction), .property(property),
      where: { $0.properties[property] != nil }, and: isIncluded)
  }

  /// The card with this name.
  public func card(named name: String) -> Card? { cards.first { $0.name == name } }

  /// The card a device belongs to.
  public func card(of device: Device) -> Card? {
    device.card.flatMap { index in cards.first { $0.index == index } }
  }

  /// The module that made a device.
  public func module(of device: Device) -> Module? {
    device.ownerModule.flatMap { module(at: $0) }
  }

  /// The module with this index.
  public func module(at index: Index<Module>) -> Module? {
    first(modules, places.modules, .number(index.rawValue)) { $0.index == index }
  }

  /// The modules with this name; a module may be loaded several times.
  public func modules(named name: String) -> [Module] {
    all(modules, places.modules, .name(name)) { $0.name == name }
  }

  /// Whether an object is listed; not of the server and its samples.
  package func lists(_ object: ObjectID) -> Bool {
    let index = object.index
    return switch object.facility {
    case .sink: device(.output, at: Index(index)) != nil
    case .source: device(.input, at: Index(index)) != nil
    case .sinkInput: stream(.output, at: Index(index)) != nil
    case .sourceOutput: stream(.input, at: Index(index)) != nil
    case .module: module(at: Index(index)) != nil
    case .client: client(at: Index(index)) != nil
    case .card: cards.contains { $0.index.rawValue == index }
    case .server, .sampleCache: false
    }
  }

  /// The client of a stream.
  public func client(of stream: Stream) -> Client? { stream.client.flatMap { client(at: $0) } }

  private func client(at index: Index<Client>) -> Client? {
    first(clients, places.clients, .number(index.rawValue)) { $0.index == index }
  }

  /// The clients that have a property, with any value.
  public func clients(having property: String) -> [Client] {
    all(clients, places.clients, .property(property)) { $0.properties[property] != nil }
  }

  private func first<Member: Placed>(
    _ list: [Member], _ places: Places<Member>?, _ key: PlaceKey, where isIt: (Member) -> Bool
  ) -> Member? {
    firstPlace(list, places, key, where: isIt).map { list[$0] }
  }

  func firstPlace<Member: Placed>(
    _ list: [Member], _ places: Places<Member>?, _ key: PlaceKey, where isIt: (Member) -> Bool
  ) -> Int? {
    guard let places = places?.all(key) else { return list.firstIndex(where: isIt) }
    return places.first
  }

  private func all<Member: Placed>(
    _ list: [Member], _ places: Places<Member>?, _ key: PlaceKey, where isIt: (Member) -> Bool,
    and isIncluded: (Member) -> Bool = { _ in true }
  ) -> [Member] {
    guard let places = places?.all(key) else { return list.filter { isIt($0) && isIncluded($0) } }
    return places.filter { isIncluded(list[$0]) }.map { list[$0] }
  }
}
