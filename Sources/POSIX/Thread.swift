internal import Glibc

package func detachThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
  let box = Unmanaged.passRetained(ThreadBody(body))  // for the thread, which releases it
  var thread = pthread_t()
  let result = pthread_create(
    &thread, nil,
    { argument in
      Unmanaged<ThreadBody>.fromOpaque(argument!).takeRetainedValue().run()
      return nil
    }, box.toOpaque())
  guard result == 0 else {
    box.release()
    throw SystemError(result)
  }
  pthread_detach(thread)
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Blocks all signals on this thread: they belong to the program's own threads. Not those of its own
/// mistakes, which would end the process without the handler of a crash reporter.
package func blockSignals() {
  var signals = sigset_t()
  sigfillset(&signals)
  for own in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS] { sigdelset(&signals, own) }
  pthread_sigmask(SIG_BLOCK, &signals, nil)
}
