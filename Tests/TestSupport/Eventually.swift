internal import POSIX

/// Waits until a condition holds that nothing announces; false when it never does.
package func eventually(
  within limit: Duration = .seconds(20), isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < deadline else { return false }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return true
}

/// Runs a body on a thread of its own, which may block.
package func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () -> Result
) async -> Result {
  await withCheckedContinuation { continuation in
    do { try detachThread { continuation.resume(returning: body()) } } catch {
      preconditionFailure("no thread: \(error)")
    }
  }
}
