import PulseTypes
import SessionCore
import TestSupport

/// Lives of processes on one server and one disk, in virtual time and one thread: the shipped lock, its state
/// machines and the shipped store run on a model of the system's calls.
///
/// All follows from the seed; `history` is the same each time.
final class Simulation {
  /// A rule that did not hold.
  struct Broken: Error, CustomStringConvertible {
    var seed: UInt64
    var rule: String
    var history: [String]
    var description: String {
      "seed \(seed): \(rule)\n" + history.suffix(200).joined(separator: "\n")
    }
  }

  /// Makes the calls of a process; a mutant makes some of them wrongly.
  typealias Caller = (ModelCalls) -> any FileCalls

  let seed: UInt64
  var random: SeededRandom
  let disk = ModelDisk()
  let caller: Caller
  let seesDisk: Bool
  /// The model server, if the lives are on one; otherwise a number is the server.
  private(set) var modelServer: ModelServer?
  let modelMutant: ModelMutant?
  let promises = Promises()
  /// What lock, orders and answers may be.
  var sequence = SequentialModel()
  /// Whether jacks and WirePlumber come and go, too.
  let hasMoreFaults: Bool
  /// Whether other programs change the model server, too.
  private(set) var isRivalled = false
  private(set) var now = Duration.zero
  private(set) var history: [String] = []
  private(set) var broken: String?
  /// In the order in which they are due.
  private var queue: [(due: Duration, work: () -> Void)] = []
  var sessions: [SimulatedSession] = []
  /// What the server has; its disk is another.
  private(set) var setting = 0
  /// What it had before any session.
  let original = 0
  /// The last mode that was acknowledged, and those under way after it.
  var acknowledged: Int?
  var underWay: Set<Int> = []
  /// The modes of commands that gave up before they had an answer.
  var withdrawn: Set<Int> = []
  /// Who was interrupted and has not gone on, the last first.
  var interrupted: [Int32] = []
  /// The number of the last order.
  var orders = 0
  private var lastProcess: Int32 = 100
  /// After how many calls a process dies.
  var dying: [Int32: Int] = [:]

  /// - Parameters:
  ///   - seesDisk: whether the checks know what is on the disk; otherwise only a power cut shows it.
  ///   - kind: the model server; nil for a number.
  init(
    seed: UInt64, seesDisk: Bool = true, on kind: ServerKind? = nil, hasMoreFaults: Bool = false,
    mutant: ModelMutant? = nil,
    caller: @escaping Caller = { $0 }
  ) {
    self.seed = seed
    self.seesDisk = seesDisk
    self.caller = caller
    self.hasMoreFaults = hasMoreFaults
    modelMutant = mutant
    random = SeededRandom(seed: seed)
    if let kind {
      isRivalled = random.one(in: 2)
      let model = SimulatedServer.machine(kind: kind) {
        $0.addLaptop()
        $0.addUSB()
      }
      modelServer = ModelServer(model, self)
      promises.noteNatural(model, isFresh: true)
    }
    disk.mayCall = { [weak self] process, call in self?.mayCall(process, call) ?? true }
    disk.onChange = { [weak self] path in
      for session in self?.sessions ?? [] { session.noteChange(of: path) }
    }
  }

  func log(_ line: @autoclosure () -> String) {
    history.append(
      "\(now.components.seconds).\(now.components.attoseconds / 1_000_000_000_000) \(line())")
  }

  func check(_ holds: Bool, _ rule: @autoclosure () -> String) {
    guard !holds, broken == nil else { return }
    broken = rule()
    log("broken: \(rule())")
  }

  /// Calls back later, and a little later than that: messages are late.
  func after(_ pause: Duration, _ work: @escaping () -> Void) {
    let due = now + pause + .microseconds(20 + random.below(1500))
    var place = queue.count
    while place > 0, queue[place - 1].due > due { place -= 1 }
    queue.insert((due, work), at: place)
  }

  /// Runs a life: people start, apply, end and kill; then all comes to rest.
  func run(actions: Int = 24, powerCuts: Bool = true) throws(Broken) {
    for _ in 0..<actions where broken == nil {
      if modelServer != nil, random.one(in: 2) { actOnServer() }
      if hasMoreFaults, random.one(in: 3) { callOnHolder() }
      act(powerCuts)
      let pause = random.chance(1, in: 3) ? Duration.microseconds(random.below(3000)) : .seconds(2)
      turn(until: now + pause)
    }
    let end = now + .seconds(60)
    turn(until: end)
    check(queue.isEmpty, "something goes on for ever: \(queue.count) events wait")
    checkRest()
    finishOnServer()
    if let broken { throw Broken(seed: seed, rule: broken, history: history) }
  }

  func turn(until end: Duration) {
    while broken == nil, let next = queue.first, next.due <= end {
      let event = queue.removeFirst()
      now = event.due
      event.work()
      if let rule = sequence.broken { check(false, rule) }
    }
    now = max(now, end)
  }

  private var living: [SimulatedSession] { sessions.filter { disk.running.contains($0.process) } }

  private func act(_ powerCuts: Bool) {
    let holders = living.filter { $0.isHolder || $0.isWaiting }
    switch random.below(13) {
    case 10, 11: if let one = living.filter(\.isAsking).randomElement(using: &random) { one.stop() }
    case 12 where modelServer != nil: start(.revert)
    case 12: restartServer()
    case 0, 1: start(.hold(replaces: false))
    case 2, 3, 4: start(.hold(replaces: true))
    case 5, 6: start(.apply)
    case 7: if let one = holders.randomElement(using: &random) { one.end() }
    case 8: if let one = living.randomElement(using: &random) { kill(one) }
    default: if powerCuts, random.chance(1, in: 3) { cutPower() }
    }
  }

  /// The program of a holder calls its session, which may be at work or have a dead server.
  private func callOnHolder() {
    guard let one = living.first(where: \.isHolder) else { return }
    lastProcess += 1
    one.call(
      random.pick(["setAudioMode", "activate", "deactivate", "deactivate"]), Int(lastProcess))
  }

  func start(_ kind: SimulatedSession.Kind) {
    lastProcess += 1
    disk.start(lastProcess)
    let session = SimulatedSession(lastProcess, kind, self)
    sessions.append(session)
    log("\(lastProcess) starts, \(kind)")
    session.begin()
  }

  /// Ends a process at once, or between two calls to come.
  private func kill(_ session: SimulatedSession) {
    guard random.chance(1, in: 2) else { return dying[session.process] = random.below(12) }
    log("\(session.process) is killed")
    disk.end(session.process)
    noteEnd(of: session)
  }

  private func mayCall(_ process: Int32, _ call: String) -> Bool {
    guard let left = dying[process] else { return true }
    dying[process] = left - 1
    guard left == 0 else { return true }
    log("\(process) is killed before \(call)")
    after(.zero) { [unowned self] in sessions.first { $0.process == process }.map(noteEnd) }
    return false
  }

  /// Tells those that watch a process, once its files are closed.
  func noteEnd(of session: SimulatedSession) {
    interrupted.removeAll { $0 == session.process }
    for other in sessions where other.watched == session.process {
      after(.zero) { other.noteEnd(of: session.process) }
    }
  }

  /// The server restarts with what it has: mixers keep their values.
  private func cutPower() {
    log("the power goes")
    disk.cutPower(&random)
    queue = []
    (interrupted, dying) = ([], [:])
    sequence.restart()
    let store = StoreFiles(folder: "/s", server: "x", calls: ModelCalls(disk: disk, process: 0))
    disk.start(0)
    defer { disk.end(0) }
    let mode = (try? store.read(.mode)) ?? nil
    let value = mode.flatMap(SimulatedSession.value)
    check(
      mode == nil || value != nil, "the power went, and the stored mode is damaged: \(mode ?? [])")
    check(
      value == acknowledged || underWay.contains(value ?? 0),
      "the power went, and with it the acknowledged mode \(acknowledged ?? -1): \(value ?? -1)")
    cutServerPower()
    let before = ((try? store.read(.baseline)) ?? nil).flatMap(SimulatedSession.value)
    check(setting == original || before == original, "nothing leads back from \(setting)")
    acknowledged = value
    underWay = []
  }

  /// The server has what it had at first, or what it was given.
  private func restartServer() {
    log("the server restarts")
    if random.chance(2, in: 3) { setting = original }
    for session in living where session.isHolder { session.noteReset() }
  }

  /// Whether the server takes a value; at times it refuses.
  func accepts(_ value: Int) -> Bool {
    guard random.chance(1, in: 10) else { return true }
    log("the server refuses \(value)")
    return false
  }

  /// A session sets the server.
  func set(_ value: Int, by session: SimulatedSession) {
    check(
      disk.locker(of: "/s/x.lock") == session.process, "\(session.process) writes without the lock")
    check(
      !seesDisk || disk.certain("/s/x.baseline.json").flatMap(SimulatedSession.value) == original,
      "\(session.process) writes, and the baseline is not on the disk")
    check(
      !withdrawn.contains(value) || value == acknowledged,
      "\(session.process) applies \(value), whose command has given up")
    setting = value
    log("\(session.process) sets \(value)")
  }

  private func checkRest() {
    let holders = living.filter(\.isHolder)
    let waiting = living.filter(\.isWaiting)
    check(holders.count <= 1, "two hold")
    check(!holders.isEmpty || waiting.isEmpty, "nobody holds, and \(waiting.map(\.process)) wait")
    for session in living {
      check(
        session.isHolder || session.isWaiting, "\(session.process) neither holds, waits nor ends")
    }
    if let holder = holders.first, modelServer == nil {
      check(
        setting == holder.mode,
        "\(holder.process) holds \(holder.mode), and the server has \(setting)")
    }
  }
}
