import AudioSession
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

/// The model server of the seeded tests does what real servers do: steps that a session ran on a real one
/// are run on the model, from the same snapshot, and the values afterwards are compared.
@Suite("The model server, beside real ones", .bothServers, .timeLimit(.minutes(2)))
struct ModelFidelityTests {
  /// What the model leaves out on purpose.
  private enum Omission: String, CaseIterable {
    /// A port that was not in use before has levels that only the server knows.
    case levelsOfAnotherPort
    /// A device that a card profile makes is known after it was made.
    case devicesOfAnotherProfile

    func covers(_ line: String, _ steps: [Step]) -> Bool {
      steps.contains { step in
        switch (self, step.setting) {
        case (.levelsOfAnotherPort, .port(_, let device)): line.hasPrefix(device + " port ")
        case (.devicesOfAnotherProfile, .cardProfile): true
        default: false
        }
      }
    }
  }

  private static func modes(on machine: Machine) -> [AudioMode] {
    var first = AudioMode(category: .playAndRecord)
    first.preferredInput = [.name(machine.usbInput)]
    first.inputGain = Volume(fraction: 0.4)
    first.inputMuted = true
    first.outputVolume = Volume(fraction: 0.5)
    var second = AudioMode(category: .record)
    second.preferredInput = [.name(machine.laptopInput)]
    second.channelMap = .swap
    second.inputGain = Volume(fraction: 0.7)
    second.outputChannelMap = .mono
    var third = AudioMode()
    third.preferredInput = [.name(machine.usbInput)]
    third.outputMuted = true
    return [first, second, third]
  }

  @Test("what a session does has the same effect", arguments: Feature.levels.machines)
  func steps(on machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      let trace = Guarded<[TraceEntry]>([])
      var configuration = SessionConfiguration(
        timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/store")
      configuration.tracer = { entry in trace.withLock { $0.append(entry) } }
      let session = AudioSession(server: rig.sandbox.address, configuration: configuration)
      for mode in Self.modes(on: machine) { try await session.setAudioMode(mode) }
      try await session.revert()
      await session.close()
      var before: ServerSnapshot?
      var steps: [Step] = []
      var compared = 0
      for entry in trace.withLock({ $0 }) {
        if case .ran(let step, let outcome) = entry, outcome == "applied" { steps.append(step) }
        guard case .planned(let input, _) = entry else { continue }
        if let before, !steps.isEmpty {
          try compare(before, steps, input.snapshot)
          // Steps without an effect would be alike on any model.
          if before.fingerprint != input.snapshot.fingerprint { compared += 1 }
        }
        (before, steps) = (input.snapshot, [])
      }
      #expect(compared >= 6, "\(compared) batches of steps")
    }
  }

  private func compare(
    _ before: ServerSnapshot, _ steps: [Step], _ after: ServerSnapshot
  ) throws {
    var model = SimulatedServer(adopting: before)
    for step in steps { try model.run(step) }
    let (real, modelled) = (after.fingerprint, model.snapshot.fingerprint)
    let differences = modelled.difference(from: real).compactMap { change -> String? in
      let (line, who) =
        switch change {
        case .insert(_, let line, _): (line, "model")
        case .remove(_, let line, _): (line, "server")
        }
      return Omission.allCases.contains { $0.covers(line, steps) } ? nil : "\(who): \(line)"
    }
    #expect(differences.isEmpty, "\(differences) after \(steps.map { "\($0.setting): \($0.to)" })")
  }

  @Test("a card that is pulled out and plugged in", arguments: Feature.cards.machines)
  func replug(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      let level = ChannelVolumes(Volume(fraction: 0.3), channels: 2)
      try await rig.setInputVolume(level, of: machine.usbInput)
      #expect(
        try await rig.eventually {
          $0.device(.input, named: machine.usbInput)?.volume == level
        })
      var model = SimulatedServer(adopting: try await rig.outside.snapshot())
      try await rig.sandbox.unplug(Names.usbCard)
      model.unplug(Names.usbCard)
      let without = names(of: model.snapshot)
      #expect(try await rig.eventually { names(of: $0) == without }, "\(without)")
      try await rig.sandbox.plug(Names.usbCard)
      model.plug(Names.usbCard)
      model.settleArrivals()
      let with = names(of: model.snapshot)
      // The level that it had, also where the session manager restores it later.
      let isAlike = try await rig.eventually {
        names(of: $0) == with
          && $0.device(.input, named: machine.usbInput)?.volume
            == model.snapshot.device(.input, named: machine.usbInput)?.volume
      }
      #expect(isAlike, "\(with)")
      #expect(model.snapshot.device(.input, named: machine.usbInput)?.volume == level)
    }
  }

  private func names(of snapshot: ServerSnapshot) -> Set<String> {
    Set((snapshot.sinks + snapshot.sources).map(\.name) + snapshot.cards.map(\.name))
  }
}
