import Logging
import PulseTypes
import SessionCore

/// Performs a reconciler's actions on a live server and its store.
struct ReconcilerDriver {
  let live: LiveServer
  let store: SessionStore
  let deadline: Deadline
  let logger: Logger?
  var stop: StopSignal?
  /// Notes what is plugged in at each reading and returns what flaps; nil for an explicit request, which
  /// uses what is there.
  var noteAttachments: (@Sendable (ServerSnapshot) async -> Set<Attachment>)?

  /// Reads the server and plans; an empty plan needs no `run`.
  func plan(_ reconciler: inout Reconciler) async throws(SessionError) -> Plan {
    if case .read(let isGlance) = try next(&reconciler) {
      try await read(&reconciler, isGlance: isGlance)
    }
    return reconciler.lastPlan
  }

  /// Runs until the plan is empty; continues where `plan` stopped.
  func run(_ reconciler: inout Reconciler) async throws(SessionError) {
    while true {
      switch try next(&reconciler) {
      case .read(let isGlance): try await read(&reconciler, isGlance: isGlance)
      case .save(let baseline):
        try reconciler.didSave(save(baseline))
      case .check:
        reconciler.didCheck(try await live.refresh(deadline: deadline))
      case .run(let step): try await run(step, &reconciler)
      case .finish: return
      }
    }
  }

  private func next(_ reconciler: inout Reconciler) throws(SessionError) -> Reconciler.Action {
    try reconciler.next(isStopped: stop?.isRaised == true, isLate: deadline.hasPassed)
  }

  private func read(_ reconciler: inout Reconciler, isGlance: Bool) async throws(SessionError) {
    let snapshot = try await live.refresh(
      rounds: isGlance ? 1 : LiveServer.mostRounds, deadline: deadline)
    let plan = try reconciler.didRead(
      snapshot, inherited: await live.takeOver(in: snapshot), grants: await live.grants(),
      unsteady: await noteAttachments?(snapshot))
    guard let first = plan.steps.first else { return }
    logger?.debug("plan", metadata: ["steps": "\(plan.steps.count)", "phase": "\(first.phase)"])
  }

  private func run(_ step: Step, _ reconciler: inout Reconciler) async throws(SessionError) {
    let answer: StepAnswer
    do throws(SessionError) {
      // What a server accepts and does not do takes half of the time at most, where the rest is done all
      // the same.
      let limit =
        reconciler.continuesWithoutSteps ? Deadline(after: deadline.remaining / 2) : nil
      answer = try await live.run(step, limit: limit, deadline: deadline)
    } catch {
      return try reconciler.didFail(error)
    }
    if case .undone(let error, let times) = answer {
      return try reconciler.didFail(error, undone: times)
    }
    reconciler.didRun(answer, await live.snapshot)
  }

  private func save(_ baseline: Baseline) -> Result<Void, SessionError> {
    do throws(SessionError) {
      return .success(try store.protect(baseline))
    } catch {
      logger?.debug("baseline not stored", metadata: ["error": "\(error.message)"])
      return .failure(error)
    }
  }
}

extension AudioSession {
  func driver(
    _ live: LiveServer, _ store: SessionStore, _ deadline: Deadline, _ stop: StopSignal? = nil
  ) -> ReconcilerDriver {
    ReconcilerDriver(
      live: live, store: store, deadline: deadline, logger: configuration.logger, stop: stop)
  }
}
