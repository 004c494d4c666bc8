import POSIX
import Pulse

/// An end for which any number of tasks can wait; a cancelled task stops waiting.
final class Completion: Sendable {
  private struct State {
    var isOver = false
    var lastID: UInt64 = 0
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Guarded(State())

  /// Completes all waits.
  func complete() {
    let all = state.withLock { state in
      state.isOver = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for one in all { one.resume() }
  }

  /// Waits for the end, or until the task is cancelled; true if it has ended.
  func wait() async -> Bool {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if !state.isOver, !Task.isCancelled { state.waiting[id] = continuation }
          return state.waiting[id] == nil
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }
    return state.withLock { $0.isOver }
  }
}
