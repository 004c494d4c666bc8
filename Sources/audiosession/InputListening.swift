import AudioSession
import AudioStreams
import PulseTypes

/// Records the inputs for `doctor`; the sound is checked and discarded.
enum InputListening {
  /// The duration, which the checks mention.
  private static let time = Duration.milliseconds(500)

  /// The inputs to record: all hardware inputs that are not muted.
  static func inputs(_ snapshot: ServerSnapshot) -> [String] {
    snapshot.hardware(.input).filter { !$0.isMuted && $0.volume.loudest > .muted }.map(\.name)
  }

  /// Records all inputs at once. Omits one that cannot be recorded, or has not started at the time
  /// limit.
  static func recordings(
    _ inputs: [String], server: String, within limit: Duration
  ) async -> [MachineFacts.Recording] {
    return await withTaskGroup(of: (Int, MachineFacts.Recording?)?.self) { group in
      for (number, input) in inputs.enumerated() {
        group.addTask { (number, await record(input, server)) }
      }
      group.addTask {
        try? await Task.sleep(for: limit)
        return nil
      }
      var results: [(place: Int, recording: MachineFacts.Recording)] = []
      var left = inputs.count
      while left > 0, let outcome = await group.next() {
        guard let (place, recording) = outcome else {  // the time is up
          group.cancelAll()
          continue
        }
        left -= 1
        if let recording { results.append((place, recording)) }
      }
      group.cancelAll()
      return results.sorted { $0.place < $1.place }.map(\.recording)
    }
  }

  private static func record(_ input: String, _ server: String) async -> MachineFacts.Recording? {
    let measured = try? await DeviceMeasurement.run(
      server: server, device: input, hardware: nil, measuresBuffer: false, time: time)
    // An incomplete recording would be taken for silence.
    guard let measured, !Task.isCancelled else { return nil }
    return MachineFacts.Recording(
      device: input, faults: measured.check.findings.map(MachineFacts.Recording.Fault.init))
  }
}

extension MachineFacts.Recording.Fault {
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
