import PulseSandbox
import SessionCore

@testable import AudioSession

extension AudioSession {
  /// How many calls wait for their turn.
  var waitingCalls: Int { queue.waiting }

  /// Whether a call has its turn.
  var hasTurn: Bool { queue.turns.isTaken }

  /// Whether a call waits to be repeated.
  var isPausing: Bool { queue.pause != nil }

  /// How often its server was there again.
  var resetCount: Int { upkeep.resets }

  var isInterrupted: Bool { upkeep.rules.interruptions.isInterrupted }

  /// Keeps all that needs the turn waiting, until `passTurn`.
  func takeTurn() async { await queue.turns.take() }

  func passTurn() { queue.turns.pass() }
}

extension Rig {
  /// The files of its session.
  var store: SessionStore {
    SessionStore(folder: sandbox.directory + "/store", server: .init(sandbox.address))
  }

  /// What other processes read of its session: the number of the mode, and its pins.
  var status: String {
    get throws { "\(store.known()?.generation as Any) \(try store.holdersState()?.pins as Any)" }
  }
}
