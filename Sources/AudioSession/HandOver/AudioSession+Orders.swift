import Glibc
import Logging
import Pulse
import SessionCore

/// The orders that a holding session gets, and what wakes a session that waits for the lock.
struct Orders {
  /// Watches for orders, and for the release of the lock at a path.
  var watch: (lock: String, watch: DescriptorWatch)?
  /// Looks for what the watch would report, where there is none.
  var looks: Task<Void, Never>?
  /// Whether it was reported that there is no watch.
  var isDeafKnown = false
  /// Decides what to do about an order.
  var desk = OrderDesk(process: getpid())
  /// The orders that are carried out, by their numbers.
  var work: [Int: Task<Void, Never>] = [:]
  /// Watches for the end of the process for which a waiting session waits.
  var end: (process: Int32, watch: DescriptorWatch)?
  /// Looks again if nothing happens.
  var alarm: Task<Void, Never>?
  /// The reason that was logged last.
  var whyWaiting: String?

  mutating func stop() {
    for work in work.values { work.cancel() }
    looks?.cancel()
    stopWaiting()
    self = Orders()
  }

  mutating func stopWaiting() {
    alarm?.cancel()
    (alarm, end, whyWaiting) = (nil, nil, nil)
  }
}

extension AudioSession {
  /// Notes that this session has the right to write.
  func take(_ lock: Hold) {
    life.take(lock, since: configuration.isHolding ? Moment.now : nil)
  }

  /// Listens for orders once the lock is taken.
  func beginHolding(_ store: SessionStore) {
    orders.stopWaiting()
    guard configuration.isHolding else { return }
    orders.desk.begin(answered: store.answer()?.number)
    listen(store)
    readOrder(store)
  }

  /// Watches for orders, and for the lock. Where that is impossible, looks for them once a second,
  /// and tries to watch again: a user may have only so many inotify instances (128 by default).
  func listen(_ store: SessionStore) {
    // The server may have another address now.
    guard orders.watch?.lock != store.lockPath, orders.looks == nil else { return }
    let watch = store.watch(on: loop) { [weak self] changed in
      self?.loop.task { [weak self] in await self?.note(changed, store) }
    }
    orders.watch = watch.map { (store.lockPath, $0) }
    guard orders.watch == nil else { return }
    if !orders.isDeafKnown {
      configuration.logger?.warning(
        "cannot watch the session's files, so commands are looked for once a second; see fs.inotify",
        metadata: ["folder": "\(store.folder)"])
    }
    orders.isDeafKnown = true
    orders.looks = Deadline(after: .seconds(1)).onPassing(on: loop) { [weak self] in
      // In a new task, because its outcome may cancel this alarm.
      self?.loop.task { [weak self] in await self?.lookUnwatched(store) }
    }
  }

  private func lookUnwatched(_ store: SessionStore) async {
    // The session may have stopped listening in the meantime.
    guard let looks = orders.looks else { return }
    looks.cancel()
    orders.looks = nil
    listen(store)
    await note([.order, .lock], store)
  }

  private func note(_ changed: Set<StoreFiles.File>, _ store: SessionStore) async {
    guard !life.isClosed else { return }
    if changed.contains(.order), isHolder { readOrder(store) }
    if changed.contains(.lock) { await stepWaiting(store) }
  }

  /// Starts the current order, and cancels one that was withdrawn.
  private func readOrder(_ store: SessionStore) {
    let order = store.order()
    for action in orders.desk.look(order?.slip) {
      switch action {
      case .stop(let number): orders.work[number]?.cancel()
      case .carryOut(let number):
        if let order { orders.work[number] = loop.task { await self.obey(order, store) } }
      }
    }
  }

  private func obey(_ order: Order, _ store: SessionStore) async {
    let number = order.number
    defer { orders.work[number] = nil }
    let end = Watch.process(order.process, on: loop) { [weak self] in
      self?.loop.task { [weak self] in await self?.giveUp(number) }
    }
    guard end != nil else { return }
    var answer = Answer(number: number)
    do throws(SessionError) {
      answer.report = try await carryOut(order, store)
    } catch {
      // The session ends, or holds no longer, which is no answer: the process that gave the order looks
      // again who holds.
      if life.isClosed || !isHolder, error.code == .cancelled || error.code == .activationFailed {
        return orders.desk.putBack(number)
      }
      answer.error = error
    }
    withExtendedLifetime(end) {}
    orders.desk.didEnd(number)
    do throws(SessionError) {
      try store.write(answer)
    } catch {
      configuration.logger?.debug("no answer written", metadata: ["error": "\(error.message)"])
      // There may be room for a short one.
      try? store.write(Answer(number: number, error: error))
    }
  }

  private func giveUp(_ number: Int) {
    if orders.desk.isCurrent(number) { orders.work[number]?.cancel() }
  }

  private func carryOut(
    _ order: Order, _ store: SessionStore
  ) async throws(SessionError) -> ApplyReport? {
    switch order.kind {
    case .apply(let mode, let profile), .adopt(let mode, let profile):
      try mode.validate()
      queue.newDecision()
      let extent: Extent = if case .adopt = order.kind { .adopted } else { .whole }
      return try await inTurn(.replacesMode, timeout: order.timeout) {
        session, budget throws(SessionError) in
        try await session.checkHolder()
        return try await session.overriding(.none) { () throws(SessionError) in
          try await session.apply(
            OwnMode(mode: mode, profile: profile), budget, extent: extent,
            isObserved: !order.isOfHook && extent.isWhole)
        }
      }
    case .revert(let keepsMode, let forgets):
      queue.newDecision()
      return try await inTurn(.replacesMode, timeout: order.timeout) {
        session, budget throws(SessionError) in
        try await session.checkHolder()
        return try await session.restore(
          keepsMode: keepsMode, budget, forgets: forgets, isObserved: !order.isOfHook)
      }
    case .takeOver:
      await makeRoom(for: order.process, store)
      return nil
    case .unreadable:
      throw LockRecord.Owner.own(isHolding: true).error(
        .refused,
        "holds the audio session of this server and is of an earlier version, which cannot read this "
          + "order; end it ('audiosession stop') and start it again")
    }
  }

  /// Throws if what came before an order has given the lock back: the order must not take it again.
  private func checkHolder() throws(SessionError) {
    guard isHolder else { throw .cancelled }
  }
}
