import SessionCore
import TestSupport

/// A process with a session: performs what the state machines say, as the session itself does, on a
/// disk and a server that are models.
final class SimulatedSession {
  enum Kind: Equatable {
    case hold(replaces: Bool)
    case apply
    case revert

    /// Whether it ends when it has done its work.
    var isCommand: Bool { self == .apply || self == .revert }
  }

  private enum Life {
    case claiming(LockClaim)
    case asking(OrderWait, number: Int, Int32, since: Duration)
    case holding(SessionLock)
    case waiting(LockWait)
    case ended
  }

  let process: Int32
  private let kind: Kind
  private unowned let world: Simulation
  private let calls: any FileCalls
  let store: StoreFiles
  /// Its work on the model server; nil where a number is the server.
  private(set) var work: ModelWork?
  private var life: Life
  /// What it sets: its number, or what it was told to.
  private(set) var mode: Int
  private(set) var watched: Int32?
  private var desk: OrderDesk
  /// Orders that wait, and those that were withdrawn since.
  private var jobs: [Job] = []
  private var stopped: Set<Int> = []
  private var orderLock: Int32?
  /// Ctrl-C, and the end of the time for an answer.
  private var isStopped = false
  private var isAnswered = false
  /// Whether it is of a version whose orders do not say for whom they are.
  private let isOld: Bool
  /// Whether the server restarted while it was at work.
  private var wasReset = false
  /// Alarms that were set before are called off.
  private var alarm = 0
  /// When it was woken lately.
  private var wakes: [Duration] = []
  private var isBusy = false

  init(_ process: Int32, _ kind: Kind, _ world: Simulation) {
    self.process = process
    self.kind = kind
    self.world = world
    mode = kind == .revert ? 0 : Int(process)
    calls = world.caller(ModelCalls(disk: world.disk, process: process))
    store = StoreFiles(folder: "/s", server: "x", calls: calls)
    life = .claiming(LockClaim(process: process))
    desk = OrderDesk(process: process)
    isOld = kind != .hold(replaces: false) && world.random.chance(1, in: 6)
    if let server = world.modelServer { work = ModelWork(self, world, server) }
  }

  /// What it is told to set, by whom, and with which number.
  private struct Job {
    var number: Int
    var process: Int32
    var verb: String
    var mode: Int
    var holder: Int32?
    var slip: OrderDesk.Slip { OrderDesk.Slip(number: number, holder: holder) }
  }

  var isAsking: Bool { if case .asking = life { true } else { false } }
  var isHolder: Bool { if case .holding = life { !kind.isCommand } else { false } }
  var isWaiting: Bool { if case .waiting = life { true } else { false } }
  var isRunning: Bool { isAlive }
  private var isAlive: Bool { calls.isRunning(process) }
  private var owner: LockRecord.Owner {
    LockRecord.Owner(pid: process, name: "session", isHolding: !kind.isCommand)
  }

  static func bytes(_ value: Int) -> [UInt8] { Array("<\(value)>".utf8) }

  static func value(_ bytes: [UInt8]) -> Int? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("<"), text.hasSuffix(">") else { return nil }
    return Int(text.dropFirst().dropLast())
  }

  func begin() { later { $0.claim() } }

  /// Goes on after a while, if it lives then.
  func later(_ pause: Duration = .zero, _ work: @escaping (SimulatedSession) -> Void) {
    world.after(pause) { [weak self] in
      guard let self, isAlive else { return }
      work(self)
    }
  }

  func noteWake() {
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
    // The lock is taken in the turn of a call, which orders wait for.
    isBusy = true
    // The session asks the server for another holder before it listens for orders.
    later { session in
      if !session.kind.isCommand {
        session.desk.begin(session.order()?.slip)
        session.look()
      }
      session.apply(session.mode, for: nil) { session, isDone in
        if session.kind.isCommand || !isDone { session.end() }
      }
    }
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
    let verb = kind == .revert ? "revert" : kind == .apply ? "apply" : "takeover"
    let holderWord = isOld ? "0" : "\(holder)"
    try? store.write(
      Array("\(number) \(process) \(verb) \(mode) \(holderWord)".utf8), to: .order)
    guard calls.isRunning(holder) else { return lookAgain() }
    watched = holder
    let rule = OrderWait(holder: holder, number: number)
    life = .asking(rule, number: number, holder, since: world.now)
    later { $0.stepAsking() }
    for limit in [Self.patience, Self.patience + .seconds(2)] {
      later(limit) { $0.stepAsking() }
    }
  }

  /// How long it waits for an answer before it withdraws its order.
  private static let patience = Duration.seconds(4)

  /// Ctrl-C.
  func stop() {
    world.log("\(process) is stopped")
    isStopped = true
    later { $0.stepAsking() }
  }

  private func stepAsking(isEnded: Bool = false) {
    guard case .asking(var rule, let number, let holder, let since) = life else { return }
    noteWake()
    let answer = ((try? store.read(.answer)) ?? nil).flatMap {
      Int(String(decoding: $0, as: UTF8.self))
    }
    let isLate = world.now - since >= Self.patience
    let look = OrderWait.Look(
      lock: calls.lookAtLock(store.path(.lock)), answer: answer, hasEnded: isEnded,
      isStopped: isStopped || isLate)
    let action = rule.next(look, at: world.now)
    life = .asking(rule, number: number, holder, since: since)
    switch action {
    case .answered:
      isAnswered = true
      kind.isCommand || isStopped ? end() : lookAgain()
    case .lookAgain: isStopped ? end() : lookAgain()
    case .withdraw:
      // A server that freezes keeps a holder busy.
      world.check(
        isStopped || isOld || work != nil, "\(process) has no answer to its order \(number)")
      isStopped = true
      world.log("\(process) withdraws \(number)")
      try? store.write(nil, to: .order)
      later { $0.stepAsking() }
      later(.seconds(2)) { if $0.isAsking { $0.end() } }
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

  private func order() -> Job? {
    guard let bytes = (try? store.read(.order)) ?? nil else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count == 5, let number = Int(words[0]), let process = Int32(words[1]),
      let mode = Int(words[3]), let holder = Int32(words[4])
    else { return nil }
    return Job(
      number: number, process: process, verb: String(words[2]), mode: mode,
      holder: holder == 0 ? nil : holder)
  }

  private func look() {
    guard isHolder else { return }
    let order = order()
    for action in desk.look(order?.slip) {
      switch action {
      case .stop(let number): stopped.insert(number)
      case .carryOut: if let order, calls.isRunning(order.process) { jobs.append(order) }
      }
    }
    later { $0.obey() }
  }

  func obey() {
    guard case .holding(let lock) = life, !kind.isCommand, !isBusy else { return }
    guard !wasReset else { return restore() }
    guard !jobs.isEmpty else { return lookAtServer() }
    let order = jobs.removeFirst()
    guard order.verb == "takeover" else {
      let value = order.verb == "revert" ? 0 : order.mode
      return apply(value, for: order.number) { session, _ in session.answer(order.number) }
    }
    guard !stopped.contains(order.number) else { return answer(order.number) }
    world.log("\(process) makes room for \(order.process)")
    lock.pass(to: order.process)
    world.interrupted.insert(process, at: 0)
    life = .waiting(LockWait(process: process))
    work?.held = nil
    later {
      $0.answer(order.number)
      $0.stepWaiting()
    }
  }

  private func answer(_ number: Int) {
    desk.didEnd(number)
    try? store.write(Array("\(number)".utf8), to: .answer)
  }

  /// Sets the server as the session does: the baseline first, then the server, then the mode. An order
  /// that is withdrawn meanwhile is undone, and one that the server refuses changes nothing.
  private func apply(
    _ value: Int, for order: Int?, _ finish: @escaping (SimulatedSession, Bool) -> Void
  ) {
    isBusy = true
    if let work { return apply(value, for: order, work, finish) }
    let former = mode
    world.underWay.insert(value)
    if (try? store.read(.baseline)) ?? nil == nil {
      guard (try? store.protect(Self.bytes(world.original))) != nil else { return }
    }
    func end(_ session: SimulatedSession, _ isDone: Bool) {
      if value != session.world.acknowledged { session.world.underWay.remove(value) }
      session.isBusy = false
      finish(session, isDone)
      session.later { $0.obey() }
    }
    let isStopped = { (session: SimulatedSession) in
      order.map(session.stopped.contains) == true
    }
    later { session in
      guard !isStopped(session), order == nil || session.world.accepts(value) else {
        return end(session, false)
      }
      session.world.set(value, by: session)
      session.later { session in
        guard !isStopped(session) else {
          session.world.set(former, by: session)
          return end(session, false)
        }
        guard (try? session.store.commit(Self.bytes(value))) != nil else { return }
        session.mode = value
        session.world.acknowledged = value
        session.world.underWay.remove(value)
        session.world.log("\(session.process) has applied \(value)")
        end(session, true)
      }
    }
  }

  /// The same on the model server.
  private func apply(
    _ value: Int, for order: Int?, _ work: ModelWork,
    _ finish: @escaping (SimulatedSession, Bool) -> Void
  ) {
    world.underWay.insert(value)
    let isStopped = { [unowned self] in order.map(stopped.contains) == true }
    work.apply(value, isStopped: isStopped) { [weak self] isDone in
      guard let self, isRunning else { return }
      if isDone {
        (mode, world.acknowledged) = (value, value == 0 ? nil : value)
        world.log("\(process) has applied \(value)")
      }
      if !isDone, value == world.acknowledged ?? 0 {} else { world.underWay.remove(value) }
      isBusy = false
      finish(self, isDone)
      work.schedule()
      later { $0.obey() }
    }
  }

  private func lookAtServer() {
    guard let work, work.isDue else { return }
    isBusy = true
    work.look(isStopped: { [unowned self] in !jobs.isEmpty }) { [weak self] in
      self?.isBusy = false
      self?.later { $0.obey() }
    }
  }

  /// The server restarted without what the session had set.
  func noteReset() {
    wasReset = true
    later { $0.obey() }
  }

  private func restore() {
    wasReset = false
    isBusy = true
    later { session in
      guard session.isHolder else { return }
      session.world.set(session.mode, by: session)
      session.isBusy = false
      session.later { $0.obey() }
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
    guard let work else { return hold(lock) }
    world.log("\(process) has the lock again")
    life = .holding(lock)
    (watched, isBusy) = (nil, false)
    alarm += 1
    desk.begin(order()?.slip)
    look()
    guard mode != 0, (try? store.commit(Self.bytes(mode))) != nil else { return }
    world.acknowledged = mode
    work.resume(mode)
  }

  // MARK: What happens to it

  /// A file of the folder appeared, went, or was closed after writing.
  func noteChange(of path: String) {
    guard isAlive else { return }
    later { session in
      switch session.life {
      case .waiting where path == session.store.path(.lock): session.stepWaiting()
      case .asking where [.lock, .answer].map(session.store.path).contains(path):
        session.stepAsking()
      case .holding where path == session.store.path(.order): session.look()
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
    // Who has an answer was told what became of its order.
    if isStopped, !isAnswered { world.withdrawn.insert(Int(process)) }
    dropOrder()
    world.log("\(process) ends")
    life = .ended
    world.disk.end(process)
    world.noteEnd(of: self)
  }
}
