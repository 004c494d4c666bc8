import Glibc
import Logging
import SessionCore

/// What others ask of a session that holds, and what a session waits for that does not.
struct Orders {
  /// Tells of orders, and of the lock being given back.
  var watch: Watch?
  /// When the session began to hold.
  var since: String?
  /// The last order that was seen; it is not done twice.
  var last = 0
  /// The order under way.
  var current: (number: Int, work: Task<Void, Never>)?
  /// Set while this session waits for another to give the lock back.
  var waiting: Waiting?

  /// Waiting for the lock.
  struct Waiting {
    /// The process that took the session over; nil where the session waits behind one of its own
    /// process.
    var taker: Int32?
    /// Tells of the taker's end.
    var end: Watch?
  }

  mutating func stop() {
    current?.work.cancel()
    self = Orders()
  }
}

extension AudioSession {
  /// Listens for orders, from when the lock is taken.
  func beginHolding(_ store: SessionStore) {
    orders.waiting = nil
    guard configuration.isHolding else { return }
    orders.since = Moment.now
    // Who gave an order to a holder that ended notices that, and does not wait for this one.
    orders.last = max(orders.last, store.order()?.number ?? 0)
    listen(store)
  }

  private func listen(_ store: SessionStore) {
    guard orders.watch == nil else { return }
    orders.watch = store.watch(on: loop) { [weak self] events in
      Task { [weak self] in await self?.note(events, store) }
    }
  }

  private func note(_ events: SessionStore.FileEvents, _ store: SessionStore) async {
    guard !isClosed else { return }
    if events.order, isHolder { readOrder(store) }
    if events.lock, orders.waiting != nil { await resume(store, isCertain: false) }
  }

  /// Begins what is ordered, and gives up what nobody waits for any more.
  private func readOrder(_ store: SessionStore) {
    let order = store.order()
    if let current = orders.current, order?.number != current.number {
      current.work.cancel()
      orders.current = nil
    }
    guard let order, order.number > orders.last else { return }
    orders.last = order.number
    let work = Task { await obey(order, store) }
    orders.current = (order.number, work)
  }

  private func obey(_ order: Order, _ store: SessionStore) async {
    let number = order.number
    let end = Watch.process(order.process, on: loop) { [weak self] in
      Task { [weak self] in await self?.giveUp(number) }
    }
    guard end != nil else { return }
    var answer = Answer(number: number)
    do throws(SessionError) {
      answer.report = try await carryOut(order, store)
    } catch {
      answer.error = error
    }
    withExtendedLifetime(end) {}
    if orders.current?.number == number { orders.current = nil }
    do throws(SessionError) {
      try store.write(answer)
    } catch {
      configuration.logger?.debug("no answer written", metadata: ["error": "\(error.message)"])
    }
  }

  private func giveUp(_ number: Int) {
    guard orders.current?.number == number else { return }
    orders.current?.work.cancel()
  }

  private func carryOut(
    _ order: Order, _ store: SessionStore
  ) async throws(SessionError) -> ApplyReport? {
    switch order.kind {
    case .apply(let mode, let profile):
      try mode.validate()
      return try await inTurn(.replacesWish, timeout: order.timeout) {
        session, budget throws(SessionError) in
        try await session.apply(OwnWish(mode: mode, profile: profile), budget)
      }
    case .revert(let keepsWish):
      return try await inTurn(.replacesWish, timeout: order.timeout) {
        session, budget throws(SessionError) in
        let wish = keepsWish ? try await session.currentWish(store) : nil
        return try await session.restore(keeping: wish, budget)
      }
    case .takeOver:
      await makeRoom(for: order.process, store, within: order.timeout)
      return nil
    }
  }
}

// MARK: Taken over

extension AudioSession {
  /// Lets another process have the session; what stands stays for it to change.
  private func makeRoom(
    for taker: Int32, _ store: SessionStore, within timeout: Duration
  ) async {
    await takeTurnFromUpkeep()
    defer { turns.pass() }
    guard isHolder, !Task.isCancelled else { return }
    emit(upkeep.interruptions.begin(.takenOver(by: SessionLock.name(of: taker))))
    await live?.closePins()
    beginWaiting(store, for: taker)
    dropLock()
    if let live, let state = try? await state(live, store) { await publish(state, isOurs: true) }
    // A taker that never took it, and lives on, is not waited for.
    _ = Deadline(after: timeout).onPassing(on: loop) { [weak self] in
      guard let self, await self.orders.waiting?.taker == taker else { return }
      await self.resume(store, isCertain: true)
    }
  }

  /// Waits until the lock is given back: by a taker, or by a session of this process.
  func beginWaiting(_ store: SessionStore, for taker: Int32?) {
    let end = taker.flatMap { taker in
      Watch.process(taker, on: loop) { [weak self] in
        Task { [weak self] in await self?.resume(store, isCertain: true) }
      }
    }
    orders.waiting = Orders.Waiting(taker: taker, end: end)
    listen(store)
  }

  /// Takes the lock again if it is free, and makes the session's own mode so.
  ///
  /// - Parameter isCertain: whether the taker had its time; without, a lock that was only given back
  ///   by this process is still the taker's to take.
  private func resume(_ store: SessionStore, isCertain: Bool) async {
    await takeTurn()
    defer { turns.pass() }
    guard !isClosed, lock == nil, let waiting = orders.waiting else { return }
    if waiting.taker != nil, !isCertain, SessionLock.lastReleaser(store.lockPath) == getpid() {
      return
    }
    guard
      let taking = try? await SessionLock.take(
        store.lockPath, isHolding: true, on: loop,
        deadline: Deadline(after: .milliseconds(250))),
      case .taken(let lock) = consume taking
    else { return }
    self.lock = .server(LockBox(lock))
    beginHolding(store)
    await makeSoAgain(store)
  }

  private func makeSoAgain(_ store: SessionStore) async {
    let isOver = upkeep.interruptions.end { if case .takenOver = $0 { true } else { false } }
    guard isActive, let own else { return emit(isOver) }
    do throws(SessionError) {
      // The wish on disk is the other's.
      try store.write(
        SessionStore.Wish(
          mode: own.mode, profile: own.profile, generation: try store.generation() + 1,
          isActive: true))
      guard let live, await live.lost == nil else {
        emit(isOver)
        return noteChange()
      }
      try await live.reread(deadline: Deadline(after: configuration.timeout))
      try await reapply(live, .reset)
      emit(isOver)
      await publish(try await state(live, store), isOurs: true)
    } catch {
      // Stopped for a call that waits, it goes on after it.
      if error.code != .cancelled { emit(.reapplyFailed(error)) }
      emit(isOver)
      upkeep.pacer.failLook(at: upkeep.now)
      schedule()
    }
  }
}
