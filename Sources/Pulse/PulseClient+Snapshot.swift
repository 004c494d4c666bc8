public import PulseTypes

extension PulseClient {
  /// Reads the server and all lists. All requests are sent at once, after the answer to a small
  /// one.
  ///
  /// PulseAudio 16.1 fails an assertion when a client asks for a remap source between the removal
  /// of its master and its unloading (`pa__get_n_used` of `module-remap-source`), which happens
  /// right after any client changes a card's profile. By the answer to another request that moment
  /// is nearly always over. Code that reads repeatedly uses `snapshot(since:_:)`, which asks for
  /// each module only once, and not at all for modules that this client loaded.
  ///
  /// The server answers in order, and an object may change between two answers; a subscribed client
  /// then gets an event.
  ///
  /// Errors: those of every request (see `PulseClient`).
  public func snapshot(timeout: Duration? = nil) async throws(PulseError) -> ServerSnapshot {
    _ = try await serverInfo(timeout: timeout)
    return try await everything(timeout: timeout)
  }

  /// Subscribes to all events, which is the small request, and reads the server and all lists: no change
  /// is lost in between.
  package func subscribedSnapshot(
    timeout: Duration? = nil
  ) async throws(PulseError) -> ServerSnapshot {
    try await subscribe(timeout: timeout)
    return try await everything(timeout: timeout)
  }

  /// Reads the server and all lists, with all requests sent at once: for a server that is not
  /// PulseAudio, which has no modules that could end it (see `snapshot(timeout:)`).
  package func everything(timeout: Duration? = nil) async throws(PulseError) -> ServerSnapshot {
    let modules = try connection.sendModules(timeout)
    var result = try await withoutModules(timeout)
    result.modules = try await modules.value()
    return result
  }

  /// Reads all lists except the modules; of those, only new and changed ones. The other modules are
  /// taken from the last snapshot.
  ///
  /// Errors: those of every request (see `PulseClient`).
  ///
  /// - Parameters:
  ///   - last: the snapshot with the known modules; nil if the modules are not needed.
  ///   - changes: the changes since then, from the events.
  ///   - timeout: the limit of each request.
  public func snapshot(
    since last: ServerSnapshot?, _ changes: SnapshotChanges = SnapshotChanges(),
    timeout: Duration? = nil
  ) async throws(PulseError) -> ServerSnapshot {
    let answers = try send(changes, since: last, timeout) { $0.facility == .module }
    var result = try await withoutModules(timeout)
    result.modules = last?.modules ?? []
    result.take(try await updates(answers))
    return result
  }

  /// Reads only the changed objects, with all requests sent at once, and returns the updated
  /// snapshot.
  ///
  /// Removes objects that are gone and appends new ones; a known module keeps its first value. The
  /// facility `server` reads the server's information; `sampleCache` is ignored.
  ///
  /// Errors: those of every request (see `PulseClient`).
  public func refreshed(
    _ snapshot: ServerSnapshot, _ changes: SnapshotChanges, timeout: Duration? = nil
  ) async throws(PulseError) -> ServerSnapshot {
    var result = snapshot
    result.take(
      try await updates(try send(changes, since: snapshot, timeout, where: { _ in true })))
    return result
  }

  private func withoutModules(_ timeout: Duration?) async throws(PulseError) -> ServerSnapshot {
    let server = try connection.sendServerInfo(timeout)
    let cards = try connection.sendCards(timeout)
    let sinks = try connection.sendDevices(.output, timeout)
    let sources = try connection.sendDevices(.input, timeout)
    let sinkInputs = try connection.sendStreams(.output, timeout)
    let sourceOutputs = try connection.sendStreams(.input, timeout)
    let clients = try connection.sendClients(timeout)
    return ServerSnapshot(
      server: try await server.value(), cards: try await cards.value(),
      sinks: try await sinks.value(), sources: try await sources.value(),
      sinkInputs: try await sinkInputs.value(), sourceOutputs: try await sourceOutputs.value(),
      modules: [], clients: try await clients.value())
  }

  private func send(
    _ changes: SnapshotChanges, since last: ServerSnapshot?, _ timeout: Duration?,
    where isWanted: (ObjectID) -> Bool
  ) throws(PulseError) -> [SnapshotAnswer] {
    var answers: [SnapshotAnswer] = []
    for object in changes.objects where isWanted(object) {
      let isGone = changes.gone.contains(object)
      if !isGone, let module = changes.loaded[object] {
        answers.append(.loaded(module))
      } else if isGone || object.facility != .module || changes.replaced.contains(object)
        || last?.module(at: Index<Module>(object.index)) == nil
      {
        answers.append(try connection.sendUpdate(object, isGone: isGone, timeout))
      }
    }
    return answers
  }

  private func updates(_ answers: [SnapshotAnswer]) async throws(PulseError) -> SnapshotUpdates {
    var result = SnapshotUpdates()
    for answer in answers { try await answer.add(to: &result) }
    return result
  }
}

/// The pending request for one object, with the place of its answer; nil if the object is gone.
private enum SnapshotAnswer {
  case server(Pending<ServerInfo>)
  case card(UInt32, Pending<[Card]>?)
  case device(Direction, UInt32, Pending<[Device]>?)
  case stream(Direction, UInt32, Pending<[Stream]>?)
  case module(UInt32, Pending<[Module]>?)
  case client(UInt32, Pending<[Client]>?)
  case loaded(Module)
  case nothing

  func add(
    to updates: inout SnapshotUpdates, isolation: isolated (any Actor)? = #isolation
  ) async throws(PulseError) {
    switch self {
    case .server(let answer): updates.set(try await answer.value())
    case .card(let index, let answer):
      updates.set(at: Index<Card>(index), to: try await answer?.firstValue())
    case .device(let direction, let index, let answer):
      updates.set(direction, at: Index<Device>(index), to: try await answer?.firstValue())
    case .stream(let direction, let index, let answer):
      updates.set(direction, at: Index<Stream>(index), to: try await answer?.firstValue())
    case .module(let index, let answer):
      updates.set(at: Index<Module>(index), to: try await answer?.firstValue())
    case .client(let index, let answer):
      updates.set(at: Index<Client>(index), to: try await answer?.firstValue())
    case .loaded(let module): updates.set(at: module.index, to: module)
    case .nothing: break
    }
  }
}

extension Connection {
  fileprivate func sendUpdate(
    _ object: ObjectID, isGone: Bool, _ timeout: Duration?
  ) throws(PulseError) -> SnapshotAnswer {
    let index = object.index
    let direction: Direction =
      [.source, .sourceOutput].contains(object.facility) ? .input : .output
    return switch object.facility {
    case .server: isGone ? .nothing : .server(try sendServerInfo(timeout))
    case .card: .card(index, isGone ? nil : try sendCards(at: index, timeout))
    case .sink, .source:
      .device(direction, index, isGone ? nil : try sendDevices(direction, at: index, timeout))
    case .sinkInput, .sourceOutput:
      .stream(direction, index, isGone ? nil : try sendStreams(direction, at: index, timeout))
    case .module: .module(index, isGone ? nil : try sendModules(at: index, timeout))
    case .client: .client(index, isGone ? nil : try sendClients(at: index, timeout))
    case .sampleCache: .nothing
    }
  }
}
