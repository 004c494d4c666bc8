import SessionCore

/// The wait for an answer to an order, and for the lock.
extension SimulatedSession {
  func ask(_ holder: Int32) {
    if kind == .hold(replaces: false) { return end() }
    guard let file = try? calls.open(store.path(.orderLock), .signing) else { return }
    guard (try? calls.lock(file, .exclusive)) == true else {
      try? calls.close(file)
      return later(.milliseconds(5)) { $0.claim() }
    }
    orderLock = file
    guard calls.lookAtLock(store.path(.lock)).isHeld(by: holder) else { return lookAgain() }
    world.orders += 1
    let number = world.orders
    let verb = kind == .revert ? "revert" : kind == .apply ? "apply" : "takeover"
    world.sequence.order(number, from: process, to: holder, mode: mode)
    try? store.write(
      Array("\(number) \(process) \(verb) \(mode) \(holder)".utf8), to: .order)
    guard calls.isRunning(holder) else { return lookAgain() }
    watched = holder
    let rule = OrderWait(holder: holder, number: number)
    call = .asking(rule, number: number, holder, since: world.now)
    later { $0.stepAsking() }
    for limit in [Self.patience, Self.patience + .seconds(2)] {
      later(limit) { $0.stepAsking() }
    }
  }

  /// How long it waits for an answer before it withdraws its order.
  static let patience = Duration.seconds(4)

  /// Ctrl-C.
  func stop() {
    world.log("\(process) is stopped")
    isStopped = true
    later { $0.stepAsking() }
  }

  func stepAsking(isEnded: Bool = false) {
    guard case .asking(var rule, let number, let holder, let since)? = call else { return }
    noteWake()
    let isLate = world.now - since >= Self.patience
    let action = rule.next(
      calls.lookAtLock(store.path(.lock)), answer: answer(), hasEnded: isEnded,
      isStopped: isStopped || isLate, at: world.now)
    call = .asking(rule, number: number, holder, since: since)
    switch action {
    case .answered:
      isAnswered = true
      world.sequence.learn(number, process)
      kind.isCommand || isStopped ? end() : lookAgain()
    case .lookAgain: isStopped ? end() : lookAgain()
    case .withdraw:
      // A server that freezes keeps a holder busy.
      world.check(isStopped || work != nil, "\(process) has no answer to its order \(number)")
      isStopped = true
      world.log("\(process) withdraws \(number)")
      try? store.write(nil, to: .order)
      later { $0.stepAsking() }
      later(.seconds(2)) { if $0.isAsking { $0.end() } }
    case .wait(let pause?): later(pause) { $0.stepAsking() }
    case .wait(nil): break
    }
  }

  func lookAgain() {
    dropOrder()
    watched = nil
    call = .claiming(LockClaim(process: process))
    later { $0.claim() }
  }

  func dropOrder() {
    guard let file = orderLock else { return }
    try? store.write(nil, to: .order)
    try? calls.close(file)
    orderLock = nil
  }

  // MARK: Waiting

  func stepWaiting() {
    guard isWaiting else { return }
    noteWake()
    let (calls, now) = (calls, world.now)
    let view = calls.lookAtLock(store.path(.lock))
    guard var action = life.nextWaiting(view, at: now, isRunning: calls.isRunning) else { return }
    if action.takes {
      let result = try? SessionLock.take(store.path(.lock), as: owner, calls) {
        life.mayTake($0, at: now, isRunning: calls.isRunning)
      }
      if let lock = result { return goOn(lock) }
      guard let next = life.noteRefused(at: world.now) else { return }
      action = next
    }
    alarm += 1
    let number = alarm
    if let pause = action.alarm {
      later(pause) { if $0.alarm == number { $0.stepWaiting() } }
    }
    watched = action.watched
    if let watched, !calls.isRunning(watched) { later { $0.noteEnd(of: watched) } }
  }

  func goOn(_ lock: SessionLock) {
    world.check(
      world.interrupted.first(where: world.disk.running.contains) == process,
      "\(process) goes on, and it is the turn of \(world.interrupted)")
    world.interrupted.removeAll { $0 == process }
    guard let work else { return hold(lock) }
    world.log("\(process) has the lock again")
    world.sequence.take(process, isRunning: calls.isRunning)
    life.take(lock, since: "\(world.now)")
    (watched, isBusy, isDeactivated) = (nil, false, false)
    alarm += 1
    desk.begin(answered: answer())
    look()
    // What an earlier mode left may be there to restore.
    guard mode != 0 else {
      if ((try? store.read(.mode)) ?? nil) != nil { life.leaveInEffect() }
      return work.noteChange()
    }
    guard (try? store.commit(Self.bytes(mode))) != nil else { return }
    world.acknowledged = mode
    world.sequence.apply(mode, by: process, for: nil)
    work.resume(mode)
  }
}
