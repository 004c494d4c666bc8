import Pulse
package import PulseTypes
import SessionCore

/// The interface for streams that go through the session, of this package and of other code.
extension AudioSession {
  /// Sleeps without a system thread; throws when the task is cancelled.
  package nonisolated func sleep(
    until moment: ContinuousClock.Instant
  ) async throws(CancellationError) {
    try await loop.sleep(until: moment)
  }

  /// An element after each change that this session sees of its server, and of the files of the process
  /// that holds it, and for each element of `others`; those that were not read yet are one.
  package func changes(besides others: AsyncStream<Void>) -> AsyncStream<Void> {
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (states, events) = (stateUpdates, events)
    let readers = Task {
      await withTaskGroup { group in
        group.addTask { for await _ in states { change.yield() } }
        group.addTask { for await _ in events { change.yield() } }
        group.addTask { for await _ in others { change.yield() } }
      }
      change.finish()
    }
    // Without a folder no process holds a session yet; one that begins changes the server, too.
    let watch = Watch.folder(store(live).folder, on: loop) { _ in change.yield() }
    change.onTermination = { _ in
      readers.cancel()
      withExtendedLifetime(watch) {}
    }
    return changes
  }

  /// The mode in effect; nil if this process has none.
  package var modeInEffect: AudioMode? { life.modeInEffect?.mode }

  /// The mode for streams of this process: its own, otherwise the server's, which another process has applied.
  package var modeForStreams: AudioMode? {
    get async {
      if let own = modeInEffect { return own }
      let store = await storeInForce(store(live))
      return ((try? storedMode(store)) ?? nil).flatMap { $0.isActive ? $0.mode : nil }
    }
  }

  /// Whether it is closed, or about to be; its streams end with it.
  package var isClosed: Bool { life.isClosed || queue.isEnding }

  /// Whether it has a server.
  package var isConnected: Bool {
    get async {
      guard let live else { return false }
      return await live.lost == nil
    }
  }

  /// Whether the server has reported no change of some objects since a moment; false if that is not
  /// known.
  package func hasReportedNothing(
    of objects: Set<ObjectID>, since moment: SuspendingClock.Instant
  ) async -> Bool {
    guard let live else { return false }
    return await live.hasReportedNothing(of: objects, since: moment)
  }

  /// Whether the mode is still to be applied again after the connection was lost.
  package var isHealing: Bool {
    get async {
      guard isKept else { return false }
      guard let live, !upkeep.isRecovering else { return true }
      return await live.lost != nil
    }
  }

  /// What interrupts the session now; nil without an interruption.
  package var interruption: InterruptionReason? { upkeep.rules.interruptions.foremost }

  /// Whether something has the sound that streams of this program must be silent for: a call, or a session
  /// that took over. A suspended device is none; a call shows in the newest snapshot.
  package var mustGiveWay: Bool {
    get async {
      if let live, await live.lost == nil, noteInterruptions(await live.snapshot) == .ended {
        upkeep.rules.news.insert(.interruptionEnd)
        noteChange()
      }
      return switch upkeep.rules.interruptions.foremost {
      case .deviceSuspended, nil: false
      case .call, .corkRequest, .takenOver: true
      }
    }
  }

  /// Reports that the server asked a playing stream of this program to pause or to resume
  /// (libpulse: `PA_STREAM_EVENT_REQUEST_CORK`, `PA_STREAM_EVENT_REQUEST_UNCORK`).
  ///
  /// For streams that the session did not open. The session is interrupted from the request to
  /// pause to the request to resume, and restores no setting in between.
  public func noteCorkRequest(toPause isPausing: Bool) {
    guard !isPausing else { return emit(upkeep.rules.interruptions.begin(.corkRequest)) }
    let change = upkeep.rules.interruptions.end { $0 == .corkRequest }
    // Without a server there is nothing to restore first.
    guard change == .ended, live != nil || upkeep.isRecovering else { return emit(change) }
    upkeep.rules.news.insert(.interruptionEnd)
    upkeep.noteChange()
    schedule()
  }
}
