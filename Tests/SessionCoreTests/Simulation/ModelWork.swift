import JSONCoding
import PulseTypes

@testable import SessionCore

/// The work of a simulated process on the model server: performs what the shipped loops say, an action at a
/// time, as the session itself does on a real server.
final class ModelWork {
  unowned let session: SimulatedSession
  unowned let world: Simulation
  let server: ModelServer
  let mutant: ModelMutant?
  /// The run of the server that it is connected to.
  var connection: Int?
  /// The last answer of the server.
  var view: ModelServer.View?
  var rules = UpkeepRules()
  var backoff: ReconnectBackoff?
  var looks = 0
  /// When it looks next.
  var scheduled: Duration?

  init(_ session: SimulatedSession, _ world: Simulation, _ server: ModelServer) {
    (self.session, self.world, self.server) = (session, world, server)
    mutant = world.modelMutant
  }

  typealias Done = (SessionError?) -> Void

  /// Reads the server; connects first where there is no connection.
  func read(by deadline: Duration, _ done: @escaping Done) {
    guard server.isUp else {
      connection = nil
      return session.later { _ in done(SessionError(.serverUnreachable, stage: .server, "down")) }
    }
    let isNew = connection == nil
    let run = connection ?? server.run
    ask(run, by: deadline) { work, error in
      if error == nil, isNew { work.connection = run }
      done(error)
    }
  }

  private func ask(
    _ run: Int, by deadline: Duration, _ step: Step? = nil,
    _ done: @escaping (ModelWork, SessionError?) -> Void
  ) {
    server.ask(session.process, on: run, by: deadline, step, seeing: view) { [weak self] result in
      guard let self else { return }
      session.later { _ in
        switch result {
        case .success(let view):
          self.view = view
          done(self, nil)
        case .failure(let error):
          if error.code == .serverLost { self.connection = nil }
          done(self, error)
        }
      }
    }
  }

  // MARK: The loop

  /// A run in progress.
  final class Task {
    var loop: Reconciler
    let deadline: Duration
    let isStopped: () -> Bool
    let done: Done
    /// Notes what is plugged in at each reading and returns what flaps.
    var noteAttachments: ((ServerSnapshot) -> Set<Attachment>?)?

    init(
      _ loop: Reconciler, by deadline: Duration, _ isStopped: @escaping () -> Bool,
      _ done: @escaping Done
    ) {
      (self.loop, self.deadline, self.isStopped, self.done) = (loop, deadline, isStopped, done)
    }
  }

  /// Performs the loop's actions until it ends; other processes, and all that happens, come between any two.
  func perform(_ task: Task) {
    do throws(SessionError) {
      switch try task.loop.next(isStopped: task.isStopped(), isLate: world.now >= task.deadline) {
      case .read:
        request(task) { work, view throws(SessionError) in
          try task.loop.didRead(
            view.snapshot, grants: view.grants, unsteady: task.noteAttachments?(view.snapshot))
        }
      case .save(let baseline):
        try task.loop.didSave(save(baseline))
        session.later { [weak self] _ in self?.perform(task) }
      case .check:
        request(task) { work, view throws(SessionError) in task.loop.didCheck(view.snapshot) }
      case .run(let step): run(step, task)
      case .finish: task.done(nil)
      }
    } catch {
      task.done(error)
    }
  }

  private func request(
    _ task: Task,
    _ handle: @escaping (ModelWork, ModelServer.View) throws(SessionError) -> Void
  ) {
    guard let connection else {
      return task.done(SessionError(.serverLost, stage: .server, "lost"))
    }
    ask(connection, by: task.deadline) { work, error in
      if let error { return task.done(error) }
      do throws(SessionError) {
        if let view = work.view { try handle(work, view) }
        work.perform(task)
      } catch {
        task.done(error)
      }
    }
  }

  /// Writes a step, and reads it back until the server shows it or its patience ends.
  private func run(_ step: Step, _ task: Task) {
    guard let connection else {
      return fail(SessionError(.serverLost, stage: .server, "lost"), task)
    }
    world.checkWrite(step, by: session)
    let place = view?.snapshot.place(of: step)
    ask(connection, by: task.deadline, step) { work, error in
      if let error {
        if error.code == .timedOut { work.noteTimeOut(step) }
        return work.fail(error, task)
      }
      let isLazy = work.view?.snapshot.has(.earlyReplies) == true
      let patience = step.setting.patience(isLazy: isLazy).map { work.world.now + $0 }
      work.readBack(step, at: place, task, until: min(task.deadline, patience ?? task.deadline))
    }
  }

  private func readBack(_ step: Step, at place: StepPlace?, _ task: Task, until end: Duration) {
    guard let connection else {
      return fail(SessionError(.serverLost, stage: .server, "lost"), task)
    }
    ask(connection, by: task.deadline) { work, error in
      if let error { return work.fail(error, task) }
      guard let view = work.view else { return }
      guard view.snapshot.place(of: step) == place else {
        task.loop.didRun(.outdated, view.snapshot)
        return work.perform(task)
      }
      if view.snapshot.satisfies(step) || step.setting.isHint {
        let granted = view.grants[step.setting].map { SettingValue.duration($0) }
        task.loop.didRun(.done(granted: granted), view.snapshot)
        return work.perform(task)
      }
      guard work.world.now >= end else {
        return work.session.later(.milliseconds(60)) { _ in
          work.readBack(step, at: place, task, until: end)
        }
      }
      let isLate = work.world.now >= task.deadline
      let error = SessionError(
        isLate ? .timedOut : .refused, stage: .server, "\(step.setting) does not show \(step.to)")
      let isUndone =
        !view.snapshot.has(.earlyReplies) && !isLate
        && view.snapshot.value(of: step.setting) != nil
      work.fail(error, task, isUndone: isUndone)
    }
  }

  private func fail(_ error: SessionError, _ task: Task, isUndone: Bool = false) {
    do throws(SessionError) {
      try task.loop.didFail(error, undone: isUndone ? 1 : 0)
      perform(task)
    } catch {
      task.done(error)
    }
  }

  private func noteTimeOut(_ step: Step) {
    guard mutant == .blamesTimeOuts else { return }
    for _ in 0..<ConflictDetector.limit
    where rules.conflicts.noteChange(of: step.setting, at: world.now) != nil {
      world.noteConflict(step.setting, session)
    }
  }

  // MARK: The store

  private func save(_ baseline: Baseline) -> Result<Void, SessionError> {
    guard mutant != .savesLate else { return .success(()) }
    do throws(SessionError) {
      return .success(try session.store.protect(Self.bytes(baseline)))
    } catch {
      return .failure(error)
    }
  }

  func write(_ baseline: Baseline) throws(SessionError) {
    try session.store.write(Self.bytes(baseline), to: .baseline, isSynced: true)
  }

  func storedBaseline() -> Baseline {
    ((try? session.store.read(.baseline)) ?? nil).flatMap(Self.baseline) ?? Baseline()
  }

  static func bytes(_ baseline: Baseline) -> [UInt8]? {
    baseline.isEmpty ? nil : try? JSON.encode(baseline)
  }

  static func baseline(_ bytes: [UInt8]) -> Baseline? {
    try? JSON.decode(Baseline.self, from: bytes)
  }
}
