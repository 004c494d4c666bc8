import SessionCore

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

  /// What it waits for before it has its answer or its lock.
  enum Call {
    case claiming(LockClaim)
    case asking(OrderWait, number: Int, Int32, since: Duration)
  }

  let process: Int32
  let kind: Kind
  unowned let world: Simulation
  let calls: any FileCalls
  let store: StoreFiles
  /// Its work on the model server; nil where a number is the server.
  private(set) var work: ModelWork?
  var call: Call?
  var life = SessionLife<SessionLock, Int>()
  /// What it sets: its number, or what it was told to.
  var mode: Int
  var watched: Int32?
  var desk: OrderDesk
  /// Orders that wait, and those that were withdrawn since.
  var jobs: [Job] = []
  var stopped: Set<Int> = []
  var orderLock: Int32?
  /// Ctrl-C, and the end of the time for an answer.
  var isStopped = false
  var isAnswered = false
  /// Whether the server restarted while it was at work.
  var wasReset = false
  /// Whether its program has ended the mode, and no other session has written since.
  var isDeactivated = false
  /// Alarms that were set before are called off.
  var alarm = 0
  /// When it was woken lately.
  var wakes: [Duration] = []
  var isBusy = false

  init(_ process: Int32, _ kind: Kind, _ world: Simulation) {
    self.process = process
    self.kind = kind
    self.world = world
    mode = kind == .revert ? 0 : Int(process)
    calls = world.caller(ModelCalls(disk: world.disk, process: process))
    store = StoreFiles(folder: "/s", server: "x", calls: calls)
    call = .claiming(LockClaim(process: process))
    desk = OrderDesk(process: process)
    if let server = world.modelServer { work = ModelWork(self, world, server) }
  }

  /// What it is told to set, by whom, and with which number.
  struct Job {
    var number: Int
    var process: Int32
    var verb: String
    var mode: Int
    var holder: Int32
    var slip: OrderDesk.Slip { OrderDesk.Slip(number: number, holder: holder) }
  }

  var isAsking: Bool { if case .asking? = call { true } else { false } }
  var isHolder: Bool { life.isHolder }
  var isWaiting: Bool { life.isWaiting }
  var isRunning: Bool { isAlive }
  var isAlive: Bool { calls.isRunning(process) }
  var owner: LockRecord.Owner {
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
    wakes.append(world.now)
    while world.now - wakes[0] >= .seconds(1) { wakes.removeFirst() }
    world.check(wakes.count < 300, "\(process) is woken all the time")
  }

  // MARK: Taking the lock

  func claim() {
    guard case .claiming(var rule)? = call else { return }
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
      if let lock = result { return hold(lock) }
      pause = rule.noteRefused()
    }
    call = .claiming(rule)
    later(pause) { $0.claim() }
  }

  func hold(_ lock: SessionLock) {
    guard isAlive else { return }
    world.log("\(process) has the lock")
    world.sequence.take(process, isRunning: calls.isRunning)
    call = nil
    life.take(lock, since: kind.isCommand ? nil : "\(world.now)")
    watched = nil
    alarm += 1
    // The lock is taken in the turn of a call, which orders wait for.
    isBusy = true
    // The session asks the server for another holder before it listens for orders.
    later { session in
      if !session.kind.isCommand {
        session.desk.begin(answered: session.answer())
        session.look()
      }
      session.apply(session.mode, for: nil) { session, isDone in
        if session.kind.isCommand || !isDone { session.end() }
      }
    }
  }

  // MARK: Orders

  func order() -> Job? {
    guard let bytes = (try? store.read(.order)) ?? nil else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count == 5, let number = Int(words[0]), let process = Int32(words[1]),
      let mode = Int(words[3]), let holder = Int32(words[4])
    else { return nil }
    return Job(
      number: number, process: process, verb: String(words[2]), mode: mode, holder: holder)
  }

  /// The number of the order that was answered last.
  func answer() -> Int? {
    ((try? store.read(.answer)) ?? nil).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }

  func look() {
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
    guard isHolder, !isBusy else { return }
    guard !wasReset else { return restore() }
    guard !jobs.isEmpty else { return lookAtServer() }
    let order = jobs.removeFirst()
    guard order.process != process else { return make(order) }
    guard order.verb == "takeover" else {
      let value = order.verb == "revert" ? 0 : order.mode
      return apply(value, for: order.number) { session, _ in session.answer(order.number) }
    }
    guard !stopped.contains(order.number) else { return answer(order.number) }
    world.log("\(process) makes room for \(order.process)")
    life.lock?.pass(to: order.process)
    world.interrupted.insert(process, at: 0)
    life.wait(as: process)
    // Who dies as it gives the lock names nobody.
    world.sequence.release(process, to: isAlive ? order.process : nil)
    later {
      $0.answer(order.number)
      $0.stepWaiting()
    }
  }

  /// A call of its own program.
  func call(_ verb: String, _ mode: Int) {
    guard isHolder else { return }
    world.log("\(process) calls \(verb) \(mode)")
    jobs.append(Job(number: 0, process: process, verb: verb, mode: mode, holder: process))
    later { $0.obey() }
  }

  private func make(_ call: Job) {
    switch call.verb {
    case "setAudioMode": apply(call.mode, for: nil) { _, _ in }
    case "activate":
      guard let mode = life.mode else { return later { $0.obey() } }
      apply(mode, for: nil) { _, _ in }
    default: apply(0, for: nil, keeping: life.mode) { _, _ in }
    }
  }

  func answer(_ number: Int) {
    desk.didEnd(number)
    world.sequence.answer(number, by: process)
    try? store.write(Array("\(number)".utf8), to: .answer)
  }

  // MARK: What happens to it

  /// A file of the folder appeared, went, or was closed after writing.
  func noteChange(of path: String) {
    guard isAlive else { return }
    later { session in
      let isLock = path == session.store.path(.lock)
      if session.isWaiting, isLock { session.stepWaiting() }
      if session.isAsking, isLock || path == session.store.path(.answer) { session.stepAsking() }
      if session.isHolder, path == session.store.path(.order) { session.look() }
    }
  }

  func noteEnd(of process: Int32) {
    guard isAlive, watched == process else { return }
    watched = nil
    life.noteEnd(of: process)
    if isWaiting { stepWaiting() } else { stepAsking(isEnded: true) }
  }

  /// Ends it as SIGTERM does.
  func end() {
    // Who has an answer was told what became of its order.
    if isStopped, !isAnswered { world.withdrawn.insert(Int(process)) }
    dropOrder()
    world.log("\(process) ends")
    call = nil
    if life.lock != nil { world.sequence.release(process, to: nil) }
    life.beginClosing()
    life.close()
    world.disk.end(process)
    world.noteEnd(of: self)
  }
}
