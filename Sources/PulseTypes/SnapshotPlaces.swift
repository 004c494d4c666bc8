/// An index of a snapshot's lists. A list that changes loses its part of the index, and is searched
/// linearly until `ServerSnapshot.findPlaces` restores it.
///
/// The index only repeats what the lists have, so it does not count when two snapshots are
/// compared.
struct SnapshotPlaces: Sendable, Hashable {
  /// The properties by which to find members; nil if no index was requested.
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
  /// Indexes the snapshot, so that lookups by name, index, device, module or one of these
  /// properties need no search.
  package mutating func findPlaces(properties: [String]) {
    if places.properties != properties { places = SnapshotPlaces(properties: properties) }
    findLostPlaces()
  }

  /// Restores the index of lists that have changed; has no effect if no index was requested.
  package mutating func findLostPlaces() {
    guard let properties = places.properties else { return }
    places.sinks = places.sinks ?? Places(sinks, properties: properties)
    places.sources = places.sources ?? Places(sources, properties: properties)
    places.sinkInputs = places.sinkInputs ?? Places(sinkInputs, properties: properties)
    places.sourceOutputs = places.sourceOutputs ?? Places(sourceOutputs, properties: properties)
    places.modules = places.modules ?? Places(modules, properties: properties)
    places.clients = places.clients ?? Places(clients, properties: properties)
  }

  /// Takes the lists and indexes of a former snapshot, as far as they are the same: a whole reading then
  /// leaves unchanged what has not changed.
  package mutating func keep(_ former: ServerSnapshot) {
    guard let properties = former.places.properties else { return }
    places = SnapshotPlaces(properties: properties)
    if cards == former.cards { cards = former.cards }
    // The list first: setting it drops its index.
    (sinks, places.sinks) = Self.kept(sinks, former.sinks, former.places.sinks)
    (sources, places.sources) = Self.kept(sources, former.sources, former.places.sources)
    (sinkInputs, places.sinkInputs) = Self.kept(
      sinkInputs, former.sinkInputs, former.places.sinkInputs)
    (sourceOutputs, places.sourceOutputs) = Self.kept(
      sourceOutputs, former.sourceOutputs, former.places.sourceOutputs)
    (modules, places.modules) = Self.kept(modules, former.modules, former.places.modules)
    (clients, places.clients) = Self.kept(clients, former.clients, former.places.clients)
  }

  private static func kept<Member: Placed>(
    _ list: [Member], _ former: [Member], _ places: Places<Member>?
  ) -> ([Member], Places<Member>?) {
    guard let places, list.count == former.count else { return (list, nil) }
    if list == former { return (former, places) }
    let isSame = list.indices.allSatisfy { places.areAlike(list[$0], former[$0]) }
    return (list, isSame ? places : nil)
  }

  /// Whether both are known to list the same devices under the same names; false if that is
  /// unknown.
  package func surelyHasDevices(of other: ServerSnapshot) -> Bool {
    guard let sinks = places.sinks, let sources = places.sources else { return false }
    return sinks === other.places.sinks && sources === other.places.sources
  }
}
