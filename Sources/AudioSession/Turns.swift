package import Pulse
import SessionCore

/// Lets calls that change something run one after the other, in order. For the code of one actor.
package final class Turns {
  /// A waiting caller.
  private final class Place {
    /// Its number, if it may leave.
    let number: UInt64?
    let wait = PulseLoop.Wait()
    var hasTurn = false

    init(_ number: UInt64?) { self.number = number }
  }

  private let loop: PulseLoop
  private(set) var isTaken = false
  private var waiting: [Place] = []
  private var lastNumber: UInt64 = 0

  /// - Parameter loop: the loop of the actor, which continues there also in a program that keeps Swift's
  ///   threads busy.
  package init(on loop: PulseLoop) { self.loop = loop }

  func takeIfFree() -> Bool {
    defer { isTaken = true }
    return !isTaken
  }

  /// Waits for the turn; false if the caller with this number has left before.
  @discardableResult
  package func take(
    as number: UInt64? = nil, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    if takeIfFree() { return true }
    let place = Place(number)
    waiting.append(place)
    await place.wait.pass(on: loop)
    return place.hasTurn
  }

  /// A number for a caller that may leave.
  func drawNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Ends a wait without the turn, if it still waits.
  func leave(_ number: UInt64) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).wait.end()
  }

  /// Passes the turn to the next waiting caller, if any.
  package func pass() {
    guard !waiting.isEmpty else { return isTaken = false }
    let next = waiting.removeFirst()
    next.hasTurn = true
    next.wait.end()
  }
}

extension AudioSession {
  /// Takes the turn before current or waiting upkeep: upkeep stops at its next step and continues
  /// later.
  func takeTurnFromUpkeep() async {
    queue.waiting += 1
    queue.upkeep?.set()
    await queue.turns.take()
    queue.waiting -= 1
  }

  /// The same for a call that ends without the turn when its task is cancelled or its time has passed.
  func takeTurnFromUpkeep(by deadline: Deadline) async throws(SessionError) {
    queue.waiting += 1
    defer { queue.waiting -= 1 }
    queue.upkeep?.set()
    if queue.turns.takeIfFree() { return }
    let number = queue.turns.drawNumber()
    let alarm = deadline.onPassing(on: loop) { await self.leaveTurns(number) }
    let hasTurn = await withTaskCancellationHandler {
      await queue.turns.take(as: number)
    } onCancel: {
      loop.task { await self.leaveTurns(number) }
    }
    alarm.cancel()
    guard !hasTurn else { return }
    guard Task.isCancelled else { throw Self.noTime }
    throw SessionError(
      .cancelled, stage: .session, "cancelled while an earlier change was in progress")
  }

  private func leaveTurns(_ number: UInt64) { queue.turns.leave(number) }
}
