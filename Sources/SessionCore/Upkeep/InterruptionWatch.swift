package import PulseTypes

/// Detects when an interruption of the session begins and ends.
///
/// Pure: it gets snapshots, and reports of streams and other holders. Of several concurrent
/// interruptions one is named: a call before anything else, a suspended device after anything
/// else, an input before an output. When that changes, the next one is named; only the end of all
/// of them ends the interruption.
package struct InterruptionWatch: Sendable, Hashable {
  /// The change since the last report.
  package enum Change: Sendable, Hashable {
    case began(InterruptionReason)
    case ended
  }

  /// How long a device is suspended before that counts: PulseAudio suspends a card that is unplugged
  /// a moment before it removes it.
  package static let settling = Duration.milliseconds(500)

  private var seen: [InterruptionReason] = []
  private var noted: [InterruptionReason] = []
  /// Since when devices in use are suspended.
  private var suspended: [InterruptionReason: Duration] = [:]

  /// Whether the session is interrupted now.
  package var isInterrupted: Bool { !seen.isEmpty || !noted.isEmpty }

  /// The take-over by another program, if it is one.
  package var takeOver: InterruptionReason? {
    noted.first { if case .takenOver = $0 { true } else { false } }
  }

  private var call: InterruptionReason? {
    seen.first { if case .call = $0 { true } else { false } }
  }

  /// Whether nothing is restored: the session is interrupted, or a device in use is suspended and may
  /// be an interruption in a moment.
  package var mayBeInterrupted: Bool { isInterrupted || !suspended.isEmpty }

  /// When a suspended device becomes an interruption, later than `time`.
  package func nextEnd(after time: Duration) -> Duration? {
    suspended.values.map { $0 + Self.settling }.filter { $0 > time }.min()
  }

  /// Updates the interruptions that a snapshot shows.
  ///
  /// - Parameter process: this process's id; its own streams do not interrupt.
  package mutating func note(
    _ snapshot: ServerSnapshot, mode: AudioMode, process: Int32, at now: Duration
  ) -> Change? {
    changing { watch in
      let former = watch.suspended
      watch.suspended = [:]
      watch.seen = snapshot.calls(during: mode, process: process)
      for device in snapshot.suspendedInUse(by: mode) {
        let since = former[device] ?? now
        watch.suspended[device] = since
        if now - since >= Self.settling { watch.seen.append(device) }
      }
    }
  }

  /// Notes the begin of an interruption that no snapshot shows.
  package mutating func begin(_ reason: InterruptionReason) -> Change? {
    changing { if !$0.noted.contains(reason) { $0.noted.append(reason) } }
  }

  /// Notes the end of an interruption that no snapshot shows.
  package mutating func end(where ends: (InterruptionReason) -> Bool) -> Change? {
    changing { $0.noted.removeAll(where: ends) }
  }

  /// The server was lost, and with it what its snapshots showed and what it asked for.
  package mutating func noteLoss() -> Change? {
    changing { watch in
      (watch.seen, watch.suspended) = ([], [:])
      watch.noted.removeAll { $0 == .corkRequest }
    }
  }

  private mutating func changing(_ change: (inout Self) -> Void) -> Change? {
    let former = foremost
    change(&self)
    guard let next = foremost else { return former == nil ? nil : .ended }
    // Two calls are one interruption.
    if case .call? = former, case .call = next { return nil }
    return next == former ? nil : .began(next)
  }

  /// The one that is named. A capture stops for a call, and continues when the call has ended,
  /// even if another device is suspended.
  package var foremost: InterruptionReason? { call ?? noted.first ?? seen.first }
}

extension ServerSnapshot {
  /// Calls of other programs. A mode for voice or video chat is not interrupted by the call that it
  /// serves.
  fileprivate func calls(during mode: AudioMode, process: Int32) -> [InterruptionReason] {
    guard !mode.cancelsEcho else { return [] }
    return [Direction.output, .input].flatMap { direction in
      streams(direction, having: "media.role") {
        !$0.isCorked && $0.properties["media.role"] == "phone"
      }
    }.compactMap { caller($0, otherThan: process) }.map(InterruptionReason.call)
  }

  /// Suspended devices of the mode's directions under a running stream that is no level meter, because
  /// idle suspension never affects such a device. (PipeWire is different: it suspends a whole graph for
  /// a moment to change its rate, and at once resumes what a user suspends.)
  func suspendedInUse(by mode: AudioMode) -> [InterruptionReason] {
    guard !has(.suspendedAtRest) else { return [] }
    return Direction.allCases.filter(mode.concerns).flatMap { direction in
      isOfOneProgram ? viewersRoots(direction, mode) : defaultRootInUse(direction)
    }.filter { $0.state == .suspended }.map { .deviceSuspended($0.name) }
  }

  /// The default's hardware, if a stream of any program runs on it.
  private func defaultRootInUse(_ direction: Direction) -> [Device] {
    [chain.defaultRoot(direction)].compactMap { $0 }.filter { root in
      ([root] + chain.links(on: root)).contains { device in
        !streams(on: device) { !$0.isCorked && $0.client != nil && !$0.isOnlooker }.isEmpty
      }
    }
  }

  /// The hardware under the running streams of the session's program.
  private func viewersRoots(_ direction: Direction, _ mode: AudioMode) -> [Device] {
    let meant = PlanInput(mode: mode, snapshot: self).meantDevice(direction)
    return viewersPlaces(direction, beside: meant?.name).filter { !$0.stream.isCorked }
      .compactMap { chain.root(of: $0.device) }
  }

  /// The name of a stream's program; nil if it is this process.
  private func caller(_ stream: Stream, otherThan process: Int32) -> String? {
    guard self.process(of: stream) != String(process) else { return nil }
    return client(of: stream)?.name ?? stream.name
  }
}
