import AudioSession
import POSIX

/// A value that comes later, for which any number of tasks can wait.
final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: [CheckedContinuation<Value, Never>] = []
    /// The waits that end when their task is cancelled.
    var leaving: [UInt64: CheckedContinuation<Value?, Never>] = [:]
    var lastID: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Ends all waits; only the first value counts.
  func fulfill(_ value: Value) {
    let (waiting, leaving) = state.withLock { state in
      state.value = state.value ?? value
      defer { (state.waiting, state.leaving) = ([], [:]) }
      return (state.waiting, state.leaving.values)
    }
    for one in waiting { one.resume(returning: value) }
    for one in leaving { one.resume(returning: value) }
  }

  func value() async -> Value {
    await withCheckedContinuation { continuation in
      let value = state.withLock { state in
        if state.value == nil { state.waiting.append(continuation) }
        return state.value
      }
      if let value { continuation.resume(returning: value) }
    }
  }

  /// Waits for the value; nil if the task is cancelled first.
  func valueUnlessCancelled() async -> Value? {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOver, value) = state.withLock { state in
          if state.value == nil, !Task.isCancelled { state.leaving[id] = continuation }
          return (state.leaving[id] == nil, state.value)
        }
        if isOver { continuation.resume(returning: value) }
      }
    } onCancel: {
      state.withLock { $0.leaving.removeValue(forKey: id) }?.resume(returning: nil)
    }
  }
}

extension AudioSession {
  /// Waits for work that cannot be stopped, but at most a second: a disk may hang.
  package func waitASecond(for work: @escaping @Sendable () async -> Void) async {
    let isOver = Promise<Void>()
    Task {
      await work()
      isOver.fulfill(())
    }
    let limit = Task {
      try? await sleep(until: .now + .seconds(1))
      isOver.fulfill(())
    }
    await isOver.value()
    limit.cancel()
  }
}
