public import PulseTypes

extension PulseClient {
  /// Reads everything: the server and all lists, asked at once, behind the answer to a small question.
  ///
  /// PulseAudio 16.1 ends with a failed assertion when it is asked for its modules in the moment
  /// between the loss of a remap's master and the unloading of the remap (`pa__get_n_used` of
  /// `module-remap-source`): right behind the answer to a change of a card's profile. Behind another
  /// answer that moment is over.
  ///
  /// The server answers in order, and something may change between two of the answers: an event
  /// tells of it where the client has subscribed.
  public func snapshot(timeout: Duration? = nil) async throws(PulseError) -> ServerSnapshot {
    _ = try await serverInfo(timeout: timeout)
    let server = try connection.sendServerInfo(timeout)
    let cards = try connection.sendCards(timeout)
    let sinks = try connection.sendDevices(.output, timeout)
    let sources = try connection.sendDevices(.input, timeout)
    let sinkInputs = try connection.sendStreams(.output, timeout)
    let sourceOutputs = try connection.sendStreams(.input, timeout)
    let modules = try connection.sendModules(timeout)
    let clients = try connection.sendClients(timeout)
    return ServerSnapshot(
      server: try await server.value(), cards: try await cards.value(),
      sinks: try await sinks.value(), sources: try await sources.value(),
      sinkInputs: try await sinkInputs.value(), sourceOutputs: try await sourceOutputs.value(),
      modules: try await modules.value(), clients: try await clients.value())
  }

  /// Reads only these objects again, asked at once but for the modules, and returns the snapshot with what they are now.
  ///
  /// An object that is gone is removed; one that the snapshot did not have is appended. The facility
  /// `server` reads the server's information; `sampleCache` is ignored.
  public func refreshed(
    _ snapshot: ServerSnapshot, _ dirty: Set<ObjectID>, timeout: Duration? = nil
  ) async throws(PulseError) -> ServerSnapshot {
    var result = snapshot
    for objects in [
      dirty.filter { $0.facility != .module }, dirty.filter { $0.facility == .module },
    ] {
      var updates: [SnapshotUpdate] = []
      for object in objects { updates.append(try connection.sendUpdate(object, timeout)) }
      for update in updates { try await update.apply(to: &result) }
    }
    return result
  }
}

/// One object's question on its way, and where its answer belongs.
private enum SnapshotUpdate {
  case server(Pending<ServerInfo>)
  case card(UInt32, Pending<[Card]>)
  case device(Direction, UInt32, Pending<[Device]>)
  case stream(Direction, UInt32, Pending<[Stream]>)
  case module(UInt32, Pending<[Module]>)
  case client(UInt32, Pending<[Client]>)
  case nothing

  func apply(
    to snapshot: inout ServerSnapshot, isolation: isolated (any Actor)? = #isolation
  ) async throws(PulseError) {
    switch self {
    case .server(let answer): snapshot.server = try await answer.value()
    case .card(let index, let answer):
      replace(&snapshot.cards, \.index, Index(index), with: try await answer.firstValue())
    case .device(.input, let index, let answer):
      replace(&snapshot.sources, \.index, Index(index), with: try await answer.firstValue())
    case .device(.output, let index, let answer):
      replace(&snapshot.sinks, \.index, Index(index), with: try await answer.firstValue())
    case .stream(.input, let index, let answer):
      replace(&snapshot.sourceOutputs, \.index, Index(index), with: try await answer.firstValue())
    case .stream(.output, let index, let answer):
      replace(&snapshot.sinkInputs, \.index, Index(index), with: try await answer.firstValue())
    case .module(let index, let answer):
      replace(&snapshot.modules, \.index, Index(index), with: try await answer.firstValue())
    case .client(let index, let answer):
      replace(&snapshot.clients, \.index, Index(index), with: try await answer.firstValue())
    case .nothing: break
    }
  }

  private func replace<Element>(
    _ list: inout [Element], _ key: KeyPath<Element, Index<Element>>, _ index: Index<Element>,
    with element: Element?
  ) {
    let place = list.firstIndex { $0[keyPath: key] == index }
    switch (place, element) {
    case (let place?, let element?): list[place] = element
    case (let place?, nil): list.remove(at: place)
    case (nil, let element?): list.append(element)
    case (nil, nil): break
    }
  }
}

extension Connection {
  fileprivate func sendUpdate(
    _ object: ObjectID, _ timeout: Duration?
  ) throws(PulseError) -> SnapshotUpdate {
    let index = object.index
    return switch object.facility {
    case .server: .server(try sendServerInfo(timeout))
    case .card: .card(index, try sendCards(at: index, timeout))
    case .sink: .device(.output, index, try sendDevices(.output, at: index, timeout))
    case .source: .device(.input, index, try sendDevices(.input, at: index, timeout))
    case .sinkInput: .stream(.output, index, try sendStreams(.output, at: index, timeout))
    case .sourceOutput: .stream(.input, index, try sendStreams(.input, at: index, timeout))
    case .module: .module(index, try sendModules(at: index, timeout))
    case .client: .client(index, try sendClients(at: index, timeout))
    case .sampleCache: .nothing
    }
  }
}
