import Glibc
import Pulse
package import PulseTypes
package import SessionCore

/// A session of one program (`scope = "application"`) has no lock and no files, and does not change
/// what programs share: it decides where this program's streams are opened, and the streams
/// themselves request rate and channels.
extension AudioSession {
  /// Throws for a mode that no session or not this one can have.
  nonisolated func checkMode(_ mode: AudioMode) throws(SessionError) {
    try mode.validate()
    guard mode.scope == .application else { return }
    guard configuration.isHolding, !configuration.holdsWithoutMode else {
      throw SessionError(
        .invalidValue, stage: .configuration,
        "scope \"application\" is about a program's own streams, and this one has none that "
          + "stay; use scope \"server\", or the library in the program itself",
        property: .scope, value: "application")
    }
  }

  /// Changes the session's scope before a mode of that scope is applied: restores what the former
  /// mode changed, and releases the hold.
  ///
  /// - Returns: the report of what was restored.
  @discardableResult
  func enter(_ scope: Scope, _ budget: Budget) async throws(SessionError) -> ApplyReport? {
    guard scope != self.scope else { return nil }
    var report: ApplyReport?
    if life.lock != nil { report = try await restore(keepsMode: false, budget) }
    orders.stop()
    await giveLockBack()
    life.declare(nil)
    self.scope = scope
    await live?.setScope(scope, deadline: budget.run)
    return report
  }

  /// Returns to a former scope and applies its mode again, after a mode of another scope failed.
  ///
  /// - Parameters:
  ///   - declared: that mode.
  ///   - charges: the levels that its devices had.
  ///   - isWaiting: whether the session waited for another process's end, to apply the mode then.
  ///   - takeOver: how it was taken over.
  func comeBack(
    to former: Scope, _ declared: OwnMode?, _ charges: Charges?, isWaiting: Bool,
    _ takeOver: InterruptionReason?, _ call: Budget, _ cause: SessionError
  ) async -> SessionError {
    var result = cause
    // What is left of the call's time is for this.
    let budget = Budget(call.rollback.remaining)
    do throws(SessionError) {
      try await enter(former, budget)
      if let declared, isWaiting {
        life.declare(declared)
        if let takeOver { _ = upkeep.rules.interruptions.begin(takeOver) }
        beginWaiting(store(live))
      } else if let declared {
        _ = try await make(
          declared, budget, extent: charges.map { .again($0) } ?? .whole, isObserved: false)
      }
      // Unless something of the failed mode is left, or nothing was changed.
      result.restored = cause.restored ?? (declared == nil ? nil : true)
    } catch {
      result.restored = false
      result.message += "; the former mode could not be restored (\(error.message))"
    }
    return result
  }

  /// Where and how to open a stream of this program.
  package func place(_ direction: Direction) async -> StreamPlace {
    guard let mode = modeInEffect, let live else { return StreamPlace() }
    var place = PlanInput(mode: mode, snapshot: await live.snapshot).place(direction)
    place.role = mode.mode?.ownRole
    return place
  }

  /// The preferred buffer of the device of a direction, for a stream of this program.
  package func buffer(_ direction: Direction) async -> Duration? {
    guard let live, let mode = await modeForStreams else { return nil }
    var input = PlanInput(mode: mode, snapshot: await live.snapshot)
    // Which rates the device does not take.
    input.memory = life.held?.memory ?? HintMemory()
    return input.buffer(direction)
  }
}

extension LiveServer {
  /// Sets the scope in which the server is seen, and lets other sessions know it.
  func setScope(_ scope: Scope, deadline: Deadline) async {
    let isOfOneProgram = scope == .application
    guard isOfOneProgram != (viewer != nil) else { return }
    see(as: isOfOneProgram ? getpid() : nil)
    // If this fails, a holder that moves streams also moves this program's.
    try? await client.updateProperties(
      [Owned.scopeKey: scope.rawValue], timeout: deadline.remaining)
  }
}
