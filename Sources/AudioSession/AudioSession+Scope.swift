import Glibc
import Pulse
package import PulseTypes
package import SessionCore

/// A session of one program (`scope = "application"`) has no lock, no files and no part in what other
/// programs share: it says where this program's streams go, and they take rate and channels
/// themselves.
extension AudioSession {
  /// Throws for a wish that this session cannot be for.
  nonisolated func checkScope(_ mode: AudioMode) throws(SessionError) {
    guard mode.scope == .application else { return }
    guard configuration.isHolding, !configuration.holdsWithoutWish else {
      throw SessionError(
        .invalidValue, stage: .configuration,
        "scope \"application\" is about a program's own streams, and this one has none that "
          + "stay; use scope \"server\", or the library in the program itself",
        property: .scope, value: "application")
    }
  }

  /// Makes the session one of this program, or of the server, before a wish of that scope: what the
  /// former wish did is undone, and the hold given back.
  func enter(_ scope: Scope, _ budget: Budget) async throws(SessionError) {
    guard scope != self.scope else { return }
    if lock != nil { _ = try await restore(keeping: nil, budget) }
    orders.stop()
    dropLock()
    (own, isActive) = (nil, false)
    self.scope = scope
    await live?.setScope(scope, deadline: budget.run)
  }

  /// Goes back to a former scope, and makes its wish so again, after the wish of another one failed.
  func comeBack(
    to former: Scope, _ wish: OwnWish?, _ cause: SessionError
  ) async -> SessionError {
    var result = cause
    let budget = Budget(configuration.timeout)
    do throws(SessionError) {
      try await enter(former, budget)
      if let wish { _ = try await make(wish, budget, isObserved: false) }
      result.restored = true
    } catch {
      result.restored = false
      result.message += "; the former mode could not be made so again (\(error.message))"
    }
    return result
  }

  /// Where and how a stream of this program is to be opened.
  package func place(_ direction: Direction) async -> StreamPlace {
    guard let wish = wishInForce, let live else { return StreamPlace() }
    var place = PlanInput(wish: wish, snapshot: await live.snapshot).place(direction)
    place.role = wish.mode?.ownRole
    return place
  }
}

extension LiveServer {
  /// Lets the server be seen with the eyes of a scope, and others know of it.
  func setScope(_ scope: Scope, deadline: Deadline) async {
    let isOfOneProgram = scope == .application
    guard isOfOneProgram != (viewer != nil) else { return }
    see(as: isOfOneProgram ? getpid() : nil)
    // Where it does not arrive a holder that moves streams moves this program's, too.
    try? await client.updateProperties(
      [Owned.scopeKey: scope.rawValue], timeout: deadline.remaining)
  }
}
