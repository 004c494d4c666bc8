/// An object of the server.
protocol Indexed: Sendable {
  /// The server's index.
  var index: Index<Self> { get }
}

extension Indexed {
  var number: UInt32 { index.rawValue }
}

extension Card: Indexed {}

/// A member of one of a snapshot's lists, except the cards.
protocol Placed: Indexed, Equatable {
  /// The keys by which the member is looked up.
  ///
  /// - Parameter properties: the properties to index.
  func keys(_ properties: [String]) -> [PlaceKey]
}
