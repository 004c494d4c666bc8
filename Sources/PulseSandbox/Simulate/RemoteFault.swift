internal import POSIX

package final class RemoteFault: Sendable {
  private let connection: PacketConnection

  init(_ connection: PacketConnection) { self.connection = connection }

  /// Keeps a lasting fault for a duration, or until the task is cancelled, and waits for its end.
  package func last(for duration: Duration?, timeout: Duration) async throws(SandboxError) {
    let isOver = await withTaskCancellationHandler {
      try? await onOwnThread { [connection] () throws(SandboxError) in
        let deadline = duration.map { ContinuousClock.now + $0 }
        while deadline.map({ milliseconds(until: $0) > 0 }) ?? true {
          let left = deadline.map { milliseconds(until: $0) } ?? -1
          if poll([.input(connection.raw)], for: left)[0] { return false }
        }
        return true
      }
    } onCancel: {
      connection.send(["end"])
    }
    // Once only: a connection that is closed with something unread loses the answer.
    if isOver == true, !Task.isCancelled { connection.send(["end"]) }
    try await awaitAnswer(timeout)
  }

  /// A word of an answer; nil if there is none.
  private static func word(_ place: Int, of words: [String]) -> String? {
    words.count > place && !words[place].isEmpty ? words[place] : nil
  }

  func awaitAnswer(_ timeout: Duration) async throws(SandboxError) {
    let words = try await onOwnThread { [connection] () throws(SandboxError) in
      let deadline = ContinuousClock.now + timeout
      while !poll([.input(connection.raw)], for: milliseconds(until: deadline))[0] {
        guard milliseconds(until: deadline) > 0 else {
          throw SandboxError(.timedOut, "the sandbox did not answer in time")
        }
      }
      return connection.receive()
    }
    guard let words else { throw SandboxError(.closed, "the sandbox was closed meanwhile") }
    guard words != ["done"] else { return }
    throw SandboxError(
      SandboxError.Code(rawValue: words[0]) ?? .refused, words.count > 1 ? words[1] : words[0],
      remedy: Self.word(2, of: words), value: Self.word(3, of: words),
      alternatives: Array(words.dropFirst(4)))
  }
}
