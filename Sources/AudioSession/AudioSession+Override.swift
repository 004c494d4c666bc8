public import SessionCore

/// Where `overrideOutputPort` routes the sound.
public enum PortOverride: Sendable, Hashable {
  /// To the mode's port.
  case none
  /// To the speaker of the output.
  case speaker
}

extension AudioSession {
  /// Plays through the speaker until the next route change, whatever port the mode has
  /// (AVAudioSession: `overrideOutputAudioPort`).
  ///
  /// Only in the category `play-and-record`, and only in a session that holds and whose mode is in
  /// effect. A plug, another default or profile, `setAudioMode`, an `update` of the category, the output or its
  /// port, the end of the mode and `.none` end it;
  /// then the mode alone counts. Levels that a person has changed stay, and no input is unmuted.
  ///
  /// - Throws: `activationFailed` without such a mode in effect or without the hold, `portNotAvailable` without a speaker
  ///   or on an output without ports, and the errors of `setAudioMode`.
  @discardableResult
  public func overrideOutputPort(_ port: PortOverride) async throws(SessionError) -> ApplyReport {
    try await inTurn(.buildsOnMode) { session, budget throws(SessionError) in
      let live = try await session.connected(budget.run)
      let declared = try await session.currentMode(session.store(live))
      guard let declared, await session.isKept, declared.mode.category == .playAndRecord else {
        throw SessionError(
          .activationFailed, stage: .session,
          "only a session that holds, with a mode of the category \"play-and-record\" in effect, can "
            + "override the port",
          property: .outputPort, value: "speaker")
      }
      return try await session.overriding(port) { () throws(SessionError) in
        let report = try await session.apply(declared, budget, extent: .route)
        // A device without ports meets a mode's preference of one, but it has no speaker to select.
        if port == .speaker, let output = report.state.route.outputs.first, output.port == nil {
          throw SessionError(
            .portNotAvailable, stage: .device,
            "the output \(output.name) has no ports; prefer an output that has a speaker",
            property: .outputPort, value: "speaker")
        }
        return report
      }
    }
  }

  /// Makes a change with another override; restores the override if the change fails.
  func overriding(
    _ port: PortOverride,
    _ change: @Sendable () async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    let former = upkeep.portOverride
    upkeep.portOverride = port
    do throws(SessionError) {
      return try await change()
    } catch {
      upkeep.portOverride = former
      throw error
    }
  }

  func overridden(_ mode: AudioMode) -> AudioMode {
    guard upkeep.portOverride == .speaker, mode.category == .playAndRecord else { return mode }
    var mode = mode
    mode.outputPort = [.type(.speaker)]
    return mode
  }

  /// Ends the override after a change of the route; another rate of the same devices does not
  /// count.
  func noteRoute(_ route: Route) {
    guard upkeep.portOverride != .none, let last = broadcast.shown.route,
      !last.hasPlaces(of: route)
    else { return }
    upkeep.portOverride = .none
  }
}
