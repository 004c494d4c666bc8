internal import POSIX

/// A value that a test shares with its tasks, or with a handler on another thread.
package final class Shared<Value: Sendable>: Sendable {
  private let guarded: Guarded<Value>

  package init(_ value: Value) { guarded = Guarded(value) }

  package var value: Value {
    get { guarded.withLock { $0 } }
    set { guarded.withLock { $0 = newValue } }
  }

  /// Changes it in one go.
  package func update(_ change: (inout Value) -> Void) { guarded.withLock { change(&$0) } }
}
