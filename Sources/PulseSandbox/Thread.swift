internal import POSIX

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
  do { try detachThread(body) } catch { body() }
}
