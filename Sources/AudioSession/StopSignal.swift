import POSIX
import Pulse
import SessionCore
import Synchronization

/// Tells a run that the requesting task was cancelled.
///
/// The run itself is shielded from the cancellation: if a request is abandoned, it is unknown
/// whether the server carried it out.
package final class StopSignal: Sendable {
  private let isSet = Atomic(false)

  package init() {}

  /// Asks the run to stop before its next step.
  package func set() { isSet.store(true, ordering: .releasing) }

  /// Whether the run should stop.
  package var isRaised: Bool { isSet.load(ordering: .acquiring) }

  /// Runs a change to its end, or to the end of its rollback, even if the caller's task is
  /// cancelled.
  ///
  /// - Parameters:
  ///   - loop: the loop on whose thread the body runs.
  ///   - onStop: called after `set()` when the task is cancelled.
  func shielding<Value: Sendable>(
    on loop: PulseLoop, onStop: @Sendable () -> Void = {},
    _ body: @escaping @Sendable () async throws(SessionError) -> Value
  ) async throws(SessionError) -> Value {
    let work = loop.task { await outcome(of: body) }
    let result = await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      set()
      onStop()
    }
    return try result.get()
  }
}
