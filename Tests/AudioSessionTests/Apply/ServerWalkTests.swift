import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// The walk over the model (`VerdictWalkTests`) on real servers, in the cells that they have.
@Suite(
  "A walk over properties, scopes and what becomes of requests, on real servers", .bothServers,
  .timeLimit(.minutes(10)))
struct ServerWalkTests {
  /// What becomes of the requests, or of their effects.
  enum Fate: CaseIterable {
    case granted
    /// By hardware of one rate with a latency of its own.
    case clamped
    /// As of a server that has taken the permission away.
    case refused
    /// The server says that they are done.
    case ignored
    /// Another program sets all as it was.
    case changedMeanwhile
    case deviceReplaced
    case serverFrozen
    /// WirePlumber is killed; PipeWire.
    case managerKilled
  }

  /// Who maintains the session.
  enum Holding: CaseIterable { case holder, command, application }

  struct Cell: CustomTestStringConvertible, Sendable {
    let machine: Machine
    let holding: Holding
    let fate: Fate
    var testDescription: String { "\(machine.kind), \(holding), \(fate)" }

    static let all = [Machine.desktop, .graph].flatMap { machine in
      Holding.allCases.flatMap { holding in
        Fate.allCases
          .filter { $0 != .managerKilled || machine.isGraph }
          .map { Cell(machine: machine, holding: holding, fate: $0) }
      }
    }

    var configuration: SandboxConfiguration {
      get throws {
        let limits = machine.isGraph ? "rate=44100 max_latency=4" : "rates=44100 fixed_latency=100"
        return try machine.with(
          cards: ["kind=laptop \(fate == .clamped ? limits : "")", "kind=usb-headset"])
      }
    }
  }

  /// `PA_ERR_ACCESS`.
  private static let denied: UInt32 = 1
  /// The machine has both directions whatever becomes of the requests.
  private static let properties = Property.reported.filter { $0 != .category }
  private static let half = Volume(fraction: 0.5)
  private static let headphones = "analog-output-headphones"

  private static func mode(_ holding: Holding) -> AudioMode {
    var mode = AudioMode(category: .playAndRecord)
    mode.onFailure = .bestEffort
    mode.preferredInput = [.name(Names.laptopInput)]
    mode.preferredOutput = [.name(Names.laptopOutput)]
    // One program's session changes no port, and takes no device that needs another.
    if holding != .application { mode.outputPort = [.name(headphones)] }
    mode.inputGain = half
    mode.inputMuted = true
    mode.outputVolume = half
    mode.outputMuted = true
    mode.inputLatencyOffset = .milliseconds(7)
    mode.sampleRate = 48000
    mode.ioBufferDuration = .milliseconds(10)
    if holding == .application { mode.scope = .application }
    return mode
  }

  /// The headset is the default, headphones are plugged in, and the speaker plays.
  private func prepare(_ rig: Rig) async throws {
    try await rig.plug(Self.headphones)
    try await rig.sandbox.settleCards()
    try await setBack(rig)
    #expect(
      try await rig.eventually { snapshot in
        let look = ServerLook(snapshot: snapshot)
        return !Self.properties.contains { look.has($0, of: Self.mode(.holder)) == true }
      })
  }

  /// As another program does it.
  private func setBack(_ rig: Rig) async throws {
    let snapshot = try await rig.outside.snapshot()
    let headset = snapshot.cards.first { $0.name == Names.usbHeadset }?.index
    for direction in Direction.allCases {
      let devices = snapshot.devices(direction)
      let other = try #require(devices.first { $0.card == headset && !$0.isMonitor })
      let device = direction == .input ? Names.laptopInput : Names.laptopOutput
      try await direction == .input
        ? rig.outside.setDefaultSource(other.name) : rig.outside.setDefaultSink(other.name)
      if direction == .output {
        try await rig.outside.setPort(.output, device: device, port: "analog-output-speaker")
      }
      let channels = try #require(snapshot.device(direction, named: device)).volume.values.count
      try await rig.outside.setVolume(
        direction, device: device, ChannelVolumes(Volume(fraction: 0.9), channels: channels))
      try await rig.outside.setMute(direction, device: device, false)
    }
  }

  /// Sets the levels, again where WirePlumber restores those of a port behind it: that acts later than
  /// it answers.
  private func turnUp(_ rig: Rig) async throws {
    let level = Volume(fraction: 0.9)
    let names: [(Direction, String)] = [(.input, Names.laptopInput), (.output, Names.laptopOutput)]
    var look = PatientLook()
    for number in 1...20 {
      noteTry(number, of: 20)
      let isSet = try await eventually(within: .seconds(1)) {
        let snapshot = try await look.snapshot(rig.outside)
        return names.allSatisfy { direction, name in
          snapshot.device(direction, named: name)?.volume.isUniformly(level) == true
        }
      }
      if isSet { return }
      for (direction, name) in names {
        let device = try #require(
          try await rig.outside.snapshot().device(direction, named: name))
        try await rig.outside.setVolume(
          direction, device: name, ChannelVolumes(level, channels: device.volume.values.count))
      }
    }
    Issue.record("the levels could not be set")
  }

  private func open(_ rig: Rig, _ direction: Direction, on device: String?) async throws
    -> PulseStream
  {
    try await rig.outside.openStream(
      StreamOptions(
        direction: direction, name: device == nil ? "ours" : "another", device: device,
        spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
  }

  /// What a verdict may be of a property that the server does not have.
  private func verdicts(_ property: Property, _ cell: Cell) -> Set<Verdict> {
    let isHint = [.sampleRate, .ioBufferDuration].contains(property)
    var verdicts: Set<Verdict> =
      switch cell.fate {
      case .granted, .serverFrozen: []
      case .clamped: isHint ? [.unreachable] : []
      case .refused, .ignored: isHint ? [.refused, .unreachable, .pending] : [.refused]
      case .changedMeanwhile, .deviceReplaced: [.overridden, .pending]
      case .managerKilled: [.pending]
      }
    // What is said of the wished device where another one is in use.
    let isOfDevice = ![.preferredInput, .preferredOutput].contains(property)
    if isOfDevice, [.refused, .ignored].contains(cell.fate) { verdicts.insert(.overridden) }
    return verdicts.union(impossible(property, cell))
  }

  /// What is said of what this cell can never have.
  private func impossible(_ property: Property, _ cell: Cell) -> Set<Verdict> {
    let isHint = [.sampleRate, .ioBufferDuration].contains(property)
    // A pin needs a process.
    if isHint, cell.holding == .command { return [.pending] }
    // What programs share is not changed.
    let isOfDevice = ![.preferredInput, .preferredOutput].contains(property)
    if isOfDevice, cell.holding == .application { return [.unreachable, .pending, .unset] }
    // A node without hardware has no latency that could be read.
    return property == .inputLatencyOffset && cell.machine.isGraph ? [.unreachable] : []
  }

  /// Whether the property must be in effect in the end.
  private func mustBeApplied(_ property: Property, _ cell: Cell) -> Bool {
    guard impossible(property, cell).isEmpty else { return false }
    let isHint = [.sampleRate, .ioBufferDuration].contains(property)
    return switch cell.fate {
    case .granted, .serverFrozen: true
    case .clamped: !isHint
    case .deviceReplaced: cell.holding == .holder
    // A level that a person sets stands.
    case .changedMeanwhile:
      cell.holding == .holder && [.preferredInput, .preferredOutput].contains(property)
    case .refused, .ignored, .managerKilled: false
    }
  }

  @Test("applied is reported only of what the server has", arguments: Cell.all)
  func cell(_ cell: Cell) async throws {
    try await Rig.with(cell.configuration) { rig in
      try await prepare(rig)
      let proxy = try Proxy(to: rig.sandbox.address)
      defer { proxy.end() }
      let session = session(behind: proxy, rig, isHolding: cell.holding != .command)
      var streams: [PulseStream] = []
      if cell.holding == .application {
        for direction in Direction.allCases {
          streams.append(try await open(rig, direction, on: nil))
        }
      }
      // Connected before the proxy keeps anything.
      _ = try await session.getSessionState()
      if cell.fate == .refused { proxy.meddle(.refused(Self.denied)) }
      if cell.fate == .ignored { proxy.meddle(.ignored) }
      // WirePlumber may choose another port a moment after the jack, again and again: that is an error, and none
      // of the verdicts that are judged here.
      let passing: Set<SessionError.Code> =
        cell.machine.kind == .pipewire ? [.timedOut, .refused] : [.timedOut]
      try await patiently(passing) { () async throws(SessionError) in
        try await session.setAudioMode(Self.mode(cell.holding))
      }
      #expect((proxy.keptWrites > 0) == [.refused, .ignored].contains(cell.fate))
      switch cell.fate {
      // What the hardware cannot do shows once it runs.
      case .clamped: streams.append(try await open(rig, .input, on: Names.laptopInput))
      case .changedMeanwhile:
        try await setBack(rig)
        // A level that a person sets stands.
        try await turnUp(rig)
      case .deviceReplaced:
        try await rig.sandbox.unplug(Names.laptop)
        try await rig.sandbox.plug(Names.laptop)
        try await rig.plug(Self.headphones)
      case .serverFrozen: try await freeze(rig, proxy)
      case .managerKilled: try await rig.sandbox.kill(.wireplumber)
      case .granted, .refused, .ignored: break
      }
      try await judge(cell, session, rig)
      for stream in streams { await stream.close() }
      await session.close()
    }
  }

  private func session(
    behind proxy: Proxy, _ rig: Rig, isHolding: Bool, timeout: Duration = .seconds(20)
  ) -> AudioSession {
    AudioSession(
      server: proxy.address,
      configuration: SessionConfiguration(
        timeout: timeout, storeFolder: rig.sandbox.directory + "/walk", isHolding: isHolding))
  }

  /// Nothing is said of a server that does not answer.
  private func freeze(_ rig: Rig, _ proxy: Proxy) async throws {
    try await rig.sandbox.freeze()
    let other = session(behind: proxy, rig, isHolding: false, timeout: .milliseconds(500))
    await #expect {
      try await other.getSessionState()
    } throws: {
      ($0 as? SessionError)?.code == .timedOut
    }
    try await rig.sandbox.thaw()
    await other.close()
  }

  /// Compares what the session says with the server, until all is right or has not become so for a while.
  /// PipeWire may show another client a change later.
  private func judge(_ cell: Cell, _ session: AudioSession, _ rig: Rig) async throws {
    let mode = Self.mode(cell.holding)
    let deadline = ContinuousClock.now + .seconds(30)
    var (patient, pauses) = (PatientLook(), Pauses())
    while true {
      let state = try await session.getSessionState()
      let look = ServerLook(
        snapshot: try await patient.snapshot(rig.outside),
        program: cell.holding == .application ? "ours" : nil)
      let wrong = Self.properties.compactMap { property -> String? in
        guard let isMet = look.has(property, of: mode) else { return nil }
        let report = state.properties[property]
        let verdict = report?.verdict ?? .unset
        let isRight =
          verdict == .applied
          ? isMet && report?.readings.isEmpty == false
          : !mustBeApplied(property, cell)
            && (isMet || verdicts(property, cell).contains(verdict))
        guard !isRight else { return nil }
        let has = isMet ? "the server has it" : "the server does not have it"
        return "\(property): \(verdict), \(has); \(report?.reason ?? "no reason")"
      }
      if wrong.isEmpty { return }
      guard ContinuousClock.now < deadline else {
        Issue.record("\(wrong.joined(separator: "\n"))")
        return
      }
      try await pauses.pass()
    }
  }
}
