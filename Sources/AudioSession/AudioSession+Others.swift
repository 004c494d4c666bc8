import Glibc
import Logging
import PulseTypes
import SessionCore

extension AudioSession {
  /// Whether another program plays sound (AVAudioSession: `isOtherAudioPlaying`).
  ///
  /// A paused or muted stream does not count, unless this session silenced it; neither do screen
  /// readers and event sounds. Throws the errors of `getSessionState()`.
  public var isOtherAudioPlaying: Bool {
    get async throws(SessionError) { !(try await otherStreams().isEmpty) }
  }

  /// Whether another program plays sound that should not be talked over: music, a film, a game, a
  /// call (AVAudioSession: `secondaryAudioShouldBeSilencedHint`).
  ///
  /// Uses the `media.role` of the streams; a stream without a role counts as secondary. Throws the
  /// errors of `getSessionState()`.
  public var secondaryAudioShouldBeSilencedHint: Bool {
    get async throws(SessionError) {
      let primary: Set = [
        "music", "video", "game", "phone", "production", DuckingPolicy.speechRole,
      ]
      return try await otherStreams().contains {
        primary.contains($0.properties["media.role"] ?? "")
      }
    }
  }

  /// The audible streams of other programs.
  private func otherStreams() async throws(SessionError) -> [Stream] {
    let snapshot = try await snapshot()
    let own = String(getpid())
    let baseline = try await silenced()
    return snapshot.sinkInputs.filter { stream in
      let isMuted = stream.isMuted && baseline[.othersMute(stream.index)] == nil
      guard stream.client != nil, !stream.isCorked, !isMuted, !snapshot.isOwned(stream),
        !["event", "a11y", "filter", "abstract"].contains(stream.properties["media.role"] ?? "")
      else { return false }
      return snapshot.process(of: stream) != own
    }
  }

  /// The changes of single streams of other programs.
  private func silenced() async throws(SessionError) -> Baseline {
    guard let live else { return Baseline() }
    let snapshot = await live.snapshot
    if let held = life.held { return held.baseline.valid(for: snapshot) }
    return try store(live).baseline().valid(for: snapshot)
  }

  /// Restores the streams of other programs that an ending session changed. What cannot be restored now is in the store, for the next session.
  func leaveOthers() async {
    guard let held = life.held, held.baseline.entries.contains(where: { $0.setting.isOfOthers })
    else { return }
    let deadline = Deadline(after: min(configuration.timeout, .seconds(2)))
    do throws(SessionError) {
      // A look that took too long was ended with its connection.
      if case .connecting(let attempt) = connection { _ = await attempt.value }
      if live == nil, let server = upkeep.lastServer?.address {
        connection = .live(
          try await LiveServer.connect(
            to: server, name: configuration.name, loop: loop,
            deadline: Deadline(after: min(configuration.timeout, .seconds(2))),
            logger: configuration.logger))
      }
      guard let live, await live.lost == nil else { return }
      let store = store(live)
      var input = try await input(life.mode?.mode ?? AudioMode(), live, store, isExplicit: false)
      input.occasion = .leaving
      let driver = driver(live, store, deadline)
      var run = Reconciler(
        input, onDisk: held.stored, isRestoring: true, tracer: configuration.tracer)
      try await driver.run(&run)
      await live.tendMemories()
      var baseline = run.stored
      baseline.settle(in: run.input.snapshot, claims: nil)
      try store.write(baseline)
    } catch {
      configuration.logger?.debug("others not given back", metadata: ["error": "\(error.message)"])
    }
  }
}
