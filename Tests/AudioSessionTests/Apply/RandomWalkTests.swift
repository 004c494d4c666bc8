import AudioSession
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// Any mode on a real server, between what other programs and the user do: whatever is reported as applied,
/// another client finds there. `.ci/nightly seeds` walks further; AUDIOSESSION_WALK="pipewire 7" walks one.
@Suite("Random walks over real servers", .bothServers, .timeLimit(.minutes(10)))
struct RandomWalkTests {
  private static let rounds = 12

  private struct Walk: CustomTestStringConvertible, Sendable {
    let machine: Machine
    let seed: UInt64
    var testDescription: String { "\(machine.kind), \(holding), seed \(seed)" }

    var holding: ServerWalkTests.Holding {
      ServerWalkTests.Holding.allCases[Int(seed % 3)]
    }

    static let all = [Machine.desktop, .graph].flatMap { machine in
      (1...UInt64(3 * SeedBlock.factor)).map { Walk(machine: machine, seed: $0) }
    }.filter {
      [nil, "\($0.machine.kind) \($0.seed)"].contains(ProcessEnvironment["AUDIOSESSION_WALK"])
    }
  }

  @Test("applied is reported only of what the server has", arguments: Walk.all)
  private func walk(_ walk: Walk) async throws {
    let headset: Headset = walk.seed % 2 == 0 ? .bluetooth : .usb
    let cards = ["kind=laptop", "kind=\(headset.kind)"]
    let isHolding = walk.holding != .command
    try await Rig.with(walk.machine.with(cards: cards), isHolding: isHolding) { rig in
      var walker = Walker(
        rig: rig, headset: headset, random: SeededRandom(seed: walk.seed),
        isOwn: walk.holding == .application)
      do {
        for _ in 0..<Self.rounds {
          try await walker.act()
          guard !walker.isOver, try await walker.isHonest() else { break }
        }
      } catch {
        let lines = walker.trace + ["\(error)", String(rig.sandbox.log().suffix(2000))]
        Issue.record("\(lines.joined(separator: "\n"))")
      }
      #expect(walker.isOver || walker.confirmed > 0, "\(walker.trace.joined(separator: "\n"))")
      await walker.end()
      await walker.rig.outside.close()
    }
  }
}

/// A headset of the walks.
private struct Headset: Sendable {
  var kind: String
  var card: String
  /// The patterns of its devices.
  var inputs: DeviceMatcher
  var outputs: DeviceMatcher
  var profiles: [String] = []

  static let usb = Headset(
    kind: "usb-headset", card: Names.usbHeadset, inputs: .name(Names.headsetInput),
    outputs: .name(Names.headsetOutput))

  static let bluetooth = Headset(
    kind: "bluetooth", card: "bluez_card.00_11_22_33_44_55", inputs: "bluez_*", outputs: "bluez_*",
    profiles: ["a2dp_sink", "headset_head_unit", "a2dp-sink", "headset-head-unit", "off"])
}

/// Who walks: a session, other programs, and a user with cards.
private struct Walker {
  private(set) var rig: Rig
  private let headset: Headset
  var random: SeededRandom
  private var mode: AudioMode?
  private var streams: [PulseStream] = []
  /// The program of these streams.
  private var other: PulseClient?
  private(set) var trace: [String] = []
  private var isHeadsetThere = true
  /// How many values that are reported as applied were found by another client.
  private(set) var confirmed = 0
  /// Whether the server is gone for good.
  private(set) var isOver = false
  /// The server before the session took charge; nil once somebody else has changed it.
  private var before: Listing?
  /// Whether nobody else has changed anything since the last call.
  private var isUndisturbed = false
  /// Whether the last revert kept what the next call restores.
  private var isOwed = false

  /// Whether the session is about this program's own streams.
  private let isOwn: Bool

  init(rig: Rig, headset: Headset, random: SeededRandom, isOwn: Bool) {
    (self.rig, self.headset, self.random, self.isOwn) = (rig, headset, random, isOwn)
  }

  mutating func act() async throws {
    let chance = random.int(in: 1...10)
    do {
      if mode == nil || chance <= 4 {
        let mode = makeMode()
        trace.append("apply \(text(of: mode))")
        if self.mode == nil { before = try await isOwed ? nil : rig.listing() }
        try await rig.session.setAudioMode(mode)
        (self.mode, isUndisturbed) = (mode, true)
      } else if chance == 5 {
        trace.append("revert")
        mode = nil
        let left = try await rig.session.revert().left
        isOwed = left.contains { $0.contains("or by 'revert' then") }
        try await expectAsBefore()
      } else {
        (before, isUndisturbed) = (nil, false)
        if random.one(in: 6) { try await shake() } else { try await disturb() }
      }
    } catch let error as SessionError {
      trace.append("… \(error)")
      #expect(error.code != .timedOut, "\(trace.joined(separator: "\n"))")
      if mode == nil { try await expectAsBefore() }
    } catch let error as PulseError {
      // What another program asks for may be impossible, as a port that has just gone.
      trace.append("… \(error)")
    }
  }

  /// Once a session has restored what it changed.
  private func expectAsBefore() async throws {
    guard let before else { return }
    // A server moves others' streams with the default, wherever they were opened.
    func isAsBefore(_ listing: Listing) -> Bool {
      listing.lines.filter { !$0.hasPrefix("stream ") }
        == before.lines.filter { !$0.hasPrefix("stream ") }
    }
    let after = Listing(try await rig.snapshot { isAsBefore(Listing($0)) })
    #expect(
      isAsBefore(after), "\((trace + [after.difference(from: before)]).joined(separator: "\n"))")
  }

  /// What a mode asks for.
  private func text(of mode: AudioMode) -> String {
    Mirror(reflecting: mode).children.compactMap { child in
      let value = "\(child.value)"
      return value == "nil" ? nil : "\(child.label ?? ""): \(value)"
    }.joined(separator: ", ")
  }

  /// What somebody else does.
  private mutating func disturb() async throws {
    let snapshot = try await rig.outside.snapshot()
    let direction = random.pick(Direction.allCases)
    let devices = snapshot.devices(direction).filter { !$0.isMonitor }
    guard let device = random.maybe(devices, in: 1) else { return try await plug() }
    switch random.int(in: 1...12) {
    case 1:
      trace.append("default \(device.name)")
      try await direction == .input
        ? rig.outside.setDefaultSource(device.name) : rig.outside.setDefaultSink(device.name)
    case 2:
      let volume = Volume(fraction: random.pick([0.2, 0.5, 0.7, 1]))
      trace.append("volume \(device.name) \(volume)")
      let channels = device.volume.values.count
      try await rig.outside.setVolume(
        direction, device: device.name, ChannelVolumes(volume, channels: channels))
    case 3:
      let isMuted = random.one(in: 2)
      trace.append("mute \(device.name) \(isMuted)")
      try await rig.outside.setMute(direction, device: device.name, isMuted)
    case 4:
      guard let port = random.maybe(device.ports.filter { $0.availability != .no }, in: 1) else {
        return
      }
      trace.append("port \(device.name) \(port.name)")
      try await rig.outside.setPort(direction, device: device.name, port: port.name)
    case 5:
      let rate = random.pick([44100, 48000] as [UInt32])
      trace.append("stream \(rate) on \(device.name)")
      streams.append(
        try await player().openStream(
          StreamOptions(
            direction: direction, name: isOwn ? "ours" : "another",
            device: random.one(in: 2) ? device.name : nil,
            spec: SampleSpec(format: .s16le, rate: rate, channels: 2),
            latency: random.maybe([.milliseconds(5), .milliseconds(60)]), startCorked: false)))
    case 6:
      guard !streams.isEmpty else { return }
      trace.append("a stream ends")
      await streams.removeFirst().close()
    case 7:
      let profiles = [
        "output:analog-stereo", "output:analog-stereo+input:analog-stereo", "input:analog-stereo",
      ]
      let isHeadset = !headset.profiles.isEmpty && random.one(in: 2)
      let profile = random.pick(isHeadset ? headset.profiles : profiles)
      // PulseAudio 16.1 ends when a card's profile takes the device under two links.
      guard !hasStackedLinks(snapshot) else { return }
      trace.append("profile \(profile)")
      try await rig.outside.setCardProfile(isHeadset ? headset.card : Names.laptop, profile)
      try await rig.sandbox.settleCards()
    case 8:
      let streams = direction == .input ? snapshot.sourceOutputs : snapshot.sinkInputs
      guard let stream = random.maybe(streams, in: 1) else { return }
      trace.append("move \(stream.name) to \(device.name)")
      try await rig.outside.moveStream(direction, stream.index, to: device.name)
    case 9:
      guard let stream = random.maybe(snapshot.sinkInputs, in: 1) else { return }
      let (volume, isMuted) = (Volume(fraction: random.pick([0.3, 0.6, 1])), random.one(in: 3))
      trace.append("volume of \(stream.name) \(volume), muted: \(isMuted)")
      try await rig.outside.setStreamMute(.output, stream.index, isMuted)
      let channels = stream.channelMap.count
      try await rig.outside.setStreamVolume(
        .output, stream.index, ChannelVolumes(volume, channels: channels))
    case 10:
      let names = ["module-remap-", "module-echo-cancel", "module-combine-sink"]
      let modules = snapshot.modules.filter { module in
        names.contains { module.name.hasPrefix($0) }
      }
      guard let module = random.maybe(modules, in: 1), !hasStackedLinks(snapshot) else { return }
      trace.append("unload \(module.name) \(module.argument.prefix(60))")
      try await rig.outside.unloadModule(module.index)
    case 11:
      let word = direction == .input ? "source" : "sink"
      trace.append("remap of \(device.name)")
      _ = try await rig.outside.loadModule(
        "module-remap-\(word)", "\(word)_name=foreign.\(word) master=\(device.name)")
    default: try await plug()
    }
  }

  /// Streams are another program's, unless the session is about its own.
  private mutating func player() async throws -> PulseClient {
    if isOwn { return rig.outside }
    if let other { return other }
    let client = try await PulseClient.connect(
      to: rig.sandbox.address, name: "another", properties: ["application.process.id": "1"])
    other = client
    return client
  }

  /// What happens to the server as a whole.
  private mutating func shake() async throws {
    switch random.int(in: 1...4) {
    case 1:
      trace.append("the server is started again")
      try await restart()
    case 2 where rig.sandbox.configuration.server == .pipewire:
      trace.append("WirePlumber is started again")
      do {
        try await rig.sandbox.restart(.wireplumber)
      } catch {
        // Its WirePlumber settles in no time that a test has: the sandbox is closed.
        trace.append("… \(error)")
        isOver = true
        return
      }
      // WirePlumber 0.4 connects no stream any more where it finds one that runs on a card of another process.
      if try await !connectsStreams() {
        trace.append("… and connects no stream, so that the server is started again")
        try await restart()
      }
    case 3:
      let mode = makeMode()
      trace.append("the server is frozen, and continued; meanwhile apply \(text(of: mode))")
      try await rig.sandbox.freeze()
      async let change: ApplyReport = rig.session.setAudioMode(mode)
      try await Task.sleep(for: .milliseconds(random.int(in: 1...300)))
      try await rig.sandbox.thaw()
      _ = try await change
      self.mode = mode
    default:
      let snapshot = try await rig.outside.snapshot()
      let direction = random.pick(Direction.allCases)
      let devices = snapshot.devices(direction).filter { !$0.isMonitor }
      guard let device = random.maybe(devices, in: 1) else { return }
      let isSuspended = random.one(in: 2)
      trace.append("\(isSuspended ? "suspend" : "resume") \(device.name)")
      try await rig.outside.suspend(direction, device: device.name, isSuspended)
    }
  }

  private mutating func restart() async throws {
    await end()
    try await rig.sandbox.restart()
    await rig.outside.close()
    rig.outside = try await Rig.client(of: rig.sandbox, "outside")
    isHeadsetThere = true
  }

  private func connectsStreams() async throws -> Bool {
    let spec = SampleSpec(format: .s16le, rate: 48000, channels: 2)
    let options = StreamOptions(
      direction: .output, name: "probe", device: nil, spec: spec, startCorked: false)
    let client = try await Rig.client(of: rig.sandbox, "probe")
    guard let stream = try? await client.openStream(options, timeout: .seconds(5)) else {
      await client.close()
      return false
    }
    let isConnected = try await eventually(within: .seconds(5)) {
      try await client.snapshot().sinkInputs.contains { $0.name == "probe" && $0.device != nil }
    }
    await stream.close()
    await client.close()
    return isConnected
  }

  private func hasStackedLinks(_ snapshot: ServerSnapshot) -> Bool {
    let names = (snapshot.sources + snapshot.sinks).filter { !$0.isMonitor }.map(\.name)
    return rig.sandbox.configuration.server == .pulseaudio
      && names.contains { $0.hasPrefix("audiosession.echo.") }
      && names.contains { ["audiosession.input", "audiosession.output"].contains($0) }
  }

  /// What a user plugs in or out.
  private mutating func plug() async throws {
    if random.one(in: 2) {
      trace.append(isHeadsetThere ? "unplug the headset" : "plug in the headset")
      try await isHeadsetThere
        ? rig.sandbox.unplug(headset.card) : rig.sandbox.plug(headset.card)
      isHeadsetThere.toggle()
    } else {
      let jack = random.pick(["analog-output-headphones", "analog-input-headset-mic"])
      let isIn = random.one(in: 2)
      trace.append("\(isIn ? "plug in" : "unplug") \(jack)")
      let name = "\(Names.laptop)/\(jack)"
      try await isIn ? rig.sandbox.plug(name) : rig.sandbox.unplug(name)
    }
  }

  private mutating func makeMode() -> AudioMode {
    let inputs = [.name(Names.laptopInput), headset.inputs]
    let outputs = [.name(Names.laptopOutput), headset.outputs]
    var mode = AudioMode(category: random.pick([.playAndRecord, .record, .playback]))
    mode.onFailure = random.maybe([.bestEffort], in: 2)
    mode.preferredInput = random.maybe(
      [inputs, inputs.reversed(), [inputs[0]], [inputs[1]]], in: 2)
    mode.preferredOutput = random.maybe([outputs, outputs.reversed(), [outputs[0]]], in: 2)
    mode.inputPort = random.maybe(
      [["analog-input-headset-mic", "analog-input-internal-mic"], ["analog-input-internal-mic"]],
      in: 4)
    mode.outputPort = random.maybe(
      [["analog-output-headphones", "analog-output-speaker"], ["analog-output-speaker"]], in: 4)
    mode.inputGain = random.maybe([Volume(fraction: 0.35), .norm], in: 2)
    mode.outputVolume = random.maybe([Volume(fraction: 0.5), Volume(fraction: 0.25)], in: 2)
    mode.inputMuted = random.maybe([true, false], in: 3)
    mode.outputMuted = random.maybe([true, false], in: 3)
    mode.channelMap = random.maybe([.swap], in: 4)
    mode.outputChannelMap = random.maybe([.swap], in: 5)
    mode.sampleRate = random.maybe([44100, 48000, 96000], in: 2)
    mode.ioBufferDuration = random.maybe(
      [.milliseconds(10), .frames(256), .milliseconds(40)], in: 2)
    mode.inputLatencyOffset = random.maybe([.milliseconds(7)], in: 5)
    mode.outputLatencyOffset = random.maybe([.milliseconds(9)], in: 5)
    switch random.int(in: 1...8) {
    case 1: (mode.category, mode.mode) = (.playAndRecord, .voiceChat)
    case 2: (mode.category, mode.preferredOutput) = (.multiRoute, outputs)
    case 3: (mode.channelMap, mode.polarPattern, mode.inputPort) = (nil, .cardioid, ["*"])
    case 4, 5: mode.options = random.pick([[.silenceOthers], [.duckOthers]])
    case 6: mode.options = [.allowBluetoothHFP]
    default: break
    }
    if isOwn { mode.scope = .application }
    return mode
  }

  /// Whether what the session reports is what another client finds, at once or in a while: the session acts
  /// between the two readings, and PipeWire may show a client a change later.
  mutating func isHonest() async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    var (patient, pauses) = (PatientLook(), Pauses())
    while true {
      let state = try await rig.session.getSessionState()
      let look = ServerLook(
        snapshot: try await patient.snapshot(rig.outside), program: isOwn ? "ours" : nil)
      let wrong = lies(state, look)
      if wrong.isEmpty {
        confirmed += state.properties.values.count { $0.verdict == .applied }
        return true
      }
      guard ContinuousClock.now < deadline else {
        let lines = trace + wrong + Listing(look.snapshot).lines + look.lines
        Issue.record("\(lines.joined(separator: "\n"))")
        return false
      }
      try await pauses.pass()
    }
  }

  private func lies(_ state: SessionState, _ look: ServerLook) -> [String] {
    Property.reported.compactMap { property in
      // Streams ask for their own buffer and rate, which no device shows.
      if isOwn, [.ioBufferDuration, .sampleRate, .category].contains(property) { return nil }
      // Without a stream the program uses no device, and its next stream decides.
      if isOwn, look.device(property.row.table == "output" ? .output : .input) == nil { return nil }
      guard let report = state.properties[property] else { return nil }
      // A stream from before may ask for a shorter buffer, and the program itself choose another device.
      if report.verdict == .overridden, isUndisturbed, !isOwn, property != .ioBufferDuration {
        return "\(property) is overridden, and by nobody: \(report.reason ?? "")"
      }
      guard report.verdict == .applied else { return nil }
      guard let mode else { return "\(property) is applied without a mode" }
      // Where nobody else plays, options leave nothing to read.
      let isShown = !report.readings.isEmpty || property == .options
      if look.has(property, of: mode) == true, isShown { return nil }
      let readings = report.readings.map { "\($0)" }.joined(separator: ", ")
      return "\(property) is applied, by \(readings)"
    }
  }

  mutating func end() async {
    for stream in streams { await stream.close() }
    await other?.close()
    (streams, other) = ([], nil)
  }
}
