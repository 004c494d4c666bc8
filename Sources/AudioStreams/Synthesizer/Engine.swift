internal import Pulse

/// Whether a synthesizer runs, and with what.
final class Engine: @unchecked Sendable {  // everything is behind `lock`
  private enum State {
    case idle(StreamError?)
    case starting
    case running(SynthParts)
    /// The server ended the stream; the parts wait to be ended.
    case failed(SynthParts, StreamError?)
  }

  private let lock = Lock()
  private var state = State.idle(nil)

  /// Whether a start may begin; then no other one may.
  func reserve() -> Bool {
    lock.withLock {
      switch state {
      case .starting, .running: return false
      case .idle, .failed:
        state = .starting
        return true
      }
    }
  }

  /// Whether it runs now; the stream may have ended while it was started.
  func begin(_ parts: SynthParts) -> Bool {
    lock.withLock {
      guard case .starting = state else { return false }
      state = .running(parts)
      return true
    }
  }

  /// The start failed, or the stream ended; nil where somebody asked it to.
  func fail(_ error: StreamError?) {
    lock.withLock {
      switch state {
      case .running(let parts): state = .failed(parts, error)
      case .starting: state = .idle(error)
      case .idle, .failed: break
      }
    }
  }

  /// The parts of one that runs.
  var parts: SynthParts? {
    lock.withLock { if case .running(let parts) = state { parts } else { nil } }
  }

  var failure: StreamError? {
    lock.withLock {
      switch state {
      case .idle(let error), .failed(_, let error): error
      case .starting, .running: nil
      }
    }
  }

  /// The parts that are to be ended, once.
  func take() -> SynthParts? {
    lock.withLock {
      switch state {
      case .running(let parts), .failed(let parts, _):
        state = .idle(nil)
        return parts
      case .idle, .starting: return nil
      }
    }
  }
}
