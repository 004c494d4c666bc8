import AudioSession
import POSIX

/// A value that comes later, for which any number of tasks can wait.
final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waits: [UInt64: CheckedContinuation<Value?, Never>] = [:]
    var lastID: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Ends all waits; only the first value counts.
  func fulfill(_ value: Value) {
    let waits = state.withLock { state in
      state.value = state.value ?? value
      defer { state.waits = [:] }
      return state.waits.values
    }
    for one in waits { one.resume(returning: value) }
  }

  // Only a wait that ends with its task may have no value.
  func value() async -> Value { await wait(endsWithTask: false)! }

  /// Waits for the value; nil if the task is cancelled first.
  func valueUnlessCancelled() async -> Value? { await wait(endsWithTask: true) }

  private func wait(endsWithTask: Bool) async -> Value? {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOver, value) = state.withLock { state in
          if state.value == nil, !endsWithTask || !Task.isCancelled {
            state.waits[id] = continuation
          }
          return (state.waits[id] == nil, state.value)
        }
        if isOver { continuation.resume(returning: value) }
      }
    } onCancel: {
      guard endsWithTask else { return }
      state.withLock { $0.waits.removeValue(forKey: id) }?.resume(returning: nil)
    }
  }
}

extension AudioSession {
  /// Waits for work that cannot be stopped, but at most a second: a disk or a server may hang.
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
