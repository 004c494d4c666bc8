import Pulse

/// An end for which any number of tasks can wait; a cancelled task stops waiting.
final class Completion: @unchecked Sendable {  // all of it is behind `lock`
  private let lock = Lock()
  private var isOver = false
  private var lastID: UInt64 = 0
  private var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]

  /// Completes all waits.
  func complete() {
    let all = lock.withLock {
      isOver = true
      defer { waiting = [:] }
      return waiting.values
    }
    for one in all { one.resume() }
  }

  /// Waits for the end, or until the task is cancelled; true if it has ended.
  func wait() async -> Bool {
    let id = lock.withLock {
      lastID += 1
      return lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = lock.withLock {
          if !isOver, !Task.isCancelled { waiting[id] = continuation }
          return waiting[id] == nil
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      lock.withLock { waiting.removeValue(forKey: id) }?.resume()
    }
    return lock.withLock { isOver }
  }
}
