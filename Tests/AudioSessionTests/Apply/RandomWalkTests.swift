import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// Any mode on a real server, between what other programs and the user do: whatever is reported as applied,
/// another client finds there. `.ci/nightly seeds` walks further.
@Suite("Random walks over real servers", .bothServers, .timeLimit(.minutes(5)))
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
    }
  }

  @Test("applied is reported only of what the server has", arguments: Walk.all)
  private func walk(_ walk: Walk) async throws {
    let cards = ["kind=laptop", "kind=usb-headset"]
    let isHolding = walk.holding != .command
    try await Rig.with(walk.machine.with(cards: cards), isHolding: isHolding) { rig in
      var walker = Walker(
        rig: rig, random: SeededRandom(seed: walk.seed), isOwn: walk.holding == .application)
      do {
        for _ in 0..<Self.rounds {
          try await walker.act()
          guard try await walker.isHonest() else { break }
        }
      } catch {
        let lines = walker.trace + ["\(error)", String(rig.sandbox.log().suffix(2000))]
        Issue.record("\(lines.joined(separator: "\n"))")
      }
      await walker.end()
    }
  }
}

/// Who walks: a session, other programs, and a user with cards.
private struct Walker {
  let rig: Rig
  var random: SeededRandom
  private var mode: AudioMode?
  private var streams: [PulseStream] = []
  private(set) var trace: [String] = []
  private var isHeadsetThere = true
  /// The server before the session took charge; nil once somebody else has changed it.
  private var before: Listing?
  /// Whether nobody else has changed anything since the last call.
  private var isUndisturbed = false

  /// Whether the session is about this program's own streams.
  private let isOwn: Bool

  init(rig: Rig, random: SeededRandom, isOwn: Bool) {
    (self.rig, self.random, self.isOwn) = (rig, random, isOwn)
  }

  mutating func act() async throws {
    let chance = random.int(in: 1...10)
    do {
      if mode == nil || chance <= 4 {
        let mode = makeMode()
        trace.append("apply \(text(of: mode))")
        if self.mode == nil { before = try await rig.listing() }
        try await rig.session.setAudioMode(mode)
        (self.mode, isUndisturbed) = (mode, true)
      } else if chance == 5 {
        trace.append("revert")
        mode = nil
        try await rig.session.revert()
        try await expectAsBefore()
      } else {
        (before, isUndisturbed) = (nil, false)
        try await disturb()
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
    let after = try await rig.listing(expecting: before)
    #expect(
      after == before, "\((trace + [after.difference(from: before)]).joined(separator: "\n"))")
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
    switch random.int(in: 1...9) {
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
        try await rig.outside.openStream(
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
      let profile = random.pick([
        "output:analog-stereo", "output:analog-stereo+input:analog-stereo", "input:analog-stereo",
      ])
      trace.append("profile \(profile)")
      try await rig.outside.setCardProfile(Names.laptop, profile)
      try await rig.sandbox.settleCards()
    default: try await plug()
    }
  }

  /// What a user plugs in or out.
  private mutating func plug() async throws {
    if random.one(in: 2) {
      trace.append(isHeadsetThere ? "unplug the headset" : "plug in the headset")
      try await isHeadsetThere
        ? rig.sandbox.unplug(Names.usbHeadset) : rig.sandbox.plug(Names.usbHeadset)
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
    let inputs = [Names.laptopInput, Names.headsetInput].map { DeviceMatcher.name($0) }
    let outputs = [Names.laptopOutput, Names.headsetOutput].map { DeviceMatcher.name($0) }
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
    case 4: mode.options = random.pick([[.silenceOthers], [.duckOthers]])
    default: break
    }
    if isOwn { mode.scope = .application }
    return mode
  }

  /// Whether what the session reports is what another client finds, at once or in a while: the session acts
  /// between the two readings, and PipeWire may show a client a change later.
  func isHonest() async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    var (patient, pauses) = (PatientLook(), Pauses())
    while true {
      let state = try await rig.session.getSessionState()
      let look = ServerLook(
        snapshot: try await patient.snapshot(rig.outside), program: isOwn ? "ours" : nil)
      let wrong = lies(state, look)
      if wrong.isEmpty { return true }
      guard ContinuousClock.now < deadline else {
        Issue.record("\((trace + wrong + Listing(look.snapshot).lines).joined(separator: "\n"))")
        return false
      }
      try await pauses.pass()
    }
  }

  private func lies(_ state: SessionState, _ look: ServerLook) -> [String] {
    ServerLook.properties.compactMap { property in
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
      if look.has(property, of: mode) == true, !report.readings.isEmpty { return nil }
      return "\(property) is applied: \(report.actual.map(String.init(describing:)) ?? "nothing")"
    }
  }

  mutating func end() async {
    for stream in streams { await stream.close() }
    streams = []
  }
}
