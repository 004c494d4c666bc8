/// Where everything is in a snapshot's lists. A list that is changed loses its part, and is searched
/// from its beginning until `ServerSnapshot.findPlaces` makes it anew.
///
/// It says nothing that the lists do not: two snapshots are equal whatever they hold of it.
struct SnapshotPlaces: Sendable, Hashable {
  /// The properties by which to find members; nil where nobody asked for places.
  var properties: [String]?
  var sinks: Places<Device>?
  var sources: Places<Device>?
  var sinkInputs: Places<Stream>?
  var sourceOutputs: Places<Stream>?
  var modules: Places<Module>?
  var clients: Places<Client>?

  static func == (one: SnapshotPlaces, other: SnapshotPlaces) -> Bool { true }

  func hash(into hasher: inout Hasher) {}

  func devices(_ direction: Direction) -> Places<Device>? {
    direction == .input ? sources : sinks
  }

  func streams(_ direction: Direction) -> Places<Stream>? {
    direction == .input ? sourceOutputs : sinkInputs
  }
}

extension ServerSnapshot {
  /// Keeps account of where everything is, so that nothing asked for by name, number, device, module
  /// or one of these properties is searched for.
  public mutating func findPlaces(properties: [String]) {
    if places.properties != properties { places = SnapshotPlaces(properties: properties) }
    findLostPlaces()
  }

  /// Finds the places of lists that were changed since; nothing where nobody asked for places.
  public mutating func findLostPlaces() {
    guard let properties = places.properties else { return }
    places.sinks = places.sinks ?? Places(sinks, properties: properties)
    places.sources = places.sources ?? Places(sources, properties: properties)
    places.sinkInputs = places.sinkInputs ?? Places(sinkInputs, properties: properties)
    places.sourceOutputs = places.sourceOutputs ?? Places(sourceOutputs, properties: properties)
    places.modules = places.modules ?? Places(modules, properties: properties)
    places.clients = places.clients ?? Places(clients, properties: properties)
  }

  /// Whether both are known to list the same devices under the same names; false says nothing.
  public func surelyHasDevices(of other: ServerSnapshot) -> Bool {
    guard let sinks = places.sinks, let sources = places.sources else { return false }
    return sinks === other.places.sinks && sources === other.places.sources
  }
}
