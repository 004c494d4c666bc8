import AudioSession
import PulseSandbox
import TestSupport
import Testing

@testable import AudioStreams

/// Files that are played while a user, other programs and the server do anything: each takes its length by
/// the clock, as far as its dropouts and what stopped the device explain it, and is played whole; or it says
/// that the server ended. `.ci/nightly seeds` walks further; AUDIOSESSION_WALK="pipewire 7" walks one.
@Suite("Random walks of a player", .bothServers, .soundFiles, .timeLimit(.minutes(10)))
struct PlayerWalkTests {
  private static let length = 3.0

  @Test("a file is played whole, in its time, or says why not", arguments: StreamWalkTests.Walk.all)
  func walk(_ walk: StreamWalkTests.Walk) async throws {
    let cards = ["kind=laptop", "kind=usb-headset"]
    let configuration = try #require(SandboxConfiguration.simulatedCards(cards, on: walk.kind))
    try await Rig.with(configuration) { rig in
      let folder = TemporaryFolder()
      let path = try PlayerTests.file(folder, seconds: Self.length)
      let player = AudioPlayer(session: rig.session)
      var walker = try await StreamWalker(rig, .output, SeededRandom(seed: walk.seed))
      do {
        try await walker.setMode()
        for _ in ["first", "second", "third"] {
          if let fault = try await faultOfOne(path, player, &walker) {
            Issue.record("\((walker.trace + [fault]).joined(separator: "\n"))")
            break
          }
        }
      } catch {
        Issue.record("\((walker.trace + ["\(error)"]).joined(separator: "\n"))")
      }
      await player.stop()
      await walker.end()
    }
  }

  /// Plays one file; what was wrong.
  private func faultOfOne(
    _ path: String, _ player: AudioPlayer, _ walker: inout StreamWalker
  ) async throws -> String? {
    let (restarts, stopped) = (walker.restarts, walker.stopped)
    walker.trace.append("play")
    try await player.start(path)
    let begin = ContinuousClock.now
    for longest in [600, 200, 600, 400] {
      try await walker.act()
      try await Task.sleep(for: .milliseconds(walker.random.int(in: 50...longest)))
    }
    try await walker.calm()
    let result: Result<Duration, StreamError>
    do throws(StreamError) {
      result = .success(try await player.finished())
    } catch {
      result = .failure(error)
    }
    let time = (ContinuousClock.now - begin).seconds
    let silent = await player.dropouts.seconds + (walker.stopped - stopped).seconds
    let found = "\(result) after \(time) s, of which \(silent) s are explained"
    walker.trace.append(found)
    switch result {
    case .success(let played):
      let isWhole = abs(played.seconds - Self.length) < 0.02
      // A simulated card may have rendered two seconds of silence ahead, also the next one; a server that
      // moves a stream may lose a buffer.
      let isTrue = (Self.length - 0.5...Self.length + silent + 6).contains(time)
      return isWhole && isTrue ? nil : "not as it says"
    case .failure(let error):
      return error.code == .engineStartFailed && walker.restarts > restarts ? nil : "it failed"
    }
  }
}
