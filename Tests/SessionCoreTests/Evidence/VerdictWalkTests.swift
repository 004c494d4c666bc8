import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// No evidence, no verdict: `applied` is reported only if the server has the value, whatever became of the
/// requests, whoever maintains the session.
@Suite("A walk over properties, scopes and what becomes of requests") struct VerdictWalkTests {
  /// What becomes of the requests.
  enum Fate: CaseIterable {
    case granted, clamped, refused, ignored, changedMeanwhile, deviceReplaced, serverSilent
    /// Another program sets all as it was after the first steps, while the others are to come.
    case changedBetween
    /// The server acknowledges each request before it acts; PipeWire.
    case late
    /// WirePlumber is killed; PipeWire.
    case managerKilled
    /// Another program's stream forces its buffer for all.
    case forcedByAnother
    /// A setting of PipeWire forces a buffer, which no client of its protocol is told.
    case forcedUnseen

    /// Whether the server answers, and nobody else acts.
    var isAnswered: Bool {
      [.granted, .late, .clamped, .refused, .ignored].contains(self)
    }

    static func of(_ kind: ServerKind) -> [Fate] {
      let ofPipeWire: [Fate] = [.late, .managerKilled, .forcedByAnother, .forcedUnseen]
      return kind == .pipewire ? allCases : allCases.filter { !ofPipeWire.contains($0) }
    }
  }

  /// Who maintains the session.
  enum Holding: CaseIterable { case holder, command, application }

  /// A property, how to ask for it, and whether a server has it, read without the session's code.
  struct Row: CustomTestStringConvertible, Sendable {
    let property: Property
    let mode: AudioMode
    private let isShown: @Sendable (ServerSnapshot) -> Bool
    /// What the server has besides what it shows.
    private let isHad: @Sendable (SimulatedServer) -> Bool
    var testDescription: String { property.rawValue }

    init(
      _ property: Property, _ change: (inout AudioMode) -> Void,
      isHad: @escaping @Sendable (SimulatedServer) -> Bool = { _ in true },
      isMet: @escaping @Sendable (ServerSnapshot) -> Bool
    ) {
      (self.property, isShown, self.isHad) = (property, isMet, isHad)
      mode = preferring {
        $0.onFailure = .bestEffort
        change(&$0)
      }
    }

    func isMet(_ server: SimulatedServer) -> Bool { isShown(server.snapshot) && isHad(server) }
  }

  private static let process: Int32 = 4242
  private static let half = Volume(fraction: 0.5)

  private static func input(_ snapshot: ServerSnapshot) -> Device? {
    snapshot.sources.first { $0.name == Server.microphone }
  }

  private static func output(_ snapshot: ServerSnapshot) -> Device? {
    snapshot.sinks.first { $0.name == Server.speakers }
  }

  /// What the session's stream on the microphone forces on PipeWire, once another one uses it.
  private static func forced(_ key: String, _ snapshot: ServerSnapshot) -> String? {
    snapshot.sourceOutputs.first {
      $0.device == input(snapshot)?.index && $0.properties[key] != nil
    }?.properties[key]
  }

  /// Whether programs use a device: all as the default, or one that has a session of its own.
  private static func isUsed(_ direction: Direction, _ name: String, _ snapshot: ServerSnapshot)
    -> Bool
  {
    let device = (snapshot.sources + snapshot.sinks).first { $0.name == name }
    guard snapshot.viewer != nil else { return snapshot.server.defaultName(direction) == name }
    let streams = (snapshot.sourceOutputs + snapshot.sinkInputs).filter {
      $0.direction == direction && $0.properties["application.name"] == "ours"
    }
    return device != nil && streams.allSatisfy { $0.device == device?.index }
  }

  private static func hasModule(_ snapshot: ServerSnapshot, _ name: String, _ part: String) -> Bool
  {
    snapshot.modules.contains { $0.name == name && $0.argument.contains(part) }
  }

  static let rows = [
    Row(.category) {
      $0.category = .playAndRecord
    } isMet: { snapshot in
      input(snapshot) != nil && output(snapshot) != nil
        && snapshot.server.defaultSourceName == Server.microphone
    },
    Row(.mode) {
      $0.mode = .voiceChat
    } isMet: { snapshot in
      hasModule(snapshot, "module-echo-cancel", "source_master=\(Server.microphone)")
        && snapshot.server.defaultSourceName?.hasPrefix("audiosession.") == true
        && snapshot.server.defaultSinkName?.hasPrefix("audiosession.") == true
    },
    Row(.options) {
      $0.category = .playback
      $0.options = [.silenceOthers]
    } isMet: { snapshot in
      let music = snapshot.sinkInputs.filter { $0.properties["application.name"] == "music" }
      return hasModule(snapshot, "module-role-ducking", "music")
        && snapshot.sinkInputs.contains { $0.properties["application.name"] == "audiosession" }
        || music.allSatisfy(\.isMuted)
    },
    Row(.sampleRate) {
      $0.sampleRate = 48000
    } isMet: { snapshot in
      guard let rate = forced("node.force-rate", snapshot) else {
        // Of an idle device PipeWire tells no rate.
        return input(snapshot)?.sampleSpec.rate == 48000
          && (snapshot.server.name == "pulseaudio" || input(snapshot)?.state == .running)
      }
      return rate == "48000"
        && (input(snapshot)?.state != .running || input(snapshot)?.sampleSpec.rate == 48000)
    },
    Row(.ioBufferDuration) {
      $0.ioBufferDuration = .milliseconds(10)
    } isHad: { server in
      // No device of PipeWire shows what its graph runs with.
      guard
        let pin = server.snapshot.sourceOutputs.first(where: {
          $0.properties["node.force-quantum"] != nil && $0.properties["audiosession.pin"] != nil
        }), let mic = input(server.snapshot)
      else { return true }
      let frames = server.cycle(of: mic, under: pin) / .seconds(1) * Double(mic.sampleSpec.rate)
      return Int(frames.rounded()) == 512
    } isMet: { snapshot in
      guard let frames = forced("node.force-quantum", snapshot) else {
        return input(snapshot)?.configuredLatency == .milliseconds(10)
      }
      return frames == "512"
    },
    Row(.preferredInput) {
      $0.preferredInput = [.name(Server.usb)]
    } isMet: {
      isUsed(.input, Server.usb, $0)
    },
    Row(.preferredOutput) {
      $0.preferredOutput = ["loose"]
    } isMet: {
      isUsed(.output, "loose", $0)
    },
    Row(.inputPort) {
      $0.inputPort = [.type(.lineIn)]
    } isMet: {
      input($0)?.activePort == "analog-input-linein"
    },
    Row(.polarPattern) {
      $0.polarPattern = .cardioid
    } isMet: { snapshot in
      snapshot.server.defaultSourceName == "audiosession.input"
        && hasModule(snapshot, "module-remap-source", "master_channel_map=front-left")
    },
    Row(.inputOrientation) {
      $0.polarPattern = .stereo
      $0.inputOrientation = .landscapeRight
    } isMet: { snapshot in
      snapshot.server.defaultSourceName == "audiosession.input"
        && hasModule(snapshot, "module-remap-source", "master_channel_map=front-right,front-left")
    },
    Row(.outputCodec) {
      $0.category = .playback
      $0.preferredOutput = [.name(Server.a2dp)]
      $0.outputCodec = "aptx"
    } isMet: {
      $0.cards.contains { $0.name == "bluez_card.AA" && $0.activeCodec == "aptx" }
    },
    Row(.channelMap) {
      $0.channelMap = .swap
    } isMet: { snapshot in
      snapshot.server.defaultSourceName == "audiosession.input"
        && hasModule(snapshot, "module-remap-source", "master_channel_map=front-right,front-left")
    },
    Row(.inputGain) {
      $0.inputGain = half
    } isMet: {
      input($0)?.volume.isUniformly(half) == true
    },
    Row(.inputMuted) {
      $0.inputMuted = true
    } isMet: {
      input($0)?.isMuted == true
    },
    Row(.inputLatencyOffset) {
      $0.inputLatencyOffset = .milliseconds(7)
    } isMet: { snapshot in
      snapshot.cards.flatMap(\.ports).contains {
        $0.name == input(snapshot)?.activePort && $0.latencyOffset == .milliseconds(7)
      }
    },
    Row(.outputPort) {
      $0.outputPort = [.type(.headphones)]
    } isMet: {
      output($0)?.activePort == "analog-output-headphones"
    },
    Row(.outputChannelMap) {
      $0.outputChannelMap = .swap
    } isMet: { snapshot in
      snapshot.server.defaultSinkName == "audiosession.output"
        && hasModule(snapshot, "module-remap-sink", "master_channel_map=front-right,front-left")
    },
    Row(.outputVolume) {
      $0.outputVolume = half
    } isMet: {
      output($0)?.volume.isUniformly(half) == true
    },
    Row(.outputMuted) {
      $0.outputMuted = true
    } isMet: {
      output($0)?.isMuted == true
    },
    Row(.outputLatencyOffset) {
      $0.outputLatencyOffset = .milliseconds(7)
    } isMet: { snapshot in
      snapshot.cards.flatMap(\.ports).contains {
        $0.name == output(snapshot)?.activePort && $0.latencyOffset == .milliseconds(7)
      }
    },
  ]

  /// A laptop with everything plugged in and a USB microphone, where no row is met.
  private func machine(
    _ row: Row, _ holding: Holding, on kind: ServerKind
  ) throws -> SimulatedServer {
    let jacks: [String: PortAvailability] = [
      "analog-input-linein": .yes, "analog-output-headphones": .yes,
    ]
    var server = Server.machine(kind: kind) {
      $0.addLaptop(row.property == .category ? "output:analog-stereo" : Server.duplex, jacks: jacks)
      if row.property != .category { $0.addUSB() }
      $0.addLoose(.output, "loose")
      guard row.property == .outputCodec else { return }
      $0.addBluetooth()
      guard let card = $0.snapshot.cards.indices.last else { return }
      $0.snapshot.cards[card].codecs = ["sbc", "aptx"].map { Codec(name: $0) }
      $0.snapshot.cards[card].activeCodec = "sbc"
    }
    for device in [Server.microphone, Server.speakers] {
      let direction = device == Server.microphone ? Direction.input : .output
      guard server.snapshot.device(direction, named: device) != nil else { continue }
      try server.setDefault(direction, device)
      try server.edit(direction, device) {
        $0.activePort = direction == .input ? "analog-input-internal-mic" : "analog-output-speaker"
        $0.volume = ChannelVolumes(.norm, channels: 2)
      }
      guard holding == .application else { continue }
      server.add(
        stream: "ours", direction, on: device, isCorked: true,
        properties: ["application.process.id": "\(Self.process)"])
    }
    if row.property == .outputCodec { try server.setDefault(.output, Server.a2dp) }
    server.add(stream: "music", .output, on: Server.speakers, properties: ["media.role": "music"])
    if holding == .application { server.snapshot.viewer = Self.process }
    server.tendsPins = true
    server.updateStates()
    return server
  }

  /// The server after a run, with the run.
  private func run(
    _ row: Row, _ holding: Holding, _ fate: Fate, batches: Int = .max,
    on kind: ServerKind = .pulseaudio, isCredulous: Bool = false
  ) throws -> Run {
    var server = try machine(row, holding, on: kind)
    // What the hardware cannot do shows once it runs.
    if kind == .pipewire, fate == .clamped,
      server.snapshot.device(.input, named: Server.microphone) != nil
    {
      server.add(stream: "call", .input, on: Server.microphone)
    }
    let before = server.snapshot
    var mode = row.mode
    if holding == .application { mode.scope = .application }
    var input = PlanInput(mode: mode, snapshot: before)
    input.holdsPins = holding != .command
    input.isHeld = holding != .command
    input.process = Self.process
    let settings = Set(try Plan.make(input).steps.map(\.setting))
      .union(before.sinkInputs.map { Setting.othersMute($0.index) })
    switch fate {
    case .clamped:
      for device in before.sources + before.sinks {
        server.latencies[device.name] = .milliseconds(100)...(.milliseconds(100))
        server.rates[device.name] = [44100]
        try server.edit(device.direction, device.name) {
          $0.properties["clock.quantum-limit"] = "128"
        }
      }
      server.updateStates()
      input.snapshot = server.snapshot
    case .refused: server.refuses = settings
    case .ignored: server.ignores = settings
    case .late: server.delays = settings
    case .granted, .changedMeanwhile, .changedBetween, .deviceReplaced, .serverSilent,
      .managerKilled, .forcedByAnother, .forcedUnseen:
      break
    }
    var run = Run(server, input)
    run.isCredulous = isCredulous
    if fate == .changedBetween {
      run.run(batches: 1)
      run.server.snapshot = before
    }
    run.run(batches: fate == .serverSilent ? batches : .max)
    if holding == .command {
      for device in run.server.snapshot.sources { try run.server.pin(.input, device.name, .absent) }
      run.server.updateStates()
    }
    switch fate {
    case .changedMeanwhile: run.server.snapshot = before
    case .deviceReplaced: replace(&run.server, before)
    case .managerKilled: run.server.endManager()
    case .forcedByAnother, .forcedUnseen: forceBuffer(&run.server, isSeen: fate == .forcedByAnother)
    default: break
    }
    return run
  }

  /// The devices are used, and another one forces a buffer of the graph.
  private func forceBuffer(_ server: inout SimulatedServer, isSeen: Bool) {
    for device in server.snapshot.sources where device.name == Server.microphone {
      server.add(stream: "call", .input, on: device.name, properties: ["stays": "1"])
    }
    if isSeen {
      server.add(
        stream: "jack", .output, on: Server.speakers,
        properties: ["node.force-quantum": "2048", "stays": "1"])
    } else {
      server.settingsQuantum = 2048
    }
    server.updateStates()
  }

  /// Every device of the hardware is unplugged, and another one with its name is there.
  private func replace(_ server: inout SimulatedServer, _ before: ServerSnapshot) {
    for device in before.sources + before.sinks where !device.isMonitor {
      guard let present = server.snapshot.device(device.direction, named: device.name) else {
        continue
      }
      server.remove(present)
      var other = device
      other.index = Index(server.newIndex())
      server.add(other)
    }
    server.updateDefaults()
    server.rescueStreams()
    server.updateStates()
  }

  /// The input of a state after a run, as the session has it.
  private func state(_ run: Run, on server: SimulatedServer) -> PlanInput {
    var input = PlanInput(mode: run.input.mode, snapshot: server.snapshot)
    input.holdsPins = run.input.holdsPins
    input.isHeld = run.input.isHeld
    input.process = run.input.process
    input.memory = run.input.memory
    input.refusals = run.input.refusals
    input.capabilities = run.input.capabilities
    input.grants = server.grants
    input.occasion = .upkeep
    return input
  }

  private func reports(
    _ run: Run, on server: SimulatedServer
  ) -> [Property: PropertyReport] {
    server.reports(run.input.mode) { $0 = state(run, on: server) }
  }

  @Test(arguments: rows, Holding.allCases)
  func `applied is reported only of what the server has`(_ row: Row, _ holding: Holding) throws {
    try walk(row, holding, on: .pulseaudio)
  }

  @Test(arguments: rows, Holding.allCases)
  func `and on PipeWire`(_ row: Row, _ holding: Holding) throws {
    try walk(row, holding, on: .pipewire)
  }

  private func isHint(_ row: Row) -> Bool {
    [.sampleRate, .ioBufferDuration].contains(row.property)
  }

  /// What may be said of a property that is not met.
  private func verdicts(_ row: Row, _ holding: Holding, _ fate: Fate) -> Set<Verdict> {
    let isHint = isHint(row)
    var verdicts: Set<Verdict> =
      switch fate {
      case .granted, .late, .changedBetween: []
      case .clamped: isHint ? [.unreachable] : []
      case .refused: [.refused]
      case .ignored: isHint ? [.unreachable, .pending] : [.refused]
      case .changedMeanwhile, .deviceReplaced, .serverSilent: [.overridden, .pending]
      case .managerKilled: [.pending]
      case .forcedByAnother, .forcedUnseen:
        row.property == .ioBufferDuration
          ? [.overridden] : row.property == .options ? [.pending, .overridden] : []
      }
    switch holding {
    case .holder: break
    case .command:
      // A pin, and other programs' streams, need a process.
      if needsHolder(row) { verdicts.insert(.pending) }
    case .application:
      // What programs share is not changed, or waits for streams.
      if ![.preferredInput, .preferredOutput].contains(row.property) {
        verdicts.formUnion(fate == .managerKilled ? [] : [.unreachable, .pending])
      }
    }
    return verdicts
  }

  private func walk(_ row: Row, _ holding: Holding, on kind: ServerKind) throws {
    for fate in Fate.of(kind) {
      for batches in fate == .serverSilent ? 0...3 : 1...1 {
        let run = try run(row, holding, fate, batches: batches, on: kind)
        let report = reports(run, on: run.server)[row.property]
        let isMet = row.isMet(run.server)
        #expect(report?.verdict != .applied || isMet, "\(fate) \(batches)\n\(run.trace)")
        #expect(report?.verdict != .applied || report?.readings.isEmpty == false, "\(fate)")
        if fate == .managerKilled { #expect(report?.waitingFor == .sessionManager) }
        if !isMet {
          let verdicts = verdicts(row, holding, fate)
          #expect(
            report.map { verdicts.contains($0.verdict) } == true,
            "\(kind) \(fate) \(batches): \(report as Any)\n\(run.trace)")
        } else if holding == .command, !needsHolder(row), fate.isAnswered {
          #expect(report?.verdict == .applied, "\(kind) \(fate): \(report as Any)\n\(run.trace)")
        }
        guard holding == .holder || holding == .application && isOfOneProgram(row) else { continue }
        // Else the walk would prove nothing.
        let mustBe = fate == .granted || fate == .late
        #expect(!mustBe || report?.verdict == .applied, "\(fate) \(report as Any)\n\(run.trace)")
      }
    }
  }

  @Test(arguments: rows, Holding.allCases)
  func `a step is applied only if the server has its value`(_ row: Row, _ holding: Holding) throws {
    for (fate, kind) in [Fate.granted, .clamped, .refused, .ignored, .serverSilent].flatMap({
      fate in
      [ServerKind.pulseaudio, .pipewire].map { (fate, $0) }
    }) {
      let run = try run(row, holding == .command ? .holder : holding, fate, batches: 1, on: kind)
      #expect(falseResults(run).isEmpty, "\(fate)\n\(run.trace)")
    }
  }

  /// The last results of settings that are called applied, and of which the server has another value.
  private func falseResults(_ run: Run) -> [StepResult] {
    var last: [Setting: StepResult] = [:]
    for result in run.loop.report { last[result.step.setting] = result }
    return last.values.filter { result in
      result.outcome == .applied
        && run.server.snapshot.value(of: result.step.setting) != result.step.to
    }
  }

  /// Whether it can be set for one program alone.
  private func isOfOneProgram(_ row: Row) -> Bool {
    [.preferredInput, .preferredOutput].contains(row.property)
  }

  /// A session that takes a step for done because it asked for it, and reads nothing back: the walk must
  /// find each row wrong.
  @Test(arguments: rows, Holding.allCases)
  func `a session that reads no step back is found out`(
    _ row: Row, _ holding: Holding
  ) throws {
    for kind in [ServerKind.pulseaudio, .pipewire] {
      try findOut(row, holding, on: kind)
    }
  }

  /// Whether it needs a process, so that a command leaves it `pending`.
  private func needsHolder(_ row: Row) -> Bool { isHint(row) || row.property == .options }

  private func isAppliedOnceAsked(_ row: Row, _ holding: Holding) -> Bool {
    switch holding {
    case .holder: true
    case .command: !needsHolder(row)
    case .application: isOfOneProgram(row)
    }
  }

  private func findOut(_ row: Row, _ holding: Holding, on kind: ServerKind) throws {
    guard isAppliedOnceAsked(row, holding) else { return }
    let run = try run(row, holding, .ignored, on: kind, isCredulous: true)
    let wrong = falseResults(run).map(\.step.property)
    // Pattern and orientation are made by the step of the channel map.
    let isDerived = [.polarPattern, .inputOrientation].contains(row.property)
    #expect(wrong.contains(isDerived ? .channelMap : row.property), "\(wrong)\n\(run.trace)")
  }

  @Test func `every property of the state is walked over`() {
    #expect(Set(Self.rows.map(\.property)) == Set(allAspects.map(\.property)))
  }

  /// A session that answers with the value it asked for instead of reading it: the walk must find each
  /// row wrong.
  @Test(arguments: rows, Holding.allCases)
  func `a session that reads nothing is found out`(_ row: Row, _ holding: Holding) throws {
    for kind in [ServerKind.pulseaudio, .pipewire] {
      try findBeliever(row, holding, on: kind)
    }
  }

  private func findBeliever(_ row: Row, _ holding: Holding, on kind: ServerKind) throws {
    guard isAppliedOnceAsked(row, holding) else { return }
    let believer = Observer { _, asked in (asked, .server) }
    var wrong: [Fate] = []
    for fate in Fate.of(kind) {
      let run = try run(row, holding, fate, batches: 0, on: kind)
      let reports = SessionState.reports(state(run, on: run.server), by: believer)
      let isWrong =
        reports[row.property]?.verdict == .applied && !row.isMet(run.server)
      if isWrong { wrong.append(fate) }
    }
    // The server was asked for nothing, or keeps nothing.
    #expect(wrong.contains(.serverSilent) && wrong.contains(.changedMeanwhile), "\(wrong)")
  }
}
