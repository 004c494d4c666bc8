public import SessionCore

/// Where `overrideOutputPort` sends sound.
public enum PortOverride: Sendable, Hashable {
  /// Where the wish says.
  case none
  /// To the speaker of the output.
  case speaker
}

extension AudioSession {
  /// Plays through the speaker until the next route change, whatever port the wish has
  /// (AVAudioSession: `overrideOutputAudioPort`).
  ///
  /// Only in the category `play-and-record`, and only of a session that holds. A plug, another
  /// default or profile, `setAudioMode` and `.none` end it; then the wish alone counts.
  @discardableResult
  public func overrideOutputPort(
    _ port: PortOverride
  ) async throws(SessionError) -> ApplyReport {
    try await inTurn(.buildsOnWish) { session, budget throws(SessionError) in
      let live = try await session.connected(budget.run)
      let wish = try await session.currentWish(session.store(live))
      guard let wish, session.configuration.isHolding, wish.mode.category == .playAndRecord else {
        throw SessionError(
          .activationFailed, stage: .session,
          "only a session that holds, in the category \"play-and-record\", can override the port",
          property: .outputPort, value: "speaker")
      }
      return try await session.overriding(port) { () throws(SessionError) in
        try await session.apply(wish, budget)
      }
    }
  }

  /// Makes a change with another override; where it fails all is as before, and so is the override.
  func overriding(
    _ port: PortOverride,
    _ change: @Sendable () async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    let former = portOverride
    portOverride = port
    do throws(SessionError) {
      return try await change()
    } catch {
      portOverride = former
      throw error
    }
  }

  /// A wish as it is while the override lasts.
  func overridden(_ wish: AudioMode) -> AudioMode {
    guard portOverride == .speaker, wish.category == .playAndRecord else { return wish }
    var wish = wish
    wish.outputPort = [.type(.speaker)]
    return wish
  }

  /// Any change of the route ends the override; another rate of the same devices is none.
  func noteRoute(_ route: Route) {
    guard portOverride != .none, let lastRoute, !lastRoute.hasPlaces(of: route) else { return }
    portOverride = .none
  }
}
