import PulseTypes
import TestSupport

import TestSupport
@testable import SessionCore

/// The model server in the queue of a simulation: requests take time, and it freezes, restarts, refuses and
/// is changed by others.
final class ModelServer {
  private unowned let world: Simulation
  private(set) var model: SimulatedServer
  /// Counts its runs; what is connected to an earlier one is lost.
  private(set) var run = 1
  private(set) var isUp = true
  private var isFrozen = false
  /// The cards that come back with WirePlumber; nil while it runs.
  private var managed: [String]?
  /// What was sent to it while it was frozen: it is done afterwards, also if nobody waits for it.
  private var waiting: [() -> Void] = []
  /// The requests that it refuses from now on.
  var refusals = 0
  /// How much later than usual it answers.
  var delay = Duration.zero

  init(_ model: SimulatedServer, _ world: Simulation) {
    (self.model, self.world) = (model, world)
  }

  /// What a client sees after its request.
  struct View {
    var snapshot: ServerSnapshot
    var grants: [Setting: Duration]
    /// The devices whose levels the session manager had not restored then.
    var arrivals: Set<String>
  }

  /// Sends a request, which changes nothing or takes a step; the reply comes once.
  func ask(
    _ process: Int32, on run: Int, by deadline: Duration, _ step: Step? = nil,
    seeing view: View? = nil, _ reply: @escaping (Result<View, SessionError>) -> Void
  ) {
    var isOpen = true
    let answer = { (result: Result<View, SessionError>) in
      guard isOpen else { return }
      isOpen = false
      reply(result)
    }
    let act = { [unowned self] in
      guard world.disk.running.contains(process) else { return }
      guard isUp, run == self.run else {
        return answer(.failure(SessionError(.serverLost, stage: .server, "lost")))
      }
      if let device = otherPort(of: step, than: view) { world.promises.excuse([device]) }
      let result = take(step, of: process)
      world.after(delay) { answer(result) }
    }
    world.after(.zero) { [unowned self] in
      guard isFrozen || delay > .zero else { return act() }
      if isFrozen { waiting.append(act) } else { act() }
      world.after(max(.zero, deadline - world.now)) {
        answer(.failure(SessionError(.timedOut, stage: .server, "no answer")))
      }
    }
  }

  /// The device whose port has changed since a step for its level was planned: which of them it reaches
  /// nobody can know.
  private func otherPort(of step: Step?, than view: View?) -> String? {
    guard let step, step.setting.isLevel, let view,
      let device = step.setting.kind.device,
      let known = view.snapshot.device(device.direction, named: device.name),
      let now = model.snapshot.device(device.direction, named: device.name)
    else { return nil }
    return known.activePort == now.activePort ? nil : device.name
  }

  private func take(_ step: Step?, of process: Int32) -> Result<View, SessionError> {
    model.catchUp()
    if let step {
      guard refusals == 0 else {
        refusals -= 1
        world.log("refused: \(step.setting)")
        return .failure(SessionError(.refused, stage: .server, "the server refuses it"))
      }
      do throws(SimulatedServer.Refusal) {
        try change { (model: inout SimulatedServer) throws(SimulatedServer.Refusal) in
          try model.run(step)
        }
      } catch {
        return .failure(SessionError(.refused, stage: .server, error.message))
      }
      world.log("\(process) sets \(step.setting) to \(step.to)")
    }
    return .success(View(snapshot: model.snapshot, grants: model.grants, arrivals: model.arrivals))
  }

  /// Changes the server, and tells its clients.
  func change<Failure: Error>(
    _ change: (inout SimulatedServer) throws(Failure) -> Void
  ) throws(Failure) {
    let before = model.snapshot
    try change(&model)
    if model.snapshot != before { world.noteServerChange() }
  }

  // MARK: Faults

  func freeze(_ time: Duration) {
    guard isUp, !isFrozen else { return }
    world.log("the server freezes for \(time)")
    isFrozen = true
    world.after(time) { [unowned self] in thaw() }
  }

  private func thaw() {
    guard isFrozen else { return }
    world.log("the server goes on")
    isFrozen = false
    let requests = waiting
    waiting = []
    for act in requests { act() }
  }

  /// Ends and comes back after a while.
  func restart(keeps: Bool, after pause: Duration) {
    guard isUp else { return }
    world.log("the server restarts, \(keeps ? "with" : "without") its memory")
    stop()
    world.after(pause) { [unowned self] in start(keeps: keeps) }
  }

  func stop() {
    startManager()
    isUp = false
    isFrozen = false
    let requests = waiting
    waiting = []
    for act in requests { act() }
    world.noteServerChange()
  }

  func start(keeps: Bool) {
    guard !isUp else { return }
    isUp = true
    run += 1
    model.restart(keeps: keeps)
    world.promises.noteNatural(model, isFresh: !keeps)
    settleLater()
  }

  /// No fault goes on.
  func calmDown() {
    thaw()
    refusals = 0
    delay = .zero
    startManager()
    start(keeps: true)
  }

  func plug(_ card: String) {
    guard model.unplugged[card] != nil, isUp, managed == nil else { return }
    world.log("\(card) is plugged in")
    change { $0.plug(card) }
    world.promises.noteNatural(model, isFresh: true)
    settleLater()
  }

  func unplug(_ card: String) {
    guard model.unplugged[card] == nil, isUp else { return }
    world.log("\(card) is unplugged")
    change { $0.unplug(card) }
  }

  func setJack(_ port: String, isPlugged: Bool) {
    guard isUp else { return }
    world.log("\(port) is \(isPlugged ? "plugged in" : "unplugged")")
    change { $0.setJack(port, isPlugged ? .yes : .no) }
    world.promises.noteNatural(model, isFresh: true)
  }

  /// WirePlumber ends, and is started again after a while.
  func restartManager(after pause: Duration) {
    guard isUp, model.snapshot.has(.sessionManager), managed == nil else { return }
    world.log("WirePlumber ends")
    change { managed = $0.endManager() }
    let run = run
    world.after(pause) { [unowned self] in if run == self.run { startManager() } }
  }

  private func startManager() {
    guard let cards = managed else { return }
    world.log("WirePlumber is back")
    managed = nil
    change { $0.startManager(cards) }
    world.promises.noteNatural(model, isFresh: true)
    settleLater()
  }

  /// The session manager restores what it knows of a device a while after it shows it.
  private func settleLater() {
    guard !model.arrivals.isEmpty else { return }
    world.after(.milliseconds(world.random.below(900))) { [unowned self] in
      guard isUp else { return }
      change { $0.settleArrivals() }
      world.promises.noteNatural(model, isFresh: true)
    }
  }
}
