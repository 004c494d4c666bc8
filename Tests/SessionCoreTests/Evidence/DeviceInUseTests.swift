import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Every property of a device is judged on the device in use: the root of the route.
@Suite struct DeviceInUseTests {
  /// A mode on a device of the laptop, and another device of that direction.
  struct Case: CustomTestStringConvertible, Sendable {
    let direction: Direction
    let mode: AudioMode
    let properties: [Property]
    let device: String
    let other: String
    let otherPort: String
    var testDescription: String { direction.rawValue }

    var preferred: Property { direction == .input ? .preferredInput : .preferredOutput }
    var port: Property { direction == .input ? .inputPort : .outputPort }
    var level: Property { direction == .input ? .inputGain : .outputVolume }
    var muted: Property { direction == .input ? .inputMuted : .outputMuted }
  }

  static let cases = [
    Case(
      direction: .input,
      mode: preferring {
        $0.category = .record
        $0.preferredInput = [.name(Server.microphone)]
        $0.sampleRate = 48000
        $0.ioBufferDuration = .milliseconds(10)
        $0.inputPort = [.name("analog-input-internal-mic")]
        $0.channelMap = .swap
        $0.inputGain = Volume(fraction: 0.4)
        $0.inputMuted = false
        $0.inputLatencyOffset = .milliseconds(5)
        $0.mode = .measurement
      },
      properties: [
        .sampleRate, .ioBufferDuration, .inputPort, .channelMap, .inputGain, .inputLatencyOffset,
      ], device: Server.microphone, other: Server.usb, otherPort: "analog-input-mic"),
    Case(
      direction: .output,
      mode: preferring {
        $0.category = .playback
        $0.preferredOutput = [.name(Server.speakers)]
        $0.sampleRate = 48000
        $0.ioBufferDuration = .milliseconds(10)
        $0.outputPort = [.name("analog-output-speaker")]
        $0.outputChannelMap = .swap
        $0.outputVolume = Volume(fraction: 0.4)
        $0.outputMuted = false
        $0.outputLatencyOffset = .milliseconds(5)
      },
      properties: [
        .sampleRate, .ioBufferDuration, .outputPort, .outputChannelMap, .outputVolume,
        .outputLatencyOffset,
      ], device: Server.speakers, other: Server.a2dp, otherPort: "headset-output"),
  ]

  @Test(arguments: cases) func `every property of a device is tried`(_ which: Case) {
    // A pattern, an orientation and a codec need other devices than these two.
    let others: Set<Property> = [
      which.preferred, which.muted, .polarPattern, .inputOrientation, .outputCodec,
    ]
    let rows = Property.reported.map(\.row).filter { $0.table == which.direction.rawValue }
    #expect(rows.count > 4)
    #expect(
      Set(rows.map(\.property)).subtracting(others)
        == Set(which.properties).subtracting([.sampleRate, .ioBufferDuration]))
  }

  /// The mode in force on the laptop's device, beside another one.
  private func applied(_ which: Case, _ kind: ServerKind) throws -> Run {
    var server = Server.machine(kind: kind) {
      $0.addLaptop()
      if which.direction == .input { $0.addUSB() } else { $0.addBluetooth() }
    }
    try server.setDefault(which.direction, which.device)
    var mode = which.mode
    if kind == .pipewire { mode.mode = nil }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil && run.refusal == nil, "\(run.trace)")
    return run
  }

  private func reports(_ run: Run) -> [Property: PropertyReport] {
    run.server.reports(run.input.mode) { $0.grants = run.server.grants }
  }

  @Test(arguments: cases, [ServerKind.pulseaudio, .pipewire])
  func `another program's default has its own values`(_ which: Case, _ kind: ServerKind) throws {
    var run = try applied(which, kind)
    let before = reports(run)
    for property in which.properties {
      #expect(before[property]?.verdict == .applied, "\(property): \(before[property]!)")
    }
    try run.server.setDefault(which.direction, which.other)
    run.server.updateStates()
    let after = reports(run)
    let other = try #require(
      run.server.snapshot.device(which.direction, named: which.other))
    for property in which.properties {
      let report = try #require(after[property])
      #expect(report.verdict == .overridden, "\(property): \(report)")
      #expect(report.reason == "\(which.other) is in use, not \(which.device)")
      #expect(report.waitingFor == nil)
    }
    if kind == .pulseaudio {
      #expect(after[.sampleRate]?.actual == .number(Double(other.sampleSpec.rate)))
      #expect(which.mode.mode == nil || after[.mode]?.verdict == .overridden)
    }
    #expect(after[which.port]?.actual == .string(which.otherPort))
    #expect(after[which.preferred]?.verdict == .overridden)
    // Nothing is planned for the device that is not in use but for what a holder restores.
    #expect(after[which.preferred]?.actual == .string(which.other))
  }

  @Test(arguments: cases)
  func `a value that the device in use has, too, is applied`(_ which: Case) throws {
    var run = try applied(which, .pulseaudio)
    try run.server.setDefault(which.direction, which.other)
    try run.server.edit(which.direction, which.other) {
      $0.volume = ChannelVolumes(Volume(fraction: 0.4), channels: 2)
      $0.sampleSpec.rate = 48000
      $0.isMuted = false
    }
    let reports = reports(run)
    for property in [which.level, .sampleRate, which.muted] {
      #expect(reports[property]?.verdict == .applied, "\(property): \(reports[property]!)")
    }
  }

  /// A microphone that is live is never said to be muted.
  @Test(arguments: cases) func `another device in use that is live is not muted`(_ which: Case)
    throws
  {
    var server = Server.machine {
      $0.addLaptop()
      if which.direction == .input { $0.addUSB() } else { $0.addBluetooth() }
    }
    try server.setDefault(which.direction, which.device)
    var mode = which.mode
    (mode.inputMuted, mode.outputMuted) = which.direction == .input ? (true, nil) : (nil, true)
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil && run.refusal == nil, "\(run.trace)")
    #expect(reports(run)[which.muted]?.verdict == .applied)
    try run.server.setDefault(which.direction, which.other)
    try run.server.edit(which.direction, which.other) { $0.isMuted = false }
    let report = try #require(reports(run)[which.muted])
    #expect(report.verdict == .overridden && report.actual == .flag(false), "\(report)")
  }

  /// A laptop and another device, where a program with a session of its own has a stream.
  private func shared(_ which: Case, streamOn device: String) throws -> SimulatedServer {
    var server = Server.machine {
      $0.addLaptop(jacks: ["analog-output-headphones": .yes])
      if which.direction == .input { $0.addUSB() } else { $0.addBluetooth() }
    }
    try server.setDefault(which.direction, which.device)
    server.add(
      stream: "ours", which.direction, on: device, properties: ["application.process.id": "42"])
    server.snapshot.viewer = 42
    return server
  }

  @Test(arguments: cases)
  func `the device in use by one program is that of its streams`(_ which: Case) throws {
    var mode = AudioMode(category: which.direction == .input ? .record : .playback)
    mode.scope = .application
    if which.direction == .input {
      mode.preferredInput = [.name(which.device)]
    } else {
      mode.preferredOutput = [.name(which.device)]
    }
    mode.ioBufferDuration = .milliseconds(10)
    let server = try shared(which, streamOn: which.other)
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.input.process = 42
    // Its stream may not be moved.
    run.server.refuses = Set(
      server.snapshot.streams(which.direction).map { Setting.stream(which.direction, $0.index) })
    run.run()
    let report = try #require(reports(run)[.ioBufferDuration])
    #expect(report.verdict == .overridden, "\(report)\n\(run.trace)")
    #expect(report.reason == "\(which.other) is in use, not \(which.device)")
  }

  @Test func `a device that needs another port than one program may use is named with it`() throws {
    let which = Self.cases[1]
    var mode = AudioMode(category: .playback)
    mode.scope = .application
    mode.preferredOutput = [.name(which.device)]
    mode.outputPort = [.name("analog-output-headphones")]
    let report = try shared(which, streamOn: which.device).reports(mode)[.preferredOutput]
    #expect(report?.verdict == .pending)
    #expect(report?.reason?.contains("changes no port") == true, "\(report as Any)")
  }
}
