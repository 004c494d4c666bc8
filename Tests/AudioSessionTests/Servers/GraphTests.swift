import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// PipeWire's graph as its own tools show it from outside.
@Suite("The graph of PipeWire", .graphCards, .timeLimit(.minutes(10)))
struct GraphTests {
  private let machine = Machine.graph

  private var fast: AudioMode {
    var mode = AudioMode(category: .record)
    mode.preferredInput = [.name(machine.usbInput)]
    mode.sampleRate = 48000
    mode.ioBufferDuration = .frames(256)
    return mode
  }

  private func recorder(
    _ rig: Rig, on device: String, isCorked: Bool = false, flags: StreamFlags = [],
    properties: [String: String] = [:]
  ) async throws -> PulseStream {
    try await rig.outside.openStream(
      StreamOptions(
        direction: .input, name: "recorder", device: device,
        // A meter asks for 25 peaks a second; with a whole rate pipewire-pulse 0.3.65 crashes.
        spec: flags.contains(.peakDetect)
          ? SampleSpec(format: .float32le, rate: 25, channels: 1)
          : SampleSpec(format: .s16le, rate: 44100, channels: 2), latency: .milliseconds(90),
        startCorked: isCorked, flags: flags, properties: properties))
  }

  private func pins(_ snapshot: ServerSnapshot) -> [Stream] {
    snapshot.sourceOutputs.filter { $0.properties["audiosession.pin"] != nil }
  }

  private func waitForPins(_ rig: Rig, running: Bool) async throws -> Bool {
    try await rig.eventually { snapshot in
      let pins = pins(snapshot)
      // One of them forces both.
      return pins.count == 2 && pins.filter { !$0.isCorked }.count == (running ? 1 : 0)
    }
  }

  @Test("pins that ended with their device are replaced, though its rate is as asked without them")
  func endedPins() async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.session.setAudioMode(fast)
      let events = rig.session.events
      // During a call nothing is applied again.
      let phone = try await PulseClient.connect(
        to: rig.sandbox.address, name: "phone", properties: ["application.process.id": "1"])
      let ring = try await phone.openStream(
        StreamOptions(
          direction: .output, name: "ring", device: nil,
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false,
          properties: ["media.role": "phone"]))
      for await case .interruptionBegan in events { break }
      try await rig.sandbox.unplug(Names.usbCard)
      #expect(try await rig.eventually { $0.device(.input, named: machine.usbInput) == nil })
      try await rig.sandbox.plug(Names.usbCard)
      #expect(try await rig.eventually { $0.device(.input, named: machine.usbInput) != nil })
      let stream = try await recorder(
        rig, on: machine.usbInput, properties: ["node.force-rate": "48000"])
      _ = try await rig.graph(machine.usbInput) { $0.rate == 48000 }
      await ring.close()
      let state = try await rig.steadyState { state in
        [.sampleRate, .ioBufferDuration].allSatisfy { state.properties[$0]?.verdict == .applied }
      }
      // PipeWire 1.4 shows another rate for a moment, and the session applies it again.
      let expected = GraphState(quantum: 256, rate: 48000)
      let during = try await rig.graph(machine.usbInput) { $0 == expected }
      #expect(during == expected, "\(state.pins)")
      await stream.close()
      await phone.close()
    }
  }

  @Test("with a recorder running it has the frames and the rate, then those from before")
  func pin() async throws {
    try await Rig.with(machine.configuration) { rig in
      let stream = try await recorder(rig, on: machine.usbInput)
      let before = try await rig.graph(machine.usbInput) { $0.rate == 44100 }
      #expect(before.rate == 44100 && before.quantum != 256, "\(before)")
      // The default before as well, so that the recorder stays where it is.
      let report = try await rig.session.setAudioMode(fast)
      #expect(report.state.properties[.sampleRate]?.verdict == .applied)
      #expect(report.state.properties[.ioBufferDuration]?.verdict == .applied)
      #expect(report.state.pins.map(\.running) == [true, true])
      let during = try await rig.graph(machine.usbInput) { $0.quantum == 256 }
      #expect(during == GraphState(quantum: 256, rate: 48000))
      try await rig.session.setActive(false)
      let after = try await rig.graph(machine.usbInput) { $0 == before }
      #expect(after == before)
      await stream.close()
    }
  }

  @Test("the pins run while somebody uses the device, and only then")
  func tended() async throws {
    try await Rig.with(machine.configuration) { rig in
      let report = try await rig.session.setAudioMode(fast)
      #expect(report.state.properties[.sampleRate]?.verdict == .applied)
      #expect(report.state.properties[.ioBufferDuration]?.actual == .number(0.005333333))
      #expect(report.state.properties[.ioBufferDuration]?.held == true)
      #expect(try await waitForPins(rig, running: false))
      for _ in 0..<2 {
        let stream = try await recorder(rig, on: machine.usbInput)
        #expect(try await waitForPins(rig, running: true))
        try await stream.cork(true)
        #expect(try await waitForPins(rig, running: false))
        await stream.close()
      }
      let final = try await rig.session.getSessionState()
      // A busy machine may show a rate later than a pin is waited for; then it is looked at again, at each
      // of the four changes.
      #expect((final.reapplies ?? 0) <= 4 && final.conflicts.isEmpty, "\(final.events)")
    }
  }

  @Test("held always, who begins has the rate and the buffer from the first sound on")
  func always() async throws {
    try await Rig.with(machine.configuration) { rig in
      var mode = fast
      mode.holdsAlways = true
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.properties[.ioBufferDuration]?.verdict == .applied)
      #expect(report.state.pins.map(\.running) == [true, true])
      // Nobody records, and the graph, at 44100 Hz by itself, runs as preferred.
      #expect(
        try await rig.eventually { snapshot in
          let device = snapshot.device(.input, named: machine.usbInput)
          return device?.state == .running && device?.sampleSpec.rate == 48000
        })
      let stream = try await recorder(rig, on: machine.usbInput)
      await stream.close()
      #expect(try await waitForPins(rig, running: true))
      // Without the key they run no more.
      try await rig.session.update { $0.holdsAlways = nil }
      #expect(try await waitForPins(rig, running: false))
    }
  }

  @Test("a program on the session's remap uses the device behind it")
  func throughTheRemap() async throws {
    try await Rig.with(machine.configuration) { rig in
      var mode = fast
      mode.channelMap = .swap
      try await rig.session.setAudioMode(mode)
      #expect(try await waitForPins(rig, running: false))
      let stream = try await recorder(rig, on: "audiosession.input")
      #expect(try await waitForPins(rig, running: true))
      let during = try await rig.graph(machine.usbInput) { $0.quantum == 256 }
      #expect(during == GraphState(quantum: 256, rate: 48000))
      await stream.close()
    }
  }

  @Test("a recording of an output's monitor uses the output")
  func throughTheMonitor() async throws {
    try await Rig.with(machine.with(cards: ["kind=laptop"])) { rig in
      var mode = AudioMode(category: .playback)
      mode.sampleRate = 48000
      mode.ioBufferDuration = .frames(256)
      try await rig.session.setAudioMode(mode)
      let stream = try await recorder(rig, on: machine.laptopOutput + ".monitor")
      let during = try await rig.graph(machine.laptopOutput) { $0.quantum == 256 }
      #expect(during == GraphState(quantum: 256, rate: 48000))
      let report = try await rig.session.getSessionState().properties[.sampleRate]
      #expect(report?.verdict == .applied && report?.actual == .number(48000))
      await stream.close()
    }
  }

  @Test("a level meter and a stream that only follows use nothing", arguments: [true, false])
  func onlookers(isMeter: Bool) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.session.setAudioMode(fast)
      let user = try await recorder(rig, on: machine.usbInput)
      // 1.4 lists a stream that only follows, and answers it never.
      let opening = Task {
        try await recorder(
          rig, on: machine.usbInput, flags: isMeter ? .peakDetect : [],
          properties: isMeter ? [:] : ["node.passive": "true"])
      }
      func isThere(_ snapshot: ServerSnapshot) -> Bool {
        snapshot.sourceOutputs.contains {
          $0.name == "recorder" && $0.index != user.index && $0.device != nil
        }
      }
      #expect(try await rig.eventually(isThere))
      #expect(try await waitForPins(rig, running: true))
      // The user goes; what only looks on stays.
      await user.close()
      #expect(try await waitForPins(rig, running: false))
      #expect(try await isThere(rig.outside.snapshot()))
      opening.cancel()
      if let onlooker = try? await opening.value { await onlooker.close() }
    }
  }

  @Test("a mode without a buffer ends that of the mode before, also where the rate is another")
  func formerBuffer() async throws {
    try await Rig.with(machine.configuration) { rig in
      var mode = fast
      mode.sampleRate = 48000
      // 512 frames; 256 at the other rate.
      mode.ioBufferDuration = .duration(.microseconds(8100))
      let first = try await rig.session.setAudioMode(mode)
      #expect(first.state.pins.map(\.kind).sorted() == ["latency", "rate"])
      (mode.sampleRate, mode.ioBufferDuration) = (44100, nil)
      let second = try await rig.session.setAudioMode(mode)
      #expect(second.state.pins.map(\.kind) == ["rate"], "\(second)")
      let stream = try await recorder(rig, on: machine.usbInput)
      let graph = try await rig.graph(machine.usbInput) { $0.rate == 44100 && $0.quantum != 512 }
      #expect(graph.rate == 44100 && graph.quantum != 512, "\(graph)")
      await stream.close()
    }
  }

  @Test("10 ms is the nearest power of two; a second is more than the graph has")
  func grains() async throws {
    try await Rig.with(machine.configuration) { rig in
      var mode = fast
      mode.ioBufferDuration = .milliseconds(10)
      let report = try await rig.session.setAudioMode(mode)
      let buffer = report.state.properties[.ioBufferDuration]
      #expect(buffer?.verdict == .applied)
      #expect(buffer?.actual == .number(0.010666666))
      mode.ioBufferDuration = .milliseconds(1000)
      let long = try await rig.session.setAudioMode(mode).state.properties[.ioBufferDuration]
      #expect(long?.verdict == .unreachable, "\(String(describing: long))")
      #expect(long?.reason?.contains("8192 frames") == true)
    }
  }

  @Test("hardware with a short buffer limits the graph, and that is said")
  func shortHardware() async throws {
    try await Rig.with(machine.with(cards: ["kind=usb-mic max_latency=60"])) { rig in
      var mode = fast
      mode.ioBufferDuration = .frames(8192)
      try await rig.session.setAudioMode(mode)
      let stream = try await recorder(rig, on: machine.usbInput)
      #expect(try await waitForPins(rig, running: true))
      let during = try await rig.graph(machine.usbInput) { $0.quantum == 2048 }
      #expect(during == GraphState(quantum: 2048, rate: 48000))
      let buffer = try await rig.session.getSessionState().properties[.ioBufferDuration]
      #expect(buffer?.verdict == .unreachable, "\(String(describing: buffer))")
      #expect(buffer?.reason?.contains("2048 frames") == true)
      await stream.close()
    }
  }

  @Test("hardware of one rate keeps it, and that is said")
  func fixedRate() async throws {
    try await Rig.with(machine.with(cards: ["kind=usb-mic rate=48000"])) { rig in
      let stream = try await recorder(rig, on: machine.usbInput)
      var mode = fast
      mode.sampleRate = 96000
      mode.ioBufferDuration = nil
      let state = try await rig.session.setAudioMode(mode).state
      let rate = state.properties[.sampleRate]
      #expect(rate?.verdict == .unreachable, "\(rate as Any)")
      #expect(state.pins.isEmpty)
      // A device that is between two of its states does not tell its rate.
      func isNamed(_ state: SessionState) -> Bool {
        state.properties[.sampleRate]?.reason?.contains("its hardware stays at 48000") == true
      }
      let later = try await rig.state(expecting: isNamed)
      #expect(isNamed(later), "\(later.properties[.sampleRate] as Any)")
      await stream.close()
    }
  }

  @Test("after a mode that failed every device is at the rate from before, also an idle output")
  func failed() async throws {
    try await Rig.with(machine.with(cards: ["kind=laptop", "kind=usb-mic rate=48000"])) { rig in
      func rates(_ snapshot: ServerSnapshot) -> [String: UInt32] {
        let devices = Direction.allCases.flatMap(snapshot.devices)
        return Dictionary(uniqueKeysWithValues: devices.map { ($0.name, $0.sampleSpec.rate) })
      }
      let before = rates(try await rig.outside.snapshot())
      var mode = fast
      mode.sampleRate = 96000
      mode.strict = [.sampleRate]
      let failing = mode
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(failing)
      }
      #expect(error?.code == .hintNotGranted && error?.restored == true)
      let after = rates(try await rig.snapshot { rates($0) == before })
      #expect(after == before)
    }
  }

  /// The buffer that another one forces is what runs, whoever it is: a program, which is named, or a
  /// setting of PipeWire, which no program of PulseAudio's protocol sees.
  @Test(
    "a buffer that another one forces is said, and that it is over", arguments: Forcing.allCases)
  func forcedByAnother(_ forcing: Forcing) async throws {
    try await Rig.with(machine.configuration) { rig in
      let stream = try await recorder(rig, on: machine.usbInput)
      let report = try await rig.session.setAudioMode(fast).state.properties[.ioBufferDuration]
      #expect(report?.verdict == .applied, "\(report as Any)")
      var other: PulseStream?
      if forcing == .program {
        other = try await recorder(
          rig, on: machine.usbInput, properties: ["node.force-quantum": "1024"])
      } else {
        try await rig.force(quantum: 1024)
      }
      let during = try await rig.graph(machine.usbInput) { $0.quantum == 1024 }
      #expect(during == GraphState(quantum: 1024, rate: 48000))
      let state = try await rig.state { $0.properties[.ioBufferDuration]?.verdict == .overridden }
      let buffer = state.properties[.ioBufferDuration]
      #expect(buffer?.verdict == .overridden, "\(buffer as Any)")
      #expect(buffer?.actual == .number(0.021333333), "\(buffer as Any)")
      let names = buffer?.reason?.contains(forcing == .program ? "outside" : "PipeWire")
      #expect(names == true, "\(buffer as Any)")
      if let other {
        await other.close()
      } else {
        try await rig.force(quantum: 0)
        // Looked at with whatever happens next, sooner than after 15 s.
        try await rig.outside.setMute(.output, device: machine.laptopOutput, true)
      }
      let after = try await rig.state { $0.properties[.ioBufferDuration]?.verdict == .applied }
      let final = after.properties[.ioBufferDuration]
      #expect(
        final?.verdict == .applied && final?.actual == .number(0.005333333), "\(final as Any)")
      await stream.close()
    }
  }

  enum Forcing: CaseIterable { case program, setting }

  @Test("a buffer that another one forces is none that was granted, until that is over")
  func forcedBefore() async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.force(quantum: 1024)
      let report = try await rig.session.setAudioMode(fast)
      let step = report.steps.first { $0.step.property == .ioBufferDuration }
      #expect(step?.outcome == .notGranted("21.3 ms"), "\(report.steps)")
      // Unused, the device shows nothing, and what it had may be over.
      let buffer = report.state.properties[.ioBufferDuration]
      #expect(buffer?.verdict == .pending && buffer?.waitingFor == .stream, "\(buffer as Any)")
      #expect(buffer?.reason?.contains("21.3 ms when the session asked") == true)
      let stream = try await recorder(rig, on: machine.usbInput)
      let used = try await rig.state { $0.properties[.ioBufferDuration]?.verdict == .overridden }
        .properties[.ioBufferDuration]
      #expect(used?.actual == .number(0.021333333), "\(used as Any)")
      await stream.close()
      #expect(try await waitForPins(rig, running: false))
      var strict = fast
      strict.strict = [.bufferDuration]
      let failing = strict
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(failing)
      }
      #expect(error?.code == .hintNotGranted, "\(error as Any)")
      try await rig.force(quantum: 0)
      // The pin is there already, and is looked at once more.
      let again = try await rig.session.setAudioMode(strict).state.properties[.ioBufferDuration]
      #expect(again?.verdict == .applied && again?.actual == .number(0.005333333))
    }
  }

  /// What is waited for where a device delivers nothing; a measurement that does not end with its device
  /// takes that long on any machine.
  private static let longest = Duration.seconds(3)

  @Test("a device that is unplugged while its buffer is measured does not hold up the mode")
  func unpluggedWhileMeasured() async throws {
    var times: [Duration] = []
    // A busy machine may take as long for other reasons.
    for number in 1...4 {
      noteTry(number, of: 4, after: times.last.map { "a mode that took \($0)" })
      times.append(try await applyAndUnplug())
      if times[number - 1] < Self.longest { break }
    }
    #expect(times.contains { $0 < Self.longest }, "\(times)")
  }

  /// How long a mode takes whose device delivers nothing, and is unplugged while its buffer is measured.
  private func applyAndUnplug() async throws -> Duration {
    var time = Duration.zero
    try await Rig.with(machine.configuration) { rig in
      try await rig.sandbox.tell(Names.usbCard, "stall", "60000")
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(machine.usbInput), .name(machine.laptopInput)]
      mode.ioBufferDuration = .frames(256)
      let begin = ContinuousClock.now
      let applying = Task { [mode] in try await rig.session.setAudioMode(mode) }
      // Its pin runs while it is measured.
      let isMeasured = try await rig.eventually { pins($0).contains { !$0.isCorked } }
      try await rig.sandbox.unplug(Names.usbCard)
      let report = try await applying.value
      // A busy machine may look once it is over.
      time = isMeasured ? ContinuousClock.now - begin : Self.longest
      #expect(report.state.route.inputs.first?.name == machine.laptopInput, "\(report)")
    }
    return time
  }

  @Test("the buffer of an output is measured, too")
  func output() async throws {
    try await Rig.with(machine.with(cards: ["kind=laptop"])) { rig in
      var mode = AudioMode(category: .playback)
      mode.ioBufferDuration = .frames(512)
      func buffer(_ state: SessionState) -> PropertyReport? { state.properties[.ioBufferDuration] }
      let report = try await rig.session.setAudioMode(mode)
      #expect(buffer(report.state)?.verdict == .applied, "\(report)")
      try await rig.force(quantum: 2048)
      let stream = try await rig.outside.openStream(
        StreamOptions(
          direction: .output, name: "player", device: machine.laptopOutput,
          spec: SampleSpec(format: .s16le, rate: 48000, channels: 2), startCorked: false))
      let during = try await rig.graph(machine.laptopOutput) { $0.quantum == 2048 }
      #expect(during.quantum == 2048)
      let state = try await rig.state { buffer($0)?.verdict == .overridden }
      guard case .number(let seconds)? = buffer(state)?.actual else {
        Issue.record("\(buffer(state) as Any)")
        return
      }
      #expect(abs(seconds - 2048 / Double(during.rate)) < 0.0001, "\(seconds) at \(during.rate)")
      await stream.close()
    }
  }

  @Test("no latency can be read, and the state says so")
  func capabilities() async throws {
    try await Rig.with(machine.configuration) { rig in
      let state = try await rig.session.setAudioMode(fast).state
      #expect(state.capabilities?.latencyReadback == false)
      #expect(state.server?.kind == .pipewire)
      let devices = try await rig.outside.snapshot().sources
      #expect(devices.allSatisfy { $0.configuredLatency == .zero })
    }
  }
}

/// What the graph of a device runs at.
struct GraphState: Equatable {
  var quantum: Int
  var rate: Int
}

extension Rig {
  /// The graph of a running device as pw-top shows it, once it is as expected or does not become so.
  func graph(
    _ device: String, within limit: Duration = .seconds(30), is expected: (GraphState) -> Bool
  ) async throws -> GraphState {
    let deadline = ContinuousClock.now + limit
    while true {
      let graph = try await graph(device)
      if expected(graph) || ContinuousClock.now > deadline { return graph }
    }
  }

  /// Sets the buffer of the graph in PipeWire's own settings; 0 for none.
  func force(quantum: Int) async throws {
    let words = ["-n", "settings", "0", "clock.force-quantum", "\(quantum)"]
    let result = try await sandbox.capture(["pw-metadata"] + words)
    #expect(result.standardOutput.contains("value:\(quantum)"), "\(result)")
  }

  private func graph(_ device: String) async throws -> GraphState {
    // It draws on a terminal only, each second; the first picture has no figures yet.
    let script = """
      { TERM=xterm timeout 5 script -qfc 'stty cols 150 rows 50; exec pw-top' /dev/null |
        sed -u 's/\\x1b\\[[0-9;?]*[a-zA-Z]/\\n/g; s/\\x1b(B//g; s/\\r/\\n/g'; } 2>/dev/null |
        { grep -m1 -E '^R +[0-9]+ +[1-9][0-9]* +[1-9][0-9]* .* \(device)$'; kill 0; }
      """
    // A machine with too much to do has no picture in time, and is asked again.
    let line = (try? await sandbox.capture(["sh", "-c", script]))?.standardOutput ?? ""
    let words = line.split(separator: " ")
    let figures = words.count > 3 ? (Int(words[2]), Int(words[3])) : (nil, nil)
    return GraphState(quantum: figures.0 ?? 0, rate: figures.1 ?? 0)
  }
}
