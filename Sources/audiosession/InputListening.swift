import AudioSession
import AudioStreams

/// Listens to the inputs for `doctor`: what is heard is looked at and thrown away.
enum InputListening {
  /// For how long; the checks say it.
  private static let time = Duration.milliseconds(500)

  private enum Outcome: Sendable {
    /// What an input gave, with its place in the list; nil if it could not be recorded.
    case heard(Int, MachineFacts.Heard?)
    case timeIsUp
  }

  /// What there is to listen to: every hardware input that is not muted.
  static func inputs(_ snapshot: ServerSnapshot) -> [String] {
    snapshot.hardware(.input).filter { !$0.isMuted && $0.volume.loudest > .muted }.map(\.name)
  }

  /// Records inputs, all at once. One that cannot be recorded, or has not begun when the time is up,
  /// is left out.
  static func heard(
    _ inputs: [String], server: String, within limit: Duration
  ) async -> [MachineFacts.Heard] {
    return await withTaskGroup(of: Outcome.self) { group in
      for (number, input) in inputs.enumerated() {
        group.addTask { .heard(number, await record(input, server)) }
      }
      group.addTask {
        try? await Task.sleep(for: limit)
        return .timeIsUp
      }
      var results: [(place: Int, heard: MachineFacts.Heard)] = []
      var left = inputs.count
      while left > 0, let outcome = await group.next() {
        guard case .heard(let place, let heard) = outcome else {
          group.cancelAll()
          continue
        }
        left -= 1
        if let heard { results.append((place, heard)) }
      }
      group.cancelAll()
      return results.sorted { $0.place < $1.place }.map(\.heard)
    }
  }

  private static func record(_ input: String, _ server: String) async -> MachineFacts.Heard? {
    let measured = try? await DeviceMeasurement.run(
      server: server, device: input, hardware: nil, measuresBuffer: false, time: time)
    // What was cut short would be taken for silence.
    guard let measured, !Task.isCancelled else { return nil }
    return MachineFacts.Heard(
      device: input, faults: measured.check.findings.map(MachineFacts.Heard.Fault.init))
  }
}

extension MachineFacts.Heard.Fault {
  init(_ finding: SignalCheck.Finding) {
    switch finding {
    case .silent: self = .silent
    case .deadChannel(let channel): self = .deadChannel(channel)
    case .dualMono(let one, let other): self = .dualMono(one, other)
    case .clipping(let channel, let samples): self = .clipping(channel, samples: samples)
    case .offset(let channel, let value): self = .offset(channel, value)
    }
  }
}
