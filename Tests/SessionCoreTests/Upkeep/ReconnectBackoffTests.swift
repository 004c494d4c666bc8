import SessionCore
import Testing

@Suite("How long a server that went is tried and waited for")
struct ReconnectBackoffTests {
  @Test("tries and pauses double up to their limits, and stay there however often it fails")
  func doubles() {
    var backoff = ReconnectBackoff()
    var tries: [Duration] = []
    var pauses: [Duration] = []
    for _ in 0..<200 {
      tries.append(backoff.nextTry)
      pauses.append(backoff.pause)
      backoff.noteFailure()
      backoff.notePause(hasAppeared: false)
    }
    #expect(
      tries.prefix(9).map { $0 / .milliseconds(1) } == [
        500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000,
      ])
    #expect(
      pauses.prefix(12).map { $0 / .milliseconds(1) } == [
        1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000,
      ])
    #expect(tries.dropFirst(7).allSatisfy { $0 == ReconnectBackoff.longestTry })
    #expect(pauses.dropFirst(10).allSatisfy { $0 == ReconnectBackoff.longestPause })
  }

  @Test("a socket that appears is tried again soon; how long a try may take goes on growing")
  func appeared() {
    var backoff = ReconnectBackoff()
    for _ in 0..<20 {
      backoff.noteFailure()
      backoff.notePause(hasAppeared: false)
    }
    backoff.noteFailure()
    backoff.notePause(hasAppeared: true)
    #expect(backoff.pause == .milliseconds(1))
    #expect(backoff.nextTry == ReconnectBackoff.longestTry)
  }
}
