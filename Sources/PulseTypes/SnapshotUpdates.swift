/// Changes of a server's objects, which a snapshot adopts at once.
package struct SnapshotUpdates: Sendable {
  fileprivate var server: ServerInfo?
  fileprivate var cards: [UInt32: Card?] = [:]
  fileprivate var sinks: [UInt32: Device?] = [:]
  fileprivate var sources: [UInt32: Device?] = [:]
  fileprivate var sinkInputs: [UInt32: Stream?] = [:]
  fileprivate var sourceOutputs: [UInt32: Stream?] = [:]
  fileprivate var modules: [UInt32: Module?] = [:]
  fileprivate var clients: [UInt32: Client?] = [:]

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
}

extension ServerSnapshot {
  /// Adopts the changed objects, each list in one pass; new objects come last, in the order of
  /// their indexes.
  package mutating func take(_ updates: SnapshotUpdates) {
    if let server = updates.server { self.server = server }
    updates.cards.apply(to: &cards)
    // The list first: setting it drops its index.
    (sinks, places.sinks) = updates.sinks.changing(sinks, places.sinks)
    (sources, places.sources) = updates.sources.changing(sources, places.sources)
    (sinkInputs, places.sinkInputs) = updates.sinkInputs.changing(sinkInputs, places.sinkInputs)
    (sourceOutputs, places.sourceOutputs) = updates.sourceOutputs.changing(
      sourceOutputs, places.sourceOutputs)
    (modules, places.modules) = updates.modules.changing(modules, places.modules)
    (clients, places.clients) = updates.clients.changing(clients, places.clients)
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
  /// A list after these changes, and its index if that still fits.
  fileprivate func changing<Member: Placed>(
    _ list: [Member], _ places: Places<Member>?
  ) -> ([Member], Places<Member>?) where Value == Member? {
    guard !isEmpty else { return (list, places) }
    var list = list
    guard let places, let replaced = places.replaced(by: self) else {
      apply(to: &list)
      return (list, nil)
    }
    let isSame = replaced.allSatisfy { places.areAlike(list[$0], $1) }
    for (place, member) in replaced { list[place] = member }
    return (list, isSame ? places : nil)
  }

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
