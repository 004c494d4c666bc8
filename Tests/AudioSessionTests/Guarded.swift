import Pulse

/// A value behind a lock that ThreadSanitizer understands: it reports false races for what is behind
/// `Synchronization.Mutex` on Linux.
final class Guarded<Value>: @unchecked Sendable {  // everything is behind `lock`
  private let lock = Lock()
  private var value: Value

  init(_ value: sending Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }
}
