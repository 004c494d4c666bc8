import Glibc
import Logging
import SessionCore

extension AudioSession {
  /// Takes the right to write to the server; a holding session keeps it.
  ///
  /// If another process has it, takes over if `options` ask for that and the mode can be met.
  /// Otherwise, a session that does not hold hands its order over, and one that holds throws
  /// `isBusy`.
  ///
  /// - Returns: nil if the lock was taken, otherwise the holder's report on the order.
  func takeLock(
    _ store: SessionStore, _ budget: Budget, _ options: ActivationOptions, else order: Order.Kind?
  ) async throws(SessionError) -> ApplyReport? {
    guard life.lock == nil else { return nil }
    await Heirs.end(by: budget.run, on: loop)
    if scope == .application {
      take(.application(try ApplicationClaim(address: store.address)))
      return nil
    }
    try store.prepare()
    guard !queue.isEnding else { throw .cancelled }
    queue.lockWait = StopSignal()
    while true {
      guard let (owner, store) = try await claim(store, budget, mustSign: !order.isRestoring) else {
        return nil
      }
      let request = try permitted(order, options, owner, budget)
      guard let store else { throw SessionLock.busy(owner, on: address) }
      // Otherwise a mode that this machine cannot meet would interrupt the other process.
      if case .takeOver = request, let mode = order.mode, let live {
        _ = try await plan(for: mode, on: live)
      }
      guard let answer = try await handOver(request, to: owner, store, budget),
        let report = answer.report
      else { continue }
      if configuration.isHolding { waitBehind(request, store) }
      if !order.isRestoring { emit(.applied) }
      await publish(report.state, isOurs: true)
      return report
    }
  }

  /// Takes the lock, and looks that no other holder has another lock of the same server.
  ///
  /// - Returns: nil if the lock was taken; otherwise the process that has it, and the store for its
  ///   orders.
  private func claim(
    _ store: SessionStore, _ budget: Budget, mustSign: Bool
  ) async throws(SessionError) -> (owner: LockRecord.Owner, store: SessionStore?)? {
    let taking = try await SessionLock.take(
      store.lockPath, isHolding: configuration.isHolding, mustSign: mustSign, server: address,
      on: loop, until: queue.lockWait, deadline: budget.run)
    switch taking {
    case .taken(let lock):
      if let rival = await rival(store, budget) { return (rival.owner, self.store(of: rival)) }
      take(.server(lock))
      beginHolding(store)
      setDamageAside(store)
      return nil
    case .held(let owner): return (owner, store)
    }
  }

  /// Sets damaged files aside: they are useless and must not block anything.
  func setDamageAside(_ store: SessionStore) {
    for message in store.setDamageAside() {
      configuration.logger?.warning("\(message)")
      broadcast.shown.storeNotes.append(message)
    }
  }

  /// Within one process the first session holds for all; the next one takes its place when it
  /// closes.
  private func waitBehind(_ order: Order.Kind, _ store: SessionStore) {
    switch order {
    case .apply(let mode, let profile), .adopt(let mode, let profile):
      life.declare(OwnMode(mode: mode, profile: profile))
      beginWaiting(store)
    case .revert, .takeOver, .unreadable:
      // Without a mode there is nothing to hold for.
      life.declare(nil)
      if configuration.holdsWithoutMode { beginWaiting(store) } else { stopWaiting() }
    }
  }

  /// What the holder may be asked to do.
  private func permitted(
    _ order: Order.Kind?, _ options: ActivationOptions, _ owner: LockRecord.Owner, _ budget: Budget
  ) throws(SessionError) -> Order.Kind {
    guard !budget.run.hasPassed else { throw SessionLock.busy(owner, on: address) }
    if options.contains(.takeOver), owner.pid != getpid() { return .takeOver }
    guard let order, !configuration.isHolding || owner.pid == getpid() else {
      throw SessionLock.busy(owner, on: address)
    }
    return order
  }

  /// Gives an order to the holder and waits for its answer; nil if the holder ended first.
  ///
  /// When the caller is cancelled or out of time, it withdraws the order: the holder restores the
  /// previous setup and answers that.
  private func handOver(
    _ kind: Order.Kind, to owner: LockRecord.Owner, _ store: SessionStore, _ budget: Budget
  ) async throws(SessionError) -> Answer? {
    guard
      let turn = try await OrderLock.take(
        store.files.path(.orderLock), on: loop, until: queue.lockWait, deadline: budget.run)
    else {
      let isStopped = queue.lockWait.isRaised || Task.isCancelled
      let first = OrderLock.process(store.files.path(.orderLock))
      throw isStopped ? .cancelled : Self.noAnswer(owner, besides: first)
    }
    // It was closed while it waited.
    guard !queue.isEnding else { throw .cancelled }
    // The holder may have changed while other processes gave their orders.
    guard SessionLock.isHeld(store.lockPath, by: owner.pid) else { return nil }
    defer { withExtendedLifetime(turn) {} }
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let stop = StopSignal()
    queue.withdraw = {
      stop.set()
      signal.yield()
    }
    defer { queue.withdraw = nil }
    return try await stop.shielding(on: loop, onStop: { signal.yield() }) {
      () throws(SessionError) in
      try await self.exchange(kind, owner, store, budget, stop, (signals, signal))
    }
  }

  private typealias Wakes = (stream: AsyncStream<Void>, wake: AsyncStream<Void>.Continuation)

  private func exchange(
    _ kind: Order.Kind, _ owner: LockRecord.Owner, _ store: SessionStore, _ budget: Budget,
    _ stop: StopSignal, _ wakes: Wakes
  ) async throws(SessionError) -> Answer? {
    let calls = SystemCalls()
    let start = ContinuousClock.now
    let wake = wakes.wake
    // Watches before the order is written, so that no answer is missed.
    let answers = store.watch(on: loop) { changed in
      if !changed.isDisjoint(with: [.answer, .lock]) { wake.yield() }
    }
    let hasEnded = StopSignal()
    let end = Watch.process(owner.pid, on: loop) {
      hasEnded.set()
      wake.yield()
    }
    guard end != nil else {
      guard calls.isRunning(owner.pid) else { return nil }
      var error = SessionLock.busy(owner, on: address)
      error.message += "; its end cannot be watched here, so it gets no order"
      throw error
    }
    var alarms = [
      budget.readBack.onPassing(on: loop) { wake.yield() },
      budget.whole.onPassing(on: loop) { wake.finish() },
    ]
    // Nothing reports the answer.
    if answers == nil {
      alarms.append(Deadline.repeating(every: .milliseconds(50), on: loop) { wake.yield() })
    }
    let order = Order(
      kind: kind, number: store.nextOrderNumber(), process: getpid(), holder: owner.pid,
      timeout: budget.readBack.remaining)
    var rule = OrderWait(holder: owner.pid, number: order.number)
    defer {
      store.takeBackOrder()
      for alarm in alarms { alarm.cancel() }
      withExtendedLifetime((answers, end)) {}
    }
    try store.write(order)
    wake.yield()
    for await _ in wakes.stream {
      let answer = store.answer()
      let action = rule.next(
        calls.lookAtLock(store.lockPath), answer: answer?.number, hasEnded: hasEnded.isRaised,
        isStopped: stop.isRaised || budget.readBack.hasPassed, at: .now - start)
      switch action {
      case .answered:
        if let error = answer?.error { throw error }
        return answer
      case .lookAgain: return nil
      case .withdraw:
        store.takeBackOrder()
        // A holder that runs answers after its rollback; one that is frozen never does.
        if stop.isRaised {
          let end = Deadline(after: min(budget.whole.remaining, Self.longestRollback))
          alarms.append(end.onPassing(on: loop) { wake.finish() })
        }
        wake.yield()
      case .wait(let pause?):
        alarms.append(Deadline(after: pause).onPassing(on: loop) { wake.yield() })
      case .wait(nil): break
      }
    }
    throw stop.isRaised ? .cancelled : Self.noAnswer(owner)
  }

  /// How long a cancelled call waits for the holder to answer that it has restored the former setup.
  private static let longestRollback = Duration.seconds(5)

  /// - Parameter other: the process whose order comes first.
  private static func noAnswer(
    _ owner: LockRecord.Owner, besides other: Int32? = nil
  ) -> SessionError {
    let what =
      other.map { "process \($0) was first, and has not finished with \(owner.title)" }
      ?? "\(owner.title) holds the audio session of this server and did not answer in time"
    let remedy =
      [other, owner.pid].compactMap { $0 }.compactMap(ProcessName.remedyIfStopped).first
      ?? (other == nil
        ? "it may be frozen: end it, or try again"
        : "try again; if process \(owner.pid) answers no other command either, end it")
    return SessionError(
      .timedOut, stage: .session, "\(what); \(remedy)", value: String(other ?? owner.pid))
  }
}
