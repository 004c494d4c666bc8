/// Changes of a server's objects, which a snapshot adopts at once.
package struct SnapshotUpdates: Sendable {
  private var server: ServerInfo?
  private var cards: [UInt32: Card?] = [:]
  private var sinks: [UInt32: Device?] = [:]
  private var sources: [UInt32: Device?] = [:]
  private var sinkInputs: [UInt32: Stream?] = [:]
  private var sourceOutputs: [UInt32: Stream?] = [:]
  private var modules: [UInt32: Module?] = [:]
  private var clients: [UInt32: Client?] = [:]

  package init() {}

  /// Sets the server's current information.
  package mutating func set(_ server: ServerInfo) { self.server = server }

  /// Sets the current value of a card; nil if it was removed.
  package mutating func set(at index: Index<Card>, to card: Card?) {
    cards.updateValue(card, forKey: index.rawValue)
  }

  /// Sets the current value of a device; nil if it was removed.
  package mutating func set(_ direction: Direction, at index: Index<Device>, to device: Device?) {
    switch direction {
    case .input: sources.updateValue(device, forKey: index.rawValue)
    case .output: sinks.updateValue(device, forKey: index.rawValue)
    }
  }

  /// Sets the current value of a stream; nil if it was removed.
  package mutating func set(_ direction: Direction, at index: Index<Stream>, to stream: Stream?) {
    switch direction {
    case .input: sourceOutputs.updateValue(stream, forKey: index.rawValue)
    case .output: sinkInputs.updateValue(stream, forKey: index.rawValue)
    }
  }

  /// Sets the current value of a module; nil if it was removed.
  package mutating func set(at index: Index<Module>, to module: Module?) {
    modules.updateValue(module, forKey: index.rawValue)
  }

  /// Sets the current value of a client; nil if it was removed.
  package mutating func set(at index: Index<Client>, to client: Client?) {
    clients.updateValue(client, forKey: index.rawValue)
  }

  fileprivate func apply(to snapshot: inout ServerSnapshot) {
    if let server { snapshot.server = server }
    cards.apply(to: &snapshot.cards)
    snapshot.take(sinks, \.sinks, \.places.sinks)
    snapshot.take(sources, \.sources, \.places.sources)
    snapshot.take(sinkInputs, \.sinkInputs, \.places.sinkInputs)
    snapshot.take(sourceOutputs, \.sourceOutputs, \.places.sourceOutputs)
    snapshot.take(modules, \.modules, \.places.modules)
    snapshot.take(clients, \.clients, \.places.clients)
  }
}

extension ServerSnapshot {
  /// Adopts the changed objects, each list in one pass; new objects come last, in the order of
  /// their indexes.
  package mutating func take(_ updates: SnapshotUpdates) { updates.apply(to: &self) }

  fileprivate mutating func take<Member: Placed>(
    _ updates: [UInt32: Member?], _ list: WritableKeyPath<ServerSnapshot, [Member]>,
    _ kept: WritableKeyPath<ServerSnapshot, Places<Member>?>
  ) {
    guard !updates.isEmpty else { return }
    guard let places = self[keyPath: kept], let replaced = places.replaced(by: updates) else {
      updates.apply(to: &self[keyPath: list])
      return
    }
    let isSame = replaced.allSatisfy { places.areAlike(self[keyPath: list][$0], $1) }
    for (place, member) in replaced { self[keyPath: list][place] = member }
    // The change of the list has dropped its index.
    if isSame { self[keyPath: kept] = places }
  }
}

extension Places {
  /// The members that replace others; nil if one is added or removed.
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
  fileprivate func apply<Member: Indexed>(to list: inout [Member]) where Value == Member? {
    guard !isEmpty else { return }
    var new = compactMapValues { $0 }
    var hasGone = false
    for place in list.indices {
      guard let update = self[list[place].number] else { continue }
      if let member = update {
        list[place] = member
        new[member.number] = nil
      } else {
        hasGone = true
      }
    }
    if hasGone {
      list.removeAll { if case .some(nil) = self[$0.number] { true } else { false } }
    }
    list.append(contentsOf: new.values.sorted { $0.number < $1.number })
  }
}
