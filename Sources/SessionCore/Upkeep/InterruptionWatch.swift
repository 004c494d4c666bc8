package import PulseTypes

/// Detects when an interruption of the session begins and ends.
///
/// Pure: it gets snapshots, and reports of streams and other holders. Of several concurrent
/// interruptions the first is named, and only the end of all of them ends the interruption.
package struct InterruptionWatch: Sendable, Hashable {
  /// The change since the last report.
  package enum Change: Sendable, Hashable {
    case began(InterruptionReason)
    case ended
  }

  private var seen: [InterruptionReason] = []
  private var noted: [InterruptionReason] = []

  /// Begins without an interruption.
  package init() {}

  /// Whether the session is interrupted now.
  package var isInterrupted: Bool { !seen.isEmpty || !noted.isEmpty }

  /// Updates the interruptions that a snapshot shows.
  ///
  /// - Parameter process: this process's id; its own streams do not interrupt.
  package mutating func note(
    _ snapshot: ServerSnapshot, mode: AudioMode, process: Int32
  ) -> Change? {
    changing { $0.seen = snapshot.interruptions(of: mode, process: process) }
  }

  /// Notes the begin of an interruption that no snapshot shows.
  package mutating func begin(_ reason: InterruptionReason) -> Change? {
    changing { if !$0.noted.contains(reason) { $0.noted.append(reason) } }
  }

  /// Notes the end of an interruption that no snapshot shows.
  package mutating func end(where ends: (InterruptionReason) -> Bool) -> Change? {
    changing { $0.noted.removeAll(where: ends) }
  }

  private mutating func changing(_ change: (inout Self) -> Void) -> Change? {
    let was = isInterrupted
    change(&self)
    guard was != isInterrupted else { return nil }
    return (seen + noted).first.map(Change.began) ?? .ended
  }
}

extension ServerSnapshot {
  /// The interruptions that a client can see: another program's call, and a suspended device of the
  /// mode's directions under a running stream, because idle suspension never affects such a device.
  /// (PipeWire is different: it suspends a whole graph for a moment to change its rate, and at once
  /// resumes what a user suspends.)
  ///
  /// A mode for voice or video chat is not interrupted by the call that it serves.
  func interruptions(of mode: AudioMode, process: Int32) -> [InterruptionReason] {
    var result: [InterruptionReason] = []
    if mode.mode != .voiceChat, mode.mode != .videoChat {
      let streams = [Direction.output, .input].flatMap { self.streams($0, having: "media.role") }
        .filter { !$0.isCorked && $0.properties["media.role"] == "phone" }
      result += streams.compactMap { caller($0, otherThan: process) }.map(InterruptionReason.call)
    }
    for direction in Direction.allCases where !has(.suspendedAtRest) && mode.concerns(direction) {
      guard let device = chain.defaultRoot(direction), device.state == .suspended else { continue }
      let devices = [device] + chain.ownedDevices(direction)
      let isUsed = devices.contains { device in
        streams(on: device).contains { !$0.isCorked && $0.client != nil }
      }
      if isUsed { result.append(.deviceSuspended(device.name)) }
    }
    return result
  }

  /// The name of a stream's program; nil if it is this process.
  private func caller(_ stream: Stream, otherThan process: Int32) -> String? {
    let client = client(of: stream)
    let key = "application.process.id"
    let id = client?.properties[key] ?? stream.properties[key]
    guard id != String(process) else { return nil }
    return client?.name ?? stream.name
  }
}
