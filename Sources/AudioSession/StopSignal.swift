import SessionCore
import Synchronization

/// Tells a run that the task which asked for it was cancelled.
///
/// The run itself is shielded from the cancellation: a request that is given up half-way leaves
/// nobody knowing whether the server did it.
final class StopSignal: Sendable {
  private let isSet = Atomic(false)

  /// Asks the run to stop before its next step.
  func set() { isSet.store(true, ordering: .releasing) }

  /// Whether the run should stop.
  var isRaised: Bool { isSet.load(ordering: .acquiring) }

  /// Runs a change to its end, or to the end of its rollback, whatever becomes of the caller's task.
  func shielding<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(SessionError) -> Value
  ) async throws(SessionError) -> Value {
    let work = Task { () -> Result<Value, SessionError> in
      do throws(SessionError) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
    let result = await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      set()
    }
    return try result.get()
  }
}
