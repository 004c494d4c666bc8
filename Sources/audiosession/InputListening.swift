import AudioSession
import AudioStreams

/// Listens to the inputs for `doctor`: what is heard is looked at and thrown away.
enum InputListening {
  /// For how long; the checks say it.
  private static let time = Duration.milliseconds(500)

  /// Records every hardware input that is not muted, all at once. One that cannot be recorded is left
  /// out.
  static func heard(_ snapshot: ServerSnapshot, server: String) async -> [MachineFacts.Heard] {
    let inputs = snapshot.hardware(.input).filter { !$0.isMuted && $0.volume.loudest > .muted }
    return await withTaskGroup(of: (Int, MachineFacts.Heard)?.self) { group in
      for (number, input) in inputs.enumerated() {
        group.addTask {
          let measured = try? await DeviceMeasurement.run(
            server: server, device: input.name, hardware: nil, measuresBuffer: false, time: time)
          return measured.map { result in
            let faults = result.check.findings.map(MachineFacts.Heard.Fault.init)
            return (number, MachineFacts.Heard(device: input.name, faults: faults))
          }
        }
      }
      var results: [(Int, MachineFacts.Heard)] = []
      for await result in group { if let result { results.append(result) } }
      return results.sorted { $0.0 < $1.0 }.map(\.1)
    }
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
