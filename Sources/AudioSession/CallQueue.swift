import Pulse

/// The calls that change something: whose turn it is, what is stopped for the next one, and which of
/// them a later one has replaced.
struct CallQueue {
  let turns: Turns
  /// How often the session was closed, also by calls that have not closed it yet.
  private(set) var closes: UInt64 = 0
  /// How many calls are closing it.
  private var closing = 0
  /// Whether the session is being closed: no call waits for another process any more.
  var isEnding: Bool { closing > 0 }
  /// Stops the current change, if it can be stopped.
  var running: StopSignal?
  /// Stops the current wait for another process.
  var lockWait = StopSignal()
  /// Withdraws the current change, if another session is to carry it out.
  var withdraw: (@Sendable () -> Void)?
  /// The limit of the call that has its turn.
  var limit: Deadline?
  /// Stops the current upkeep.
  var upkeep: StopSignal?
  /// How many calls wait for their turn with priority over upkeep.
  var waiting = 0
  private var requests: UInt64 = 0
  /// The calls that replace the whole mode and have not ended: those that wait before one of them need
  /// not run.
  private var replacements: Set<UInt64> = []
  /// The last call that was carried out and replaced or ended the mode.
  private var lastDone: UInt64 = 0
  private var decisions: UInt64 = 0
  /// The pause of a call that waits to be repeated.
  var pause: Task<Void, Never>?

  /// The number of a call that counts as made before all others.
  static let start: UInt64 = 0

  init(on loop: PulseLoop) { turns = Turns(on: loop) }

  mutating func newRequest(replacesMode: Bool) -> UInt64 {
    requests += 1
    if replacesMode { replacements.insert(requests) }
    return requests
  }

  /// The call was carried out, failed, or was cancelled while it waited.
  mutating func end(_ request: UInt64) { replacements.remove(request) }

  func isReplaced(_ request: UInt64) -> Bool { replacements.contains { $0 > request } }

  /// The call was carried out: one before it that had let later ones pass is out of date.
  mutating func noteDone(_ request: UInt64) { lastDone = max(lastDone, request) }

  func isOutdated(_ request: UInt64) -> Bool { request < lastDone }

  /// Counts a call that decides what is to be in effect; an earlier one that waits to be repeated ends.
  @discardableResult
  mutating func newDecision() -> UInt64 {
    endPause()
    decisions += 1
    return decisions
  }

  mutating func endPause() {
    pause?.cancel()
    pause = nil
  }

  /// A close begins: what was called before it opens the session no more.
  mutating func beginClose() {
    closes += 1
    closing += 1
  }

  mutating func endClose() { closing -= 1 }

  /// Stops the current change and all waits.
  mutating func stop() {
    running?.set()
    lockWait.set()
    withdraw?()
    endPause()
  }

  func isLast(_ decision: UInt64) -> Bool { decision == decisions }
}
