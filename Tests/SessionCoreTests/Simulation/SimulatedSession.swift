import SessionCore

/// A process with a session: performs what the state machines say, as the session itself does, on a
/// disk and a server that are models.
final class SimulatedSession {
  enum Kind: Equatable {
    case hold(replaces: Bool)
    case apply
  }

  private enum Life {
    case claiming(LockClaim)
    case asking(OrderWait, number: Int, Int32)
    case holding(SessionLock)
    case waiting(LockWait)
    case ended
  }

  let process: Int32
  private let kind: Kind
  private unowned let world: Simulation
  private let calls: any FileCalls
  private let store: StoreFiles
  private var life: Life
  /// What it sets: its number, or what it was told to.
  private(set) var mode: Int
  private(set) var watched: Int32?
  private var lastOrder = 0
  private var orderLock: Int32?
  /// Alarms that were set before are called off.
  private var alarm = 0
  /// When it was woken lately.
  private var wakes: [Duration] = []
  private var isBusy = false

  init(_ process: Int32, _ kind: Kind, _ world: Simulation) {
    self.process = process
    self.kind = kind
    self.world = world
    mode = Int(process)
    calls = world.caller(ModelCalls(disk: world.disk, process: process))
    store = StoreFiles(folder: "/s", server: "x", calls: calls)
    life = .claiming(LockClaim(process: process))
  }

  var isHolder: Bool { if case .holding = life { kind != .apply } else { false } }
  var isWaiting: Bool { if case .waiting = life { true } else { false } }
  private var isAlive: Bool { calls.isRunning(process) }
  private var owner: LockRecord.Owner {
    LockRecord.Owner(pid: process, name: "session", isHolding: kind != .apply)
  }

  static func bytes(_ value: Int) -> [UInt8] { Array("<\(value)>".utf8) }

  static func value(_ bytes: [UInt8]) -> Int? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("<"), text.hasSuffix(">") else { return nil }
    return Int(text.dropFirst().dropLast())
  }

  func begin() { later { $0.claim() } }

  /// Goes on after a while, if it lives then.
  private func later(_ pause: Duration = .zero, _ work: @escaping (SimulatedSession) -> Void) {
    world.after(pause) { [weak self] in
      guard let self, isAlive else { return }
      work(self)
    }
  }

  private func noteWake() {
    wakes = wakes.filter { world.now - $0 < .seconds(1) } + [world.now]
    world.check(wakes.count < 300, "\(process) is woken all the time")
  }

  // MARK: Taking the lock

  private func claim() {
    guard case .claiming(var rule) = life else { return }
    noteWake()
    let (calls, now) = (calls, world.now)
    let view = calls.lookAtLock(store.path(.lock))
    var pause = Duration.zero
    switch rule.next(view, at: now, isRunning: calls.isRunning) {
    case .held(let owner): return ask(owner.pid)
    case .wait(let duration): pause = duration
    case .take:
      let result = try? SessionLock.take(store.path(.lock), as: owner, calls) {
        rule.next($0, at: now, isRunning: calls.isRunning) == .take
      }
      if case .taken(let lock)? = result { return hold(lock) }
      pause = rule.noteRefused()
    }
    life = .claiming(rule)
    later(pause) { $0.claim() }
  }

  private func hold(_ lock: SessionLock) {
    guard isAlive else { return }
    world.log("\(process) has the lock")
    life = .holding(lock)
    watched = nil
    alarm += 1
    lastOrder = max(lastOrder, order()?.number ?? 0)
    apply(mode) { if $0.kind == .apply { $0.end() } }
  }

  // MARK: Orders

  private func ask(_ holder: Int32) {
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
    let verb = kind == .apply ? "apply" : "takeover"
    try? store.write(Array("\(number) \(process) \(verb) \(mode)".utf8), to: .order)
    guard calls.isRunning(holder) else { return lookAgain() }
    watched = holder
    life = .asking(OrderWait(holder: holder), number: number, holder)
    later { $0.stepAsking() }
  }

  private func stepAsking(isEnded: Bool = false) {
    guard case .asking(var rule, let number, let holder) = life else { return }
    noteWake()
    if let answer = (try? store.read(.answer)) ?? nil,
      Int(String(decoding: answer, as: UTF8.self)) == number
    {
      if kind == .apply { return end() }
      return lookAgain()
    }
    guard !isEnded else { return lookAgain() }
    let action = rule.next(calls.lookAtLock(store.path(.lock)), at: world.now)
    life = .asking(rule, number: number, holder)
    switch action {
    case .lookAgain: lookAgain()
    case .wait(let pause?): later(pause) { $0.stepAsking() }
    case .wait(nil): break
    }
  }

  private func lookAgain() {
    dropOrder()
    watched = nil
    life = .claiming(LockClaim(process: process))
    later { $0.claim() }
  }

  private func dropOrder() {
    guard let file = orderLock else { return }
    try? store.write(nil, to: .order)
    try? calls.close(file)
    orderLock = nil
  }

  private func order() -> (number: Int, process: Int32, verb: String, mode: Int)? {
    guard let bytes = (try? store.read(.order)) ?? nil else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count == 4, let number = Int(words[0]), let process = Int32(words[1]),
      let mode = Int(words[3])
    else { return nil }
    return (number, process, String(words[2]), mode)
  }

  private func obey() {
    guard case .holding(let lock) = life, kind != .apply, !isBusy, let order = order(),
      order.number > lastOrder, calls.isRunning(order.process)
    else { return }
    lastOrder = order.number
    guard order.verb == "takeover" else {
      return apply(order.mode) { try? $0.store.write(Array("\(order.number)".utf8), to: .answer) }
    }
    world.log("\(process) makes room for \(order.process)")
    lock.pass(to: order.process)
    world.interrupted.insert(process, at: 0)
    life = .waiting(LockWait(process: process))
    later {
      try? $0.store.write(Array("\(order.number)".utf8), to: .answer)
      $0.stepWaiting()
    }
  }

  /// Sets the server as the session does: the baseline first, then the server, then the mode.
  private func apply(_ value: Int, _ finish: @escaping (SimulatedSession) -> Void) {
    isBusy = true
    world.underWay.insert(value)
    if (try? store.read(.baseline)) ?? nil == nil {
      guard (try? store.protect(Self.bytes(world.original))) != nil else { return }
    }
    later { session in
      session.world.set(value, by: session)
      session.later { session in
        guard (try? session.store.commit(Self.bytes(value))) != nil else { return }
        session.mode = value
        session.world.acknowledged = value
        session.world.underWay.remove(value)
        session.world.log("\(session.process) has applied \(value)")
        session.isBusy = false
        finish(session)
        session.later { $0.obey() }
      }
    }
  }

  // MARK: Waiting

  private func stepWaiting() {
    guard case .waiting(var rule) = life else { return }
    noteWake()
    let (calls, now) = (calls, world.now)
    let view = calls.lookAtLock(store.path(.lock))
    var action = rule.next(view, at: now, isRunning: calls.isRunning)
    if action.takes {
      let result = try? SessionLock.take(store.path(.lock), as: owner, calls) {
        rule.next($0, at: now, isRunning: calls.isRunning).takes
      }
      if case .taken(let lock)? = result { return goOn(lock) }
      action = rule.noteRefused()
    }
    life = .waiting(rule)
    alarm += 1
    let number = alarm
    if let pause = action.alarm {
      later(pause) { if $0.alarm == number { $0.stepWaiting() } }
    }
    watched = action.watched
    if let watched, !calls.isRunning(watched) { later { $0.noteEnd(of: watched) } }
  }

  private func goOn(_ lock: SessionLock) {
    world.check(
      world.interrupted.first(where: world.disk.running.contains) == process,
      "\(process) goes on, and it is the turn of \(world.interrupted)")
    world.interrupted.removeAll { $0 == process }
    hold(lock)
  }

  // MARK: What happens to it

  /// A file of the folder appeared, went, or was closed after writing.
  func noteChange(of path: String) {
    guard isAlive else { return }
    later { session in
      switch session.life {
      case .waiting where path == session.store.path(.lock): session.stepWaiting()
      case .asking: session.stepAsking()
      case .holding where path == session.store.path(.order): session.obey()
      default: break
      }
    }
  }

  func noteEnd(of process: Int32) {
    guard isAlive, watched == process else { return }
    watched = nil
    switch life {
    case .waiting(var rule):
      rule.noteEnd(of: process)
      life = .waiting(rule)
      stepWaiting()
    case .asking: stepAsking(isEnded: true)
    default: break
    }
  }

  /// Ends it as SIGTERM does.
  func end() {
    dropOrder()
    world.log("\(process) ends")
    life = .ended
    world.disk.end(process)
    world.noteEnd(of: self)
  }
}
