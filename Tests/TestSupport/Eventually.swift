internal import POSIX
package import PulseTypes

/// Waits until a condition holds that nothing announces; false when it never does.
package func eventually(
  within limit: Duration = .seconds(20), isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  var pauses = Pauses()
  while try await !condition() {
    guard ContinuousClock.now < deadline else { return false }
    try? await pauses.pass()
  }
  return true
}

/// Pauses between looks at what nothing announces: short at first, so that what comes soon is seen soon, then
/// longer, so that looking does not take the processor from what is waited for.
extension Pauses {
  package init() { self.init(upTo: .milliseconds(20)) }

  package mutating func pass() async throws { try await Task.sleep(for: next()) }
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
