internal import Glibc

/// Runs `body`, which may block, on a new thread: Swift's pool has only as many threads as the
/// processor has cores, and they must never block.
func onOwnThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws(SandboxError) -> Result
) async throws(SandboxError) -> Result {
  let result = await withCheckedContinuation { continuation in
    startThread {
      continuation.resume(returning: Swift.Result { () throws(SandboxError) in try body() })
    }
  }
  return try result.get()
}

/// Starts a detached thread. If no thread can be started, `body` runs on this one.
func startThread(_ body: @escaping @Sendable () -> Void) {
  let box = Unmanaged.passRetained(ThreadBody(body))
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  var thread = pthread_t()
  let result = pthread_create(
    &thread, &attributes,
    { argument in
      Unmanaged<ThreadBody>.fromOpaque(argument!).takeRetainedValue().run()
      return nil
    }, box.toOpaque())
  if result != 0 { box.takeRetainedValue().run() }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
