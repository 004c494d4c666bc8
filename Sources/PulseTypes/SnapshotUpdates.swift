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
    snapshot.take(sinks, snapshot.sinks, snapshot.places.sinks) {
      $0.sinks = $1
      $0.places.sinks = $2
    }
    snapshot.take(sources, snapshot.sources, snapshot.places.sources) {
      $0.sources = $1
      $0.places.sources = $2
    }
    snapshot.take(sinkInputs, snapshot.sinkInputs, snapshot.places.sinkInputs) {
      $0.sinkInputs = $1
      $0.places.sinkInputs = $2
    }
    snapshot.take(sourceOutputs, snapshot.sourceOutputs, snapshot.places.sourceOutputs) {
      $0.sourceOutputs = $1
      $0.places.sourceOutputs = $2
    }
    snapshot.take(modules, snapshot.modules, snapshot.places.modules) {
      $0.modules = $1
      $0.places.modules = $2
    }
    snapshot.take(clients, snapshot.clients, snapshot.places.clients) {
      $0.clients = $1
      $0.places.clients = $2
    }
  }
}

extension ServerSnapshot {
  /// Adopts the changed objects, each list in one pass; new objects come last, in the order of
  /// their indexes.
  package mutating func take(_ updates: SnapshotUpdates) { updates.apply(to: &self) }

  /// - Parameters:
  ///   - list: the list before the changes.
  ///   - places: its index.
  ///   - set: sets the list, which drops its index, and then the index. (A key path takes long to make,
  ///     at each start of the program, and to follow.)
  fileprivate mutating func take<Member: Placed>(
    _ updates: [UInt32: Member?], _ list: [Member], _ places: Places<Member>?,
    _ set: (_ snapshot: inout ServerSnapshot, _ list: [Member], _ places: Places<Member>?) -> Void
  ) {
    guard !updates.isEmpty else { return }
    var list = list
    guard let places, let replaced = places.replaced(by: updates) else {
      updates.apply(to: &list)
      return set(&self, list, nil)
    }
    let isSame = replaced.allSatisfy { places.areAlike(list[$0], $1) }
    for (place, member) in replaced { list[place] = member }
    set(&self, list, isSame ? places : nil)
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
