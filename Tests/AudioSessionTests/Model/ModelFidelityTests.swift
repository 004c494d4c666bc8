import AudioSession
import JSONCoding
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

/// The model server of the seeded tests does what real servers do: steps that a session ran on a real one
/// are run on the model, from the same snapshot, and the values afterwards are compared.
@Suite("The model server, beside real ones", .bothServers, .timeLimit(.minutes(10)))
struct ModelFidelityTests {
  /// What the model leaves out on purpose.
  private enum Omission: String, CaseIterable {
    /// A port that was not in use before has levels that only the server knows.
    case levelsOfAnotherPort
    /// A device that a card profile makes is known after it was made, and may be the default.
    case devicesOfAnotherProfile

    /// - Parameter devices: the names of all devices of a card, before and after the steps.
    func covers(_ line: String, _ steps: [Step], devices: (String) -> Set<String>) -> Bool {
      steps.contains { step in
        switch (self, step.setting) {
        case (.levelsOfAnotherPort, .port(_, let device)): line.hasPrefix(device + " port ")
        case (.devicesOfAnotherProfile, .cardProfile(let card)):
          line.hasPrefix("default ") || devices(card).contains { line.hasPrefix($0 + " port ") }
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
    first.sampleRate = 48000
    first.ioBufferDuration = .milliseconds(10)
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
      let compared = try compare(trace.withLock { $0 })
      #expect(compared >= 6, "\(compared) batches of steps")
    }
  }

  /// Real cards in a guest, recorded by `Tests/RealCards/run`.
  @Test("what a session did on real cards has the same effect")
  func realCards() throws {
    let folder = packageFolder + "/Tests/RealCards/traces"
    let names = Folder.names(folder).filter { $0.hasSuffix(".trace") }.sorted()
    #expect(!names.isEmpty, "no trace in \(folder)")
    for name in names {
      let lines = File.text("\(folder)/\(name)", atMost: 1 << 28).split(separator: "\n")
      let entries = try lines.map { try JSON.decode(TraceLine.self, from: $0.utf8).entry }
      #expect(try compare(entries) >= 1, "\(name)")
    }
  }

  /// Compares what the steps of a trace had as their effect.
  ///
  /// - Returns: how many batches of steps changed something.
  private func compare(_ trace: [TraceEntry]) throws -> Int {
    var before: ServerSnapshot?
    var steps: [Step] = []
    var compared = 0
    for entry in trace {
      if case .ran(let step, let outcome) = entry, outcome == "applied" { steps.append(step) }
      guard case .planned(let input, _) = entry else { continue }
      if let before, !steps.isEmpty {
        try compare(before, steps, input.snapshot)
        // Steps without an effect would be alike on any model.
        if before.fingerprint != input.snapshot.fingerprint { compared += 1 }
      }
      (before, steps) = (input.snapshot, [])
    }
    return compared
  }

  private func compare(
    _ before: ServerSnapshot, _ steps: [Step], _ after: ServerSnapshot
  ) throws {
    var model = SimulatedServer(adopting: before)
    for step in steps { try model.run(step) }
    // What a mixer makes of a level is its own.
    for var step in steps where after.hasRounded(step) {
      guard let level = after.value(of: step.setting) else { continue }
      step.to = level
      try model.run(step)
    }
    model.updateStates()
    let real = after.fingerprint + after.hints(withoutLatenciesOf: before.closed)
    let modelled =
      model.snapshot.fingerprint + model.snapshot.hints(withoutLatenciesOf: before.closed)
    let differences = modelled.difference(from: real).compactMap { change -> String? in
      let (line, who) =
        switch change {
        case .insert(_, let line, _): (line, "model")
        case .remove(_, let line, _): (line, "server")
        }
      let isOmitted = Omission.allCases.contains {
        $0.covers(line, steps) { devices(of: $0, [before, after]) }
      }
      return isOmitted ? nil : "\(who): \(line)"
    }
    #expect(differences.isEmpty, "\(differences) after \(steps.map { "\($0.setting): \($0.to)" })")
  }

  private func devices(of card: String, _ snapshots: [ServerSnapshot]) -> Set<String> {
    Set(
      snapshots.flatMap { snapshot in
        let index = snapshot.cards.first { $0.name == card }?.index
        return (snapshot.sinks + snapshot.sources).filter { $0.card == index && index != nil }
      }.map(\.name))
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

  /// The streams of a program, one after the other, each paused or not.
  private static func streams(on machine: Machine) -> [(rate: UInt32, isCorked: Bool)] {
    machine.isGraph
      ? [(44100, false), (48000, false), (44100, true)]
      : [(48000, true), (44100, false), (48000, false), (48000, true)]
  }

  @Test("a rate that changes under a stream", arguments: Feature.rate.machines)
  func rate(on machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      var model = SimulatedServer(adopting: try await rig.outside.snapshot())
      model.tendsPins = true
      var rates: [UInt32?] = []
      var open: [PulseStream] = []
      var added: [Index<Stream>] = []
      func compare() async throws {
        let expected = model.snapshot.device(.input, named: machine.usbInput)?.sampleSpec.rate
        rates.append(expected)
        let isAlike = try await rig.eventually {
          $0.device(.input, named: machine.usbInput)?.sampleSpec.rate == expected
        }
        #expect(isAlike, "\(rates)")
      }
      for (rate, isCorked) in Self.streams(on: machine) {
        let properties = machine.isGraph ? ["node.force-rate": "\(rate)"] : [:]
        let options = StreamOptions(
          direction: .input, name: "recorder", device: machine.usbInput,
          spec: SampleSpec(format: .s16le, rate: rate, channels: 2), latency: .milliseconds(90),
          startCorked: isCorked, properties: properties)
        open.append(try await rig.outside.openStream(options))
        added.append(
          model.add(
            stream: "recorder", .input, on: machine.usbInput, isCorked: isCorked,
            properties: properties, rate: rate))
        try await compare()
      }
      // The last one that runs ends.
      await open.remove(at: 1).close()
      model.removeStreams(.input) { $0.index == added[1] }
      model.updateStates()
      try await compare()
      #expect(Set(rates) == [44100, 48000])
      for stream in open { await stream.close() }
    }
  }

  @Test("the buffer of the graph, whoever forces it", .graphCards)
  func buffer() async throws {
    let machine = Machine.graph
    try await Rig.with(machine.with(cards: ["kind=usb-mic max_latency=60"])) { rig in
      var model = SimulatedServer(adopting: try await rig.outside.snapshot())
      model.tendsPins = true
      var cycles: [String] = []
      func add(_ frames: Int) async throws -> (real: PulseStream, modelled: Index<Stream>) {
        let properties = ["node.force-quantum": "\(frames)", "node.force-rate": "48000"]
        let options = StreamOptions(
          direction: .input, name: "recorder", device: machine.usbInput,
          spec: SampleSpec(format: .s16le, rate: 48000, channels: 2), latency: .milliseconds(90),
          startCorked: false, properties: properties)
        let real = try await rig.outside.openStream(options)
        return (
          real, model.add(stream: "r", .input, on: machine.usbInput, properties: properties)
        )
      }
      func cork(_ stream: (real: PulseStream, modelled: Index<Stream>), _ isCorked: Bool)
        async throws
      {
        try await stream.real.cork(isCorked)
        model.editStreams(.input) { if $0.index == stream.modelled { $0.isCorked = isCorked } }
        model.updateStates()
      }
      func compare(
        _ change: String, by stream: (real: PulseStream, modelled: Index<Stream>)
      ) async throws {
        let device = try #require(model.snapshot.device(.input, named: machine.usbInput))
        let expected = model.cycle(of: device)
        let frames = Int((expected / .seconds(1) * 48000).rounded())
        cycles.append("\(change): \(frames)")
        let isAlike = try await TestSupport.eventually {
          try await cycle(of: stream.real) == frames
        }
        #expect(isAlike, "\(cycles)")
      }
      let first = try await add(512)
      try await compare("512", by: first)
      let second = try await add(8192)
      try await compare("and 8192, which the card cannot have", by: first)
      try await cork(second, true)
      try await compare("paused", by: first)
      try await cork(second, false)
      try await compare("and again", by: second)
      try await cork(first, true)
      try await cork(first, false)
      try await compare("the first, paused and running again", by: first)
      model.settingsQuantum = 256
      try await rig.force(quantum: 256)
      try await compare("a setting of 256", by: first)
      model.settingsQuantum = nil
      try await rig.force(quantum: 0)
      try await compare("none", by: second)
      await first.real.close()
      model.removeStreams(.input) { $0.index == first.modelled }
      model.updateStates()
      try await compare("without the first", by: second)
      await second.real.close()
    }
  }

  /// The smallest step of a stream's position.
  private func cycle(of stream: PulseStream) async throws -> Int64 {
    var (last, steps) = (try await stream.position(), [Int64]())
    while steps.count < 6 {
      try await Task.sleep(for: .milliseconds(1))
      let position = try await stream.position()
      if position > last { steps.append(position - last) }
      last = position
    }
    return steps.min() ?? 0
  }

  struct Limit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let latencies: ClosedRange<Duration>?

    static let all = [
      Limit(testDescription: "", latencies: nil),
      Limit(
        testDescription: "fixed_latency=100", latencies: .milliseconds(100)...(.milliseconds(100))),
      Limit(testDescription: "batch=25", latencies: .milliseconds(100)...(.milliseconds(100))),
      Limit(testDescription: "min_latency=50", latencies: .milliseconds(50)...(.seconds(2))),
      Limit(
        testDescription: "max_latency=40", latencies: .microseconds(500)...(.milliseconds(40))),
    ]
  }

  @Test("the latency of a device with a limit", .simulatedCard, arguments: Limit.all)
  func latency(limit: Limit) async throws {
    let card = "kind=usb-mic \(limit.testDescription)"
    let configuration = try #require(SandboxConfiguration.simulatedCards([card]))
    try await Rig.with(configuration) { rig in
      var model = SimulatedServer(adopting: try await rig.outside.snapshot())
      model.latencies[Names.usbInput] = limit.latencies
      var open: [(real: PulseStream, modelled: Index<Stream>)] = []
      var latencies: [Duration?] = []
      func compare() async throws {
        let expected = model.snapshot.device(.input, named: Names.usbInput)?.configuredLatency
        latencies.append(expected)
        let isAlike = try await rig.eventually {
          $0.device(.input, named: Names.usbInput)?.configuredLatency == expected
        }
        let real = try await rig.outside.source(named: Names.usbInput)?.configuredLatency
        #expect(isAlike, "\(latencies), and not \(String(describing: real))")
      }
      // Each asks for less than the one before, one of them paused.
      for (number, milliseconds) in [500, 60, 10].enumerated() {
        let asked = Duration.milliseconds(milliseconds)
        let options = StreamOptions(
          direction: .input, name: "recorder", device: Names.usbInput,
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), latency: asked,
          startCorked: number == 1)
        let stream = try await rig.outside.openStream(options)
        let modelled = model.add(
          stream: "recorder", .input, on: Names.usbInput, isCorked: number == 1, latency: asked)
        open.append((stream, modelled))
        try await compare()
      }
      for (real, modelled) in open.dropFirst().reversed() {
        await real.close()
        model.removeStreams(.input) { $0.index == modelled }
        model.updateStates()
        try await compare()
      }
      await open[0].real.close()
    }
  }

  @Test("a session manager that is killed, and started again", .graphCards)
  func manager() async throws {
    try await Rig.with(Machine.graph.configuration) { rig in
      try await rig.outside.setDefaultSource(Names.usbInput)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
      var model = SimulatedServer(adopting: try await rig.outside.snapshot())
      func view(_ snapshot: ServerSnapshot) -> Set<String> {
        let defaults = Direction.allCases.map {
          "default \($0): \(snapshot.server.defaultName($0) ?? "none")"
        }
        let manager = "a session manager: \(!snapshot.lacksSessionManager)"
        return names(of: snapshot).union(defaults + [manager])
      }
      func expectAlike(_ moment: String) async throws {
        let expected = view(model.snapshot)
        let real = view(try await rig.snapshot { view($0) == expected })
        #expect(real == expected, "\(moment): \(real.symmetricDifference(expected))")
      }
      model.endManager(keepsCards: true)
      try await rig.sandbox.kill(.wireplumber)
      try await expectAlike("killed")
      #expect(throws: SimulatedServer.Refusal("Not supported")) {
        try model.setDefault(.input, Names.laptopInput)
      }
      await #expect {
        try await rig.outside.setDefaultSource(Names.laptopInput)
      } throws: {
        ($0 as? PulseError)?.code == .notSupported
      }
      try await expectAlike("asked for another default")
      try await rig.sandbox.restart(.wireplumber)
      model.startManager([])
      try await expectAlike("started")
    }
  }

  private func names(of snapshot: ServerSnapshot) -> Set<String> {
    Set((snapshot.sinks + snapshot.sources).map(\.name) + snapshot.cards.map(\.name))
  }
}
