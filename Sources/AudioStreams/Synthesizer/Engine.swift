internal import Pulse

/// The state of a synthesizer. A run lasts from `start` to `stop`, and has a number.
final class Engine: @unchecked Sendable {  // everything is behind `lock`
  private enum State {
    case idle(StreamError?)
    /// A stream is being opened, for the first time or after an error.
    case opening(UInt64, after: StreamError?)
    case running(UInt64, SynthParts)
    /// The stream ended by itself and is to be opened again.
    case away(UInt64, StreamError)
  }

  private let lock = Lock()
  private var state = State.idle(nil)
  private var lastRun: UInt64 = 0
  private var resets = 0
  private var refused: UInt64 = 0

  /// Reserves the opening of a stream for the caller; nil if the run has a stream, or another task
  /// opens one.
  func reserve() -> UInt64? {
    lock.withLock {
      switch state {
      case .opening, .running: return nil
      case .idle:
        lastRun += 1
        (resets, refused) = (0, 0)
        state = .opening(lastRun, after: nil)
      case .away(let run, let error): state = .opening(run, after: error)
      }
      return lastRun
    }
  }

  /// The next step of a task that restores a run's stream.
  enum Retry { case open, wait, giveUp }

  func retry(_ run: UInt64) -> Retry {
    lock.withLock {
      switch state {
      case .away(run, let error):
        state = .opening(run, after: error)
        return .open
      case .opening(run, _): return .wait
      default: return .giveUp
      }
    }
  }

  /// Starts a run with its parts; false if it was stopped or its stream ended in the meantime.
  func begin(_ run: UInt64, _ parts: SynthParts) -> Bool {
    lock.withLock {
      guard case .opening(run, let error) = state else { return false }
      if error != nil { resets += 1 }
      state = .running(run, parts)
      return true
    }
  }

  /// Notes that the stream could not be opened or ended by itself; true if the caller must restore
  /// it.
  func fail(_ run: UInt64, _ error: StreamError) -> Bool {
    var ended: SynthParts?  // released outside the lock
    return lock.withLock {
      switch state {
      case .running(run, let parts):
        ended = parts
        refused += parts.kernel.refused
        state = .away(run, error)
        return ended != nil
      case .opening(run, let former):
        state = former == nil ? .idle(error) : .away(run, error)
        return false
      default: return false
      }
    }
  }

  /// The parts of a running synthesizer.
  var parts: SynthParts? {
    lock.withLock { if case .running(_, let parts) = state { parts } else { nil } }
  }

  var failure: StreamError? {
    lock.withLock {
      switch state {
      case .idle(let error), .opening(_, let error): error
      case .away(_, let error): error
      case .running: nil
      }
    }
  }

  /// How often the stream was opened again, and how many events were refused.
  var figures: (resets: Int, refused: UInt64) {
    lock.withLock {
      guard case .running(_, let parts) = state else { return (resets, refused) }
      return (resets, refused + parts.kernel.refused)
    }
  }

  /// Ends the run and returns its parts, which the caller must end, once.
  func take() -> SynthParts? {
    lock.withLock {
      defer { state = .idle(nil) }
      guard case .running(_, let parts) = state else { return nil }
      return parts
    }
  }
}
