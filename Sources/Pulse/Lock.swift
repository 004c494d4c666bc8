internal import Glibc

/// A lock for a few fields that several threads use.
///
/// It is a pthread mutex at a fixed address: ThreadSanitizer understands it, but reports false
/// races for `Synchronization.Mutex` on Linux.
package final class Lock: @unchecked Sendable {  // a pthread mutex is shared by design
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func withLock<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
