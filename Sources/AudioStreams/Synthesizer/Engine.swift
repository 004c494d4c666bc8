import POSIX

/// The state of a synthesizer. A run lasts from `start` to `stop`, and has a number.
final class Engine: Sendable {
  private enum State {
    case idle(StreamError?)
    /// A stream is being opened, for the first time or after an error.
    case opening(UInt64, after: StreamError?)
    case running(UInt64, SynthParts)
    /// The stream ended by itself and is to be opened again.
    case away(UInt64, StreamError)
  }

  private struct Content {
    var state = State.idle(nil)
    var lastRun: UInt64 = 0
    var resets = 0
    var refused: UInt64 = 0
    /// Why the current stream takes no notes: its output takes no sound.
    var standstill: StreamError?
  }

  private let content = Guarded(Content())

  /// Whether the run has a stream, or one is being opened.
  var isReserved: Bool {
    content.withLock { content in
      switch content.state {
      case .opening, .running: true
      case .idle, .away: false
      }
    }
  }

  /// Reserves the opening of a stream for the caller; nil if the run has a stream, or another task
  /// opens one.
  func reserve() -> UInt64? {
    content.withLock { content in
      switch content.state {
      case .opening, .running: return nil
      case .idle:
        content.lastRun += 1
        (content.resets, content.refused) = (0, 0)
        content.state = .opening(content.lastRun, after: nil)
      case .away(let run, let error): content.state = .opening(run, after: error)
      }
      return content.lastRun
    }
  }

  /// The next step of a task that restores a run's stream.
  enum Retry { case open, wait, giveUp }

  func retry(_ run: UInt64) -> Retry {
    content.withLock { content in
      switch content.state {
      case .away(run, let error):
        content.state = .opening(run, after: error)
        return .open
      case .opening(run, _): return .wait
      default: return .giveUp
      }
    }
  }

  /// Starts a run with its parts; false if it was stopped or its stream ended in the meantime.
  func begin(_ run: UInt64, _ parts: SynthParts) -> Bool {
    content.withLock { content in
      guard case .opening(run, let error) = content.state else { return false }
      if error != nil { content.resets += 1 }
      content.state = .running(run, parts)
      content.standstill = nil
      return true
    }
  }

  /// Notes whether the output takes sound; false if this is no longer the stream of the run.
  func note(_ standstill: StreamError?, on stream: RealtimeStream) -> Bool {
    content.withLock { content in
      guard case .running(_, let parts) = content.state, parts.stream === stream else {
        return false
      }
      content.standstill = standstill
      return true
    }
  }

  /// Notes that the stream could not be opened or ended by itself; true if the caller must restore
  /// it.
  func fail(_ run: UInt64, _ error: StreamError) -> Bool {
    var ended: SynthParts?  // released outside the lock
    return content.withLock { content in
      switch content.state {
      case .running(run, let parts):
        ended = parts
        content.refused += parts.kernel.refused
        content.state = .away(run, error)
        return ended != nil
      case .opening(run, let former):
        content.state = former == nil ? .idle(error) : .away(run, error)
        return false
      default: return false
      }
    }
  }

  /// The parts of a stream, also while its output takes nothing.
  var opened: SynthParts? {
    content.withLock { if case .running(_, let parts) = $0.state { parts } else { nil } }
  }

  /// The parts of a stream that plays.
  var parts: SynthParts? {
    content.withLock { content in
      if case .running(_, let parts) = content.state, content.standstill == nil {
        parts
      } else {
        nil
      }
    }
  }

  var failure: StreamError? {
    content.withLock { content in
      switch content.state {
      case .idle(let error), .opening(_, let error): error
      case .away(_, let error): error
      case .running: content.standstill
      }
    }
  }

  /// How often the stream was opened again, and how many events were refused.
  var figures: (resets: Int, refused: UInt64) {
    content.withLock { content in
      guard case .running(_, let parts) = content.state else {
        return (content.resets, content.refused)
      }
      return (content.resets, content.refused + parts.kernel.refused)
    }
  }

  /// Ends the run and returns its parts, which the caller must end, once.
  func take() -> SynthParts? {
    content.withLock { content in
      defer { content.state = .idle(nil) }
      guard case .running(_, let parts) = content.state else { return nil }
      content.refused += parts.kernel.refused
      return parts
    }
  }
}
