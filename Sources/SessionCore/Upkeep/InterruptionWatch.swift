public import PulseTypes

/// Tells when an interruption of the session begins and ends.
///
/// Pure: fed with snapshots and with what streams and other holders are told. Of several that stand
/// at once the first is named, and only the end of all of them ends the interruption.
public struct InterruptionWatch: Sendable, Hashable {
  /// What a reading changed.
  public enum Change: Sendable, Hashable {
    case began(InterruptionReason)
    case ended
  }

  private var seen: [InterruptionReason] = []
  private var told: [InterruptionReason] = []

  /// Begins uninterrupted.
  public init() {}

  /// Whether the session gives way now.
  public var isInterrupted: Bool { !seen.isEmpty || !told.isEmpty }

  /// Whether another program has the session.
  public var isTakenOver: Bool {
    told.contains { if case .takenOver = $0 { true } else { false } }
  }

  /// Compares with what the server shows now.
  ///
  /// - Parameter process: this process's id: its own streams interrupt nothing.
  public mutating func note(
    _ snapshot: ServerSnapshot, wish: AudioMode, process: Int32
  ) -> Change? {
    changing { $0.seen = snapshot.interruptions(of: wish, process: process) }
  }

  /// Something that no snapshot shows began.
  public mutating func begin(_ reason: InterruptionReason) -> Change? {
    changing { if !$0.told.contains(reason) { $0.told.append(reason) } }
  }

  /// Something that no snapshot shows ended.
  public mutating func end(where ends: (InterruptionReason) -> Bool) -> Change? {
    changing { $0.told.removeAll(where: ends) }
  }

  private mutating func changing(_ change: (inout Self) -> Void) -> Change? {
    let was = isInterrupted
    change(&self)
    guard was != isInterrupted else { return nil }
    return (seen + told).first.map(Change.began) ?? .ended
  }
}

extension ServerSnapshot {
  /// The interruptions that a client can see: another program's call, and a device of the wish's
  /// directions that is suspended under a running stream, which no idle device ever is. (But on
  /// PipeWire: it suspends all of a graph for a moment to change its rate, and runs again at once what
  /// somebody suspends.)
  ///
  /// A wish for voice or video chat is not interrupted by the call that it is for.
  func interruptions(of wish: AudioMode, process: Int32) -> [InterruptionReason] {
    var result: [InterruptionReason] = []
    if wish.mode != .voiceChat, wish.mode != .videoChat {
      let streams = [Direction.output, .input].flatMap { self.streams($0, having: "media.role") }
        .filter { !$0.isCorked && $0.properties["media.role"] == "phone" }
      result += streams.compactMap { caller($0, otherThan: process) }.map(InterruptionReason.call)
    }
    for direction in Direction.allCases where !has(.suspendedAtRest) && wish.concerns(direction) {
      guard let device = defaultRoot(direction), device.state == .suspended else { continue }
      let chain = [device] + ownedDevices(direction)
      let isUsed = chain.contains { device in
        streams(on: device).contains { !$0.isCorked && $0.client != nil }
      }
      if isUsed { result.append(.deviceSuspended(device.name)) }
    }
    return result
  }

  /// The name of the program that a stream belongs to; nil where that is this process.
  private func caller(_ stream: Stream, otherThan process: Int32) -> String? {
    let client = client(of: stream)
    let key = "application.process.id"
    let id = client?.properties[key] ?? stream.properties[key]
    guard id != String(process) else { return nil }
    return client?.name ?? stream.name
  }
}
