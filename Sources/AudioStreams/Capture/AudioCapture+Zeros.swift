import AudioSession
import PulseTypes
import SessionCore

/// Zeros amid sound that are too long for lost cycles. PipeWire delivers them in place of what it has
/// lost, for as long as a device or a program delivers nothing to it; and a mute of the device or of
/// the stream, which begins and ends as abruptly, makes the same zeros. The server reports the mute.
/// What the server does not explain is listed, but not as missing: a device may have a switch of its
/// own.
extension AudioCapture {
  /// For how long before zeros begin, and after they end, a report of the server may explain them.
  private static let reportDelay = Duration.seconds(2)

  /// Lists zeros once nothing that the server has reported by then explains them.
  nonisolated func judgeLater(_ zeros: FoundZeros, _ tapID: UInt64) {
    Task { [weak self, session] in
      try? await session.sleep(until: .now + Self.reportDelay)
      await self?.judge(zeros, tapID)
    }
  }

  /// Lists the zeros of a tap that is about to be closed, by what the server has reported so far. That
  /// takes a second at most: the server may be frozen, and a stop must not wait for it. A closed session
  /// is not asked, because the shared one would connect again.
  func judgeNow() async {
    guard let run, run.tap != nil, !run.queue.isAbandoned else { return }
    let (unjudged, tapID) = (run.pipeline.report.unjudged, run.tapID)
    guard !unjudged.isEmpty, await !session.isClosed else { return }
    await session.waitASecond { [weak self] in
      for zeros in unjudged { await self?.judge(zeros, tapID) }
    }
  }

  private func judge(_ zeros: FoundZeros, _ tapID: UInt64) async {
    guard let report = run?.pipeline.report else { return }
    report.judge(zeros, isExplained: await isExplained(zeros, tapID))
  }

  /// Whether zeros are what the server has reported, or may be; also if that cannot be known.
  private func isExplained(_ zeros: FoundZeros, _ tapID: UInt64) async -> Bool {
    guard isCurrent(tapID), let tap = run?.tap,
      // The server answers, and so its reports have come.
      let snapshot = try? await snapshot(), isCurrent(tapID),
      let device = snapshot.device(.input, at: tap.device),
      let hardware = snapshot.chain.root(of: device), hardware.isHardware, !hardware.isMonitor
    else { return true }
    // Other programs mute a device of the chain, choose a port or a profile of its card, or mute the
    // recording. What processes the sound, and what is played, may be silent at any time.
    let devices = snapshot.chain.links(to: device) + [hardware]
    var objects: Set<ObjectID> = [.stream(.input, tap.index)]
    for device in devices {
      objects.insert(.device(.input, device.index))
      if let card = device.card { objects.insert(.card(card)) }
    }
    let age = Duration.nanoseconds(HostClock.nanoseconds - zeros.began) + Self.reportDelay
    return !(await session.hasReportedNothing(of: objects, since: SuspendingClock.now - age))
  }
}
