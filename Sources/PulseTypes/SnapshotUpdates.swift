/// What became of some objects of a server, for a snapshot to take at once.
public struct SnapshotUpdates: Sendable {
  private var server: ServerInfo?
  private var cards: [UInt32: Card?] = [:]
  private var sinks: [UInt32: Device?] = [:]
  private var sources: [UInt32: Device?] = [:]
  private var sinkInputs: [UInt32: Stream?] = [:]
  private var sourceOutputs: [UInt32: Stream?] = [:]
  private var modules: [UInt32: Module?] = [:]
  private var clients: [UInt32: Client?] = [:]

  /// Begins without any.
  public init() {}

  /// Adds what the server says of itself now.
  public mutating func set(_ server: ServerInfo) { self.server = server }

  /// Adds a card as it is now, or as gone where there is none.
  public mutating func set(at index: Index<Card>, to card: Card?) {
    cards.updateValue(card, forKey: index.rawValue)
  }

  /// Adds a device as it is now, or as gone where there is none.
  public mutating func set(_ direction: Direction, at index: Index<Device>, to device: Device?) {
    switch direction {
    case .input: sources.updateValue(device, forKey: index.rawValue)
    case .output: sinks.updateValue(device, forKey: index.rawValue)
    }
  }

  /// Adds a stream as it is now, or as gone where there is none.
  public mutating func set(_ direction: Direction, at index: Index<Stream>, to stream: Stream?) {
    switch direction {
    case .input: sourceOutputs.updateValue(stream, forKey: index.rawValue)
    case .output: sinkInputs.updateValue(stream, forKey: index.rawValue)
    }
  }

  /// Adds a module as it is now, or as gone where there is none.
  public mutating func set(at index: Index<Module>, to module: Module?) {
    modules.updateValue(module, forKey: index.rawValue)
  }

  /// Adds a client as it is now, or as gone where there is none.
  public mutating func set(at index: Index<Client>, to client: Client?) {
    clients.updateValue(client, forKey: index.rawValue)
  }

  fileprivate func apply(to snapshot: inout ServerSnapshot) {
    if let server { snapshot.server = server }
    cards.apply(to: &snapshot.cards) { $0.index.rawValue }
    snapshot.take(sinks, \.sinks, \.places.sinks)
    snapshot.take(sources, \.sources, \.places.sources)
    snapshot.take(sinkInputs, \.sinkInputs, \.places.sinkInputs)
    snapshot.take(sourceOutputs, \.sourceOutputs, \.places.sourceOutputs)
    snapshot.take(modules, \.modules, \.places.modules)
    snapshot.take(clients, \.clients, \.places.clients)
  }
}

extension ServerSnapshot {
  /// Takes objects as they are now, each list in one pass: new ones come last, in the order of their
  /// numbers.
  public mutating func take(_ updates: SnapshotUpdates) { updates.apply(to: &self) }

  fileprivate mutating func take<Member: Placed>(
    _ updates: [UInt32: Member?], _ list: WritableKeyPath<ServerSnapshot, [Member]>,
    _ kept: WritableKeyPath<ServerSnapshot, Places<Member>?>
  ) {
    guard !updates.isEmpty else { return }
    guard let places = self[keyPath: kept], let replaced = places.replaced(by: updates) else {
      updates.apply(to: &self[keyPath: list]) { $0.number }
      return
    }
    let isSame = replaced.allSatisfy { places.areAlike(self[keyPath: list][$0], $1) }
    for (place, member) in replaced { self[keyPath: list][place] = member }
    // Changing the list has lost them.
    if isSame { self[keyPath: kept] = places }
  }
}

extension Places {
  /// The members that take the place of others; nil where one comes or goes.
  fileprivate func replaced(by updates: [UInt32: Member?]) -> [(Int, Member)]? {
    var result: [(Int, Member)] = []
    for (number, member) in updates {
      switch (all(.number(number))?.first, member) {
      case (let place?, let member?): result.append((place, member))
      case (nil, nil): break
      default: return nil
      }
    }
    return result
  }
}

extension Dictionary where Key == UInt32 {
  fileprivate func apply<Member>(
    to list: inout [Member], number: (Member) -> UInt32
  ) where Value == Member? {
    guard !isEmpty else { return }
    var new = compactMapValues { $0 }
    var hasGone = false
    for place in list.indices {
      guard let update = self[number(list[place])] else { continue }
      if let member = update {
        list[place] = member
        new[number(member)] = nil
      } else {
        hasGone = true
      }
    }
    if hasGone {
      list.removeAll { if case .some(nil) = self[number($0)] { true } else { false } }
    }
    list.append(contentsOf: new.values.sorted { number($0) < number($1) })
  }
}
