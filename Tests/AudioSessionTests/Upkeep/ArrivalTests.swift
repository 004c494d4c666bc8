import AudioSession
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// A device that arrives has levels of its own: it gets the mode's before programs use it.
@Suite("Devices that arrive", .bothServers, .timeLimit(.minutes(10)))
struct ArrivalTests {
  private static let quiet = Volume(fraction: 0.3)

  /// Prefers the USB microphone, which is unplugged at first.
  private static var muted: AudioMode {
    var mode = AudioMode(category: .record)
    mode.preferredInput = [.name(Names.usbInput), .name(Names.laptopInput)]
    mode.inputGain = quiet
    mode.inputMuted = true
    return mode
  }

  @Test(
    "a microphone that is plugged in is muted and quiet before it is the default or records",
    arguments: Feature.cards.machines)
  func input(on machine: Machine) async throws {
    try await Rig.with(machine.quiet) { plain in
      let requests = Requests()
      let rig = requests.recording(plain)
      // Else the server itself prefers what is plugged in.
      try await rig.outside.setDefaultSource(Names.usbInput)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
      // A person puts it on a device that is not the default, so that no server moves it by itself.
      let recorder = try await rig.outside.openStream(
        StreamOptions(
          direction: .input, name: "recorder", device: nil,
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      try await rig.outside.moveStream(.input, recorder.index, to: Names.laptopInput)
      try await rig.outside.setDefaultSource(Names.laptopInput)
      let before = try await rig.outside.source(named: Names.usbInput)?.volume
      try await rig.sandbox.unplug(Names.usbCard)
      var mode = Self.muted
      mode.moveInputStreams = true
      try await rig.session.setAudioMode(mode)
      let observer = try await Observer(rig, .input, Names.usbInput)
      try await rig.sandbox.plug(Names.usbCard)
      try await observer.waitUntilDefault()
      let faults = observer.faults { $0.isMuted && $0.volume.isUniformly(Self.quiet) }
      // WirePlumber may restore what it remembers a moment after it shows a device (a known issue), which
      // the session then sets again. That hides no wrong order: what it asks for is looked at, too.
      #expect(faults == [] || machine.isGraph && faults.count < 4, "\(faults)")
      let state = try await rig.steadyState {
        $0.route.inputs.first?.name == Names.usbInput && !$0.hasUnmet
      }
      #expect(state.events.count { if case .conflict = $0.event { true } else { false } } == 0)
      let isMoved = try await rig.eventually { server in
        server.stream(.input, at: recorder.index).flatMap { server.device(.input, at: $0.device) }?
          .name == Names.usbInput
      }
      #expect(isMoved && requests.lines.contains { $0.hasPrefix("move_") }, "\(requests.lines)")
      let levels = ["source_volume", "source_mute"]
      #expect(requests.areFirst(levels, of: Names.usbInput), "\(requests.lines)")
      await observer.close()
      // Before is what it had when it was first seen (on both servers: `BeforeTests.pluggedInLater`).
      if !machine.isGraph {
        try await rig.session.revert()
        #expect(try await rig.outside.source(named: Names.usbInput)?.volume == before)
      }
      await rig.session.close()
    }
  }

  @Test(
    "an output that is plugged in is quiet before it is the default; the one that is left keeps its jack",
    arguments: Feature.cards.machines)
  func output(on machine: Machine) async throws {
    // With the policy of a desktop, which moves the port when a jack is plugged in.
    var configuration =
      machine.isGraph
      ? try machine.with(cards: ["kind=laptop", "kind=usb-headset"]) : machine.configuration
    configuration.modules = configuration.modules.map {
      $0.hasSuffix("kind=usb-mic") ? String($0.dropLast(3)) + "headset" : $0
    }
    try await Rig.with(configuration) { plain in
      let requests = Requests()
      let rig = requests.recording(plain)
      let headset = try #require(
        try await rig.outside.snapshot().sinks.first { $0.name.contains("usb") })
      let card = try #require(try await rig.outside.snapshot().card(of: headset)).name
      try await rig.outside.setDefaultSink(Names.laptopOutput)
      try await rig.sandbox.unplug(card)
      var mode = AudioMode()
      mode.preferredOutput = [.name(headset.name), .name(Names.laptopOutput)]
      mode.outputVolume = Self.quiet
      mode.outputPort = ["analog-output-headphones", "*"]
      try await rig.session.setAudioMode(mode)
      try await rig.plug("analog-output-headphones")
      #expect(
        try await rig.eventually {
          let device = $0.device(.output, named: Names.laptopOutput)
          return device?.activePort == "analog-output-headphones"
            && device?.volume.isUniformly(Self.quiet) == true
        })
      let observer = try await Observer(rig, .output, headset.name)
      try await rig.sandbox.plug(card)
      try await observer.waitUntilDefault()
      // WirePlumber may restore what it remembers of a device a moment after it shows it.
      let faults = observer.faults { $0.volume.isUniformly(Self.quiet) }
      #expect(faults == [] || machine.isGraph && faults.count < 4, "\(faults)")
      _ = try await rig.steadyState {
        $0.route.outputs.first?.name == headset.name
          && $0.properties[.outputVolume]?.verdict == .applied
      }
      #expect(
        try await rig.eventually {
          $0.device(.output, named: headset.name)?.volume.isUniformly(Self.quiet) == true
        })
      #expect(requests.areFirst(["sink_volume"], of: headset.name), "\(requests.lines)")
      // PipeWire 0.3.65 may go on to report the former port to one client: a new one is told the truth.
      let witness = try await Rig.client(of: rig.sandbox, "witness")
      let left = try await witness.sink(named: Names.laptopOutput)
      await witness.close()
      let events = try await rig.session.getSessionState().events
      #expect(left?.activePort == "analog-output-headphones", "\(events.suffix(12))")
      await observer.close()
      await rig.session.close()
    }
  }

  @Test(
    "what a person changes stands, also through a replug, until the next apply",
    arguments: Feature.cards.machines)
  func person(on machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      try await rig.session.setAudioMode(Self.muted)
      let theirs = ChannelVolumes(Volume(fraction: 0.6), channels: 2)
      try await rig.setInputVolume(theirs, of: Names.usbInput)
      _ = try await rig.steadyState { $0.properties[.inputGain]?.actual == .number(0.6) }
      try await rig.setInputMute(false, of: Names.usbInput)
      _ = try await rig.steadyState { $0.properties[.inputMuted]?.verdict == .overridden }
      try await rig.sandbox.unplug(Names.usbCard)
      _ = try await rig.steadyState {
        $0.route.inputs.first?.name == Names.laptopInput && !$0.hasUnmet
      }
      try await rig.sandbox.plug(Names.usbCard)
      let back = try await rig.steadyState {
        $0.route.inputs.first?.name == Names.usbInput
          && $0.properties[.inputGain]?.actual == .number(0.6)
      }
      #expect(back.properties[.inputMuted]?.verdict == .overridden, "\(back.properties)")
      #expect(back.properties[.inputGain]?.verdict == .overridden)
      try await rig.session.setAudioMode(Self.muted)
      #expect(
        try await rig.eventually {
          let source = $0.device(.input, named: Names.usbInput)
          return source?.volume.isUniformly(Self.quiet) == true && source?.isMuted == true
        })
    }
  }

  @Test(
    "a port's latency offset is set when its device is plugged in, and a person's stands",
    .simulatedCard)
  func offsetOnArrival() async throws {
    try await Rig.with(Machine.desktop.quiet) { rig in
      try await rig.outside.setDefaultSource(Names.laptopInput)
      try await rig.sandbox.unplug(Names.usbCard)
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.usbInput), .name(Names.laptopInput)]
      mode.inputLatencyOffset = .milliseconds(20)
      try await rig.session.setAudioMode(mode)
      func offset() async throws -> Duration? {
        let snapshot = try await rig.outside.snapshot()
        let port = snapshot.device(.input, named: Names.usbInput)?.activePort
        return snapshot.card(named: Names.usbCard)?.ports.first { $0.name == port }?.latencyOffset
      }
      // Each time until the session has ended the look in which it took charge of the device.
      var reapplies = try await rig.session.getSessionState().reapplies ?? 0
      try await rig.sandbox.plug(Names.usbCard)
      reapplies =
        try await rig.steadyState {
          $0.route.inputs.first?.name == Names.usbInput && ($0.reapplies ?? 0) > reapplies
            && $0.properties[.inputLatencyOffset]?.verdict == .applied
        }.reapplies ?? 0
      #expect(try await offset() == .milliseconds(20))
      let port = try #require(
        try await rig.outside.source(named: Names.usbInput)?.activePort)
      try await rig.outside.setPortLatencyOffset(
        card: Names.usbCard, port: port, .milliseconds(50))
      _ = try await rig.steadyState {
        $0.properties[.inputLatencyOffset]?.actual == .number(0.05)
      }
      try await rig.sandbox.unplug(Names.usbCard)
      _ = try await rig.steadyState { $0.route.inputs.first?.name == Names.laptopInput }
      try await rig.sandbox.plug(Names.usbCard)
      _ = try await rig.steadyState {
        $0.route.inputs.first?.name == Names.usbInput && ($0.reapplies ?? 0) > reapplies
          && $0.properties[.inputLatencyOffset]?.actual != .number(0)
      }
      #expect(try await offset() == .milliseconds(50))
    }
  }

  @Test(
    "what a state has shown of a person's change stands, though the device is unplugged at once",
    .simulatedCard)
  func unpluggedAtOnce() async throws {
    try await Rig.with(Machine.desktop.quiet) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.usbInput), .name(Names.laptopInput)]
      mode.inputGain = Self.quiet
      for percent in [50, 60, 70, 80, 90] {
        try await rig.session.setAudioMode(mode)
        let chosen = Volume(fraction: Double(percent) / 100)
        let source = try #require(try await rig.outside.source(named: Names.usbInput))
        // After a burst of changes the session waits for a quiet moment before it looks.
        for count in 0..<12 {
          let volume = Volume(fraction: 0.4 + Double(count % 2) / 10)
          try await rig.outside.setVolume(
            .output, device: Names.laptopOutput, ChannelVolumes(volume, channels: 2))
        }
        try await rig.outside.setVolume(
          .input, device: source.name,
          ChannelVolumes(chosen, channels: source.channelMap.count))
        _ = try await rig.steadyState {
          if case .number(let gain)? = $0.properties[.inputGain]?.actual {
            abs(gain * 100 - Double(percent)) < 1
          } else {
            false
          }
        }
        try await rig.sandbox.unplug(Names.usbCard)
        _ = try await rig.steadyState { $0.route.inputs.first?.name == Names.laptopInput }
        try await rig.sandbox.plug(Names.usbCard)
        // It returns with 100 %, and is given a level.
        _ = try await rig.steadyState {
          $0.route.inputs.first?.name == Names.usbInput
            && $0.properties[.inputGain]?.actual != .number(1)
        }
        let returned = try #require(try await rig.outside.source(named: Names.usbInput)).volume
        #expect(returned.isUniformly(chosen), "\(percent) %: \(returned)")
      }
    }
  }

  @Test(
    "a latency offset that a person chooses stands until the next apply", .simulatedCard)
  func offset() async throws {
    try await Rig.with(Machine.desktop.with(cards: ["kind=laptop"])) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.laptopInput)]
      mode.inputLatencyOffset = .milliseconds(20)
      try await rig.session.setAudioMode(mode)
      let device = try #require(try await rig.outside.source(named: Names.laptopInput))
      let port = try #require(device.activePort)
      let card = try #require(try await rig.outside.snapshot().card(of: device))
      func choose(_ offset: Duration) async throws {
        try await rig.outside.setPortLatencyOffset(card: card.name, port: port, offset)
      }
      try await choose(.milliseconds(50))
      let chosen = try await rig.steadyState {
        $0.properties[.inputLatencyOffset]?.actual == .number(0.05)
      }
      #expect(chosen.properties[.inputLatencyOffset]?.verdict == .overridden)
      // A later change of something else is looked at, and leaves it.
      try await rig.outside.setDefaultSource("\(Names.laptopOutput).monitor")
      let later = try await rig.steadyState {
        ($0.reapplies ?? 0) > (chosen.reapplies ?? 0)
          && $0.properties[.preferredInput]?.verdict == .applied
      }
      #expect(later.properties[.inputLatencyOffset]?.actual == .number(0.05))
      try await rig.session.setAudioMode(mode)
      let again = try await rig.session.getSessionState()
      #expect(again.properties[.inputLatencyOffset]?.verdict == .applied)
    }
  }
}

/// A client that looks at a device whenever the server reports a change: the default first, so that what
/// was set before the default shows.
private struct Observer {
  let client: PulseClient
  let direction: Direction
  let name: String
  private let seen = Guarded<[Device]>([])
  private let isDefault = Guarded(false)
  private let task: Task<Void, Never>

  init(_ rig: Rig, _ direction: Direction, _ name: String) async throws {
    let client = try await Rig.client(of: rig.sandbox, "observer")
    try await client.subscribe()
    let events = await client.events(bufferingNewest: 4096)
    (self.client, self.direction, self.name) = (client, direction, name)
    task = Task { [seen, isDefault] in
      for await _ in events {
        guard let info = try? await client.serverInfo(), info.defaultName(direction) == name,
          let device = try? await direction == .input
            ? client.source(named: name) : client.sink(named: name)
        else { continue }
        seen.withLock { $0.append(device) }
        isDefault.withLock { $0 = true }
      }
    }
  }

  func waitUntilDefault() async throws {
    while !isDefault.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// The levels that the device had as the default and should not have had.
  func faults(_ isRight: (Device) -> Bool) -> [String] {
    seen.withLock { $0 }.filter { !isRight($0) }.map { "\($0.volume) \($0.isMuted)" }
  }

  func close() async {
    await client.close()
    await task.value
  }
}

/// The changes that a session asks for, in its order.
private struct Requests {
  private let seen = Shared<[String]>([])

  var lines: [String] { seen.value }

  /// The rig with a session of which the requests are recorded.
  func recording(_ rig: Rig) -> Rig {
    let wire = Tripwire(counting: { [seen] line in
      if line.hasPrefix("set_") || line.hasPrefix("move_") { seen.update { $0.append(line) } }
      return false
    }) {}
    let session = Rig.session(rig.sandbox, logger: wire.logger)
    return Rig(sandbox: rig.sandbox, session: session, outside: rig.outside)
  }

  /// Whether each of some levels of a device is asked for before the device as the default and before a
  /// stream is moved there, or at all where the server itself makes it the default.
  func areFirst(_ levels: [String], of device: String) -> Bool {
    let first = lines.prefix {
      let isDefault = ["set_default_source \(device)", "set_default_sink \(device)"].contains($0)
      return !isDefault && !($0.hasPrefix("move_") && $0.hasSuffix(" \(device)"))
    }
    return levels.allSatisfy { level in first.contains { $0.hasPrefix("set_\(level) \(device) ") } }
  }
}

extension Rig {
  /// The session's state once it is as a condition says; the test's time limit bounds it.
  func steadyState(_ condition: (SessionState) -> Bool) async throws -> SessionState {
    var pauses = Pauses()
    while true {
      let state = try await session.getSessionState()
      if condition(state) { return state }
      try await pauses.pass()
    }
  }
}
