/// The keys by which members of a snapshot's list are looked up.
enum PlaceKey: Sendable, Hashable {
  /// The server's index.
  case number(UInt32)
  /// The name.
  case name(String)
  /// The index of the card that a device belongs to.
  case card(UInt32)
  /// The index of the device that a stream is on.
  case device(UInt32)
  /// The index of the module that a stream belongs to.
  case module(UInt32)
  /// A property that the member has, with any value.
  case property(String)
}

/// The positions of a list's members by key. The object stays the same as long as no member is
/// added, removed or gets other keys.
final class Places<Member: Placed>: Sendable {
  private let places: [PlaceKey: [Int]]
  private let properties: [String]

  init(_ members: [Member], properties: [String]) {
    var places: [PlaceKey: [Int]] = [:]
    places.reserveCapacity(members.count * 2)
    for (place, member) in members.enumerated() {
      for key in member.keys(properties) { places[key, default: []].append(place) }
    }
    self.places = places
    self.properties = properties
  }

  /// The positions of the members with a key, in the order of the list; nil if the key is a
  /// property that is not indexed.
  func all(_ key: PlaceKey) -> [Int]? {
    if case .property(let name) = key, !properties.contains(name) { return nil }
    return places[key] ?? []
  }

  /// Whether one member may replace the other without a change of the index.
  func areAlike(_ one: Member, _ other: Member) -> Bool {
    one.keys(properties) == other.keys(properties)
  }
}

extension Device: Placed {
  func keys(_ properties: [String]) -> [PlaceKey] {
    [.number(number), .name(name)] + (card.map { [.card($0.rawValue)] } ?? [])
      + self.properties.keys(properties)
  }
}

extension Stream: Placed {
  func keys(_ properties: [String]) -> [PlaceKey] {
    [.number(number)] + (device.map { [.device($0.rawValue)] } ?? [])
      + (ownerModule.map { [.module($0.rawValue)] } ?? []) + self.properties.keys(properties)
  }
}

extension Module: Placed {
  func keys(_ properties: [String]) -> [PlaceKey] { [.number(number), .name(name)] }
}

extension Client: Placed {
  func keys(_ properties: [String]) -> [PlaceKey] {
    [.number(number)] + self.properties.keys(properties)
  }
}

extension [String: String] {
  fileprivate func keys(_ wanted: [String]) -> [PlaceKey] {
    wanted.filter { self[$0] != nil }.map(PlaceKey.property)
  }
}
