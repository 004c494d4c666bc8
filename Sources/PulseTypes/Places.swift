/// What members of a snapshot's list are asked for by.
enum PlaceKey: Sendable, Hashable {
  /// The server's number.
  case number(UInt32)
  /// The name.
  case name(String)
  /// The number of the card that a device belongs to.
  case card(UInt32)
  /// The number of the device that a stream is on.
  case device(UInt32)
  /// The number of the module that a stream belongs to.
  case module(UInt32)
  /// A property that it has, whatever the value.
  case property(String)
}

/// A member of one of a snapshot's lists.
protocol Placed: Sendable {
  /// The server's number.
  var number: UInt32 { get }
  /// What it is asked for by.
  ///
  /// - Parameter properties: the properties that are of interest.
  func keys(_ properties: [String]) -> [PlaceKey]
}

/// Where the members of a list are, by what they are asked for by. As long as no member comes, goes
/// or gets other keys it is the same object.
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

  /// Where those with a key are, in the order of the list; nil where nobody kept account of it.
  func all(_ key: PlaceKey) -> [Int]? {
    if case .property(let name) = key, !properties.contains(name) { return nil }
    return places[key] ?? []
  }

  /// Whether one may take the other's place without a change here.
  func areAlike(_ one: Member, _ other: Member) -> Bool {
    one.keys(properties) == other.keys(properties)
  }
}

extension Device: Placed {
  var number: UInt32 { index.rawValue }

  func keys(_ properties: [String]) -> [PlaceKey] {
    [.number(number), .name(name)] + (card.map { [.card($0.rawValue)] } ?? [])
      + self.properties.keys(properties)
  }
}

extension Stream: Placed {
  var number: UInt32 { index.rawValue }

  func keys(_ properties: [String]) -> [PlaceKey] {
    [.number(number)] + (device.map { [.device($0.rawValue)] } ?? [])
      + (ownerModule.map { [.module($0.rawValue)] } ?? []) + self.properties.keys(properties)
  }
}

extension Module: Placed {
  var number: UInt32 { index.rawValue }

  func keys(_ properties: [String]) -> [PlaceKey] { [.number(number), .name(name)] }
}

extension Client: Placed {
  var number: UInt32 { index.rawValue }

  func keys(_ properties: [String]) -> [PlaceKey] {
    [.number(number)] + self.properties.keys(properties)
  }
}

extension [String: String] {
  fileprivate func keys(_ wanted: [String]) -> [PlaceKey] {
    wanted.filter { self[$0] != nil }.map(PlaceKey.property)
  }
}
