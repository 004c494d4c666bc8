import SessionCore
import Testing

@Suite("How long a server that went is tried and waited for")
struct PatienceTests {
  @Test("tries and pauses double up to their limits, and stay there however often it fails")
  func doubles() {
    var patience = Patience()
    var tries: [Duration] = []
    var pauses: [Duration] = []
    for _ in 0..<200 {
      tries.append(patience.nextTry)
      pauses.append(patience.pause)
      patience.noteFailure()
      patience.notePause(hasAppeared: false)
    }
    #expect(
      tries.prefix(9).map { $0 / .milliseconds(1) } == [
        500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000,
      ])
    #expect(
      pauses.prefix(12).map { $0 / .milliseconds(1) } == [
        1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000,
      ])
    #expect(tries.dropFirst(7).allSatisfy { $0 == Patience.longestTry })
    #expect(pauses.dropFirst(10).allSatisfy { $0 == Patience.longestPause })
  }

  @Test("a socket that appears is tried again soon; how long a try may take goes on growing")
  func appeared() {
    var patience = Patience()
    for _ in 0..<20 {
      patience.noteFailure()
      patience.notePause(hasAppeared: false)
    }
    patience.noteFailure()
    patience.notePause(hasAppeared: true)
    #expect(patience.pause == .milliseconds(1))
    #expect(patience.nextTry == Patience.longestTry)
  }
}
