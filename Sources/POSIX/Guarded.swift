internal import Glibc

/// A value that several threads use, one at a time.
///
/// It is a pthread mutex at a fixed address: ThreadSanitizer understands it, but reports false
/// races for `Synchronization.Mutex` on Linux.
package final class Guarded<Value>: @unchecked Sendable {  // the mutex guards the only state
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func withLock<Result, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}

/// A lock for the fields of a class. Its value has a size: ThreadSanitizer takes one without a size
/// for what is beside it.
package typealias Lock = Guarded<UInt8>

extension Guarded where Value == UInt8 {
  package convenience init() { self.init(0) }

  package func withLock<Result>(_ body: () -> Result) -> Result { withLock { _ in body() } }
}
