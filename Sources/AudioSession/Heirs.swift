import POSIX
import Pulse

/// The sessions that took what a released one had, until they have given it back: until then the lock and the
/// claim on this program's streams are theirs.
enum Heirs {
  private static let closing = Guarded<[ObjectIdentifier: Task<Void, Never>]>([:])

  static func close(_ heir: AudioSession) {
    closing.withLock { closing in
      closing[ObjectIdentifier(heir)] = Task {
        await heir.close()
        Self.closing.withLock { $0[ObjectIdentifier(heir)] = nil }
      }
    }
  }

  /// Waits until all have closed, until the deadline, or until the task is cancelled.
  static func end(by deadline: Deadline, on loop: PulseLoop) async {
    let tasks = closing.withLock { Array($0.values) }
    guard !tasks.isEmpty else { return }
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let alarm = deadline.onPassing(on: loop) { end.finish() }
    let work = Task {
      for task in tasks { await task.value }
      end.finish()
    }
    for await _ in ends {}
    alarm.cancel()
    work.cancel()
  }
}
