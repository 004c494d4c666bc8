import Glibc
import PulseTypes
import SessionCore

extension AudioSession {
  /// Whether another program plays (AVAudioSession: `isOtherAudioPlaying`).
  ///
  /// A stream that is paused or muted plays nothing; what a screen reader says and the sounds of
  /// events do not count.
  public var isOtherAudioPlaying: Bool {
    get async throws(SessionError) { !(try await otherStreams().isEmpty) }
  }

  /// Whether another program plays what should not be talked over: music, a film, a game, a call
  /// (AVAudioSession: `secondaryAudioShouldBeSilencedHint`).
  ///
  /// Told by what streams say they are (`media.role`); one that says nothing counts as secondary.
  public var secondaryAudioShouldBeSilencedHint: Bool {
    get async throws(SessionError) {
      let primary: Set = ["music", "video", "game", "phone", "production", Treatment.speechRole]
      return try await otherStreams().contains {
        primary.contains($0.properties["media.role"] ?? "")
      }
    }
  }

  /// The streams of other programs that can be heard.
  private func otherStreams() async throws(SessionError) -> [Stream] {
    let snapshot = try await snapshot()
    let own = String(getpid())
    return snapshot.sinkInputs.filter { stream in
      guard stream.client != nil, !stream.isCorked, !stream.isMuted, !snapshot.isOwned(stream),
        !["event", "a11y", "filter", "abstract"].contains(stream.properties["media.role"] ?? "")
      else { return false }
      let process = snapshot.client(of: stream)?.properties["application.process.id"]
      return process != own
    }
  }
}
