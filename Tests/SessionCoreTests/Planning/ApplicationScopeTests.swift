import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// A session of one program changes nothing that others have, too.
@Suite struct ApplicationScopeTests {
  private static let process: Int32 = 4242

  /// A laptop and a USB microphone as the program 4242 sees them; it records on the laptop's, and so
  /// does another program.
  private static func machine(kind: ServerKind = .pulseaudio) -> SimulatedServer {
    var server = Server.machine(kind: kind) {
      $0.addLaptop()
      $0.addUSB()
    }
    server.snapshot.viewer = process
    for (name, id) in [("ours", process), ("other", 1)] {
      server.add(
        stream: name, .input, on: Server.microphone,
        properties: ["application.process.id": "\(id)"])
    }
    return server
  }

  private static let everything = preferring {
    $0.category = .playAndRecord
    $0.mode = .voiceChat
    $0.options = [.duckOthers]
    $0.scope = .application
    $0.ioBufferDuration = .milliseconds(10)
    $0.sampleRate = 48000
    $0.preferredInput = [.name(Server.usb)]
    $0.channelMap = .swap
    $0.inputGain = Volume(fraction: 0.5)
    $0.inputMuted = true
    $0.inputLatencyOffset = .milliseconds(5)
    $0.outputPort = ["analog-output-speaker"]
    $0.outputVolume = Volume(fraction: 0.5)
  }

  @Test func `of any mode only the pin and the program's own streams are left`() throws {
    let plan = try Self.machine().plan(Self.everything)
    #expect(
      plan.lines == [
        "3 \(Server.usb) latency: none → 10 ms",
        "6 source output \(try Self.stream("ours")) device: \(Server.microphone) → \(Server.usb)",
      ])
    let unreachable = plan.unmet.filter { $0.verdict == .unreachable }.map(\.property)
    #expect(
      Set(unreachable) == [
        .mode, .options, .inputGain, .inputMuted, .inputLatencyOffset, .outputVolume,
        // A stream that somebody else's code opened has a rate and channels already.
        .sampleRate, .channelMap,
      ])
  }

  private static func stream(_ name: String) throws -> Index<PulseTypes.Stream> {
    try #require(
      machine().snapshot.sourceOutputs.first { $0.properties["application.name"] == name }
    ).index
  }

  @Test func `on PipeWire it forces nothing on the graph`() throws {
    let plan = try Self.machine(kind: .pipewire).plan(Self.everything)
    #expect(plan.steps.map(\.setting) == [.stream(.input, try Self.stream("ours"))])
  }

  @Test func `what it did is undone, and others are where they were`() throws {
    var run = Run(Self.machine(), PlanInput(mode: Self.everything, snapshot: Server().snapshot))
    let before = run.server.snapshot.fingerprint
    run.run()
    #expect(run.failure == nil && run.refusal == nil, "\(run.trace)")
    #expect(run.server.snapshot.fingerprint == before)
    #expect(try run.server.plan(Self.everything).isEmpty)
    var back = Run(run.server, run.input)
    back.input.mode = AudioMode()
    back.input.baseline = run.stored
    back.run()
    #expect(back.server.snapshot.fingerprint == before)
    #expect(back.server.snapshot.sourceOutputs.count == 2)
    #expect(back.server.snapshot.streams(on: Server.microphone).count == 2)
  }

  /// Where the program's stream is before a session that prefers the laptop's microphone, and after it.
  struct Stay: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The defaults before the session and during it.
    let defaults: [String]
    let before: String
    var isUnplugged = false
    let after: String
  }

  static let stays = [
    Stay(
      testDescription: "on the preferred device, which was the default",
      defaults: [Server.microphone, Server.webcam], before: Server.microphone,
      after: Server.webcam),
    Stay(
      testDescription: "on another default", defaults: [Server.usb, Server.webcam],
      before: Server.usb, after: Server.webcam),
    Stay(
      testDescription: "on a device of its own", defaults: [Server.webcam, Server.webcam],
      before: Server.usb, after: Server.usb),
    Stay(
      testDescription: "on a device that is unplugged", defaults: [Server.webcam, Server.webcam],
      before: Server.usb, isUnplugged: true, after: Server.webcam),
  ]

  @Test(arguments: stays)
  func `a stream that followed the default follows the present one afterwards`(
    _ stay: Stay
  ) throws {
    var server = Server.machine {
      $0.addLaptop()
      $0.addUSB()
      $0.addWebcam()
    }
    server.snapshot.viewer = Self.process
    try server.setDefault(.input, stay.defaults[0])
    let stream = server.add(
      stream: "ours", .input, on: stay.before,
      properties: ["application.process.id": "\(Self.process)"])
    var mode = AudioMode(category: .record)
    mode.scope = .application
    mode.preferredInput = [.name(Server.microphone)]
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    func place() -> String? {
      run.server.snapshot.stream(.input, at: stream)
        .flatMap { run.server.snapshot.device(.input, at: $0.device) }?.name
    }
    func goOn(_ change: (inout PlanInput) -> Void) {
      var next = Run(run.server, run.input)
      next.input.baseline = run.stored
      change(&next.input)
      next.run()
      #expect(next.failure == nil && next.refusal == nil, "\(next.trace)")
      run = next
    }
    run.run()
    #expect(run.failure == nil && run.refusal == nil, "\(run.trace)")
    try run.server.setDefault(.input, stay.defaults[1])
    if stay.isUnplugged { run.server.unplug("alsa_card.usb") }
    goOn { $0.occasion = .upkeep }
    #expect(place() == Server.microphone)
    goOn { ($0.mode, $0.occasion) = (AudioMode(), .asked) }
    #expect(place() == stay.after && run.plans.allSatisfy { $0.left.isEmpty }, "\(run.trace)")
  }

  @Test func `a session of the server and one of a program leave each other's pins`() throws {
    var server = Self.machine()
    let mode = preferring {
      $0.ioBufferDuration = .milliseconds(20)
      $0.preferredInput = [.name(Server.usb)]
    }
    var own = Run(server, PlanInput(mode: Self.everything, snapshot: server.snapshot))
    own.run()
    server = own.server
    server.snapshot.viewer = nil
    #expect(try server.plan(AudioMode()).isEmpty)
    #expect(try server.plan(mode).lines.contains("3 \(Server.usb) latency: none → 20 ms"))
  }

  @Test func `a session that moves streams leaves those of a program with a session`() throws {
    var server = Self.machine()
    server.snapshot.viewer = nil
    server.snapshot.clients = [
      Client(
        index: Index(7), name: "ours",
        properties: [
          "application.process.id": "\(Self.process)", Owned.scopeKey: "application",
        ])
    ]
    func moved() throws -> [Setting] {
      let plan = try server.plan(
        preferring {
          $0.preferredInput = [.name(Server.usb)]
          $0.moveInputStreams = true
        })
      return plan.steps.map(\.setting).filter { if case .stream = $0 { true } else { false } }
    }
    let other = Setting.stream(.input, try Self.stream("other"))
    #expect(try moved() == [other])
    // The client's property may come later than the stream's.
    server.snapshot.clients = []
    #expect(try moved().count == 2)
    server.editStreams(.input) {
      if $0.properties["application.name"] == "ours" {
        $0.properties[Owned.scopeKey] = "application"
      }
    }
    #expect(try moved() == [other])
  }

  @Test func `a port that is not in use, and a device of another profile, cannot be had`() throws {
    let port = preferring {
      $0.scope = .application
      $0.preferredOutput = [.name(Server.speakers)]
      $0.outputPort = ["analog-output-headphones"]
    }
    var server = Server.laptop(jacks: ["analog-output-headphones": .yes])
    server.snapshot.viewer = Self.process
    let failure = try #require(server.failure(port))
    #expect(failure.code == .portNotAvailable)
    func names(_ port: String, _ failure: SessionError) -> Bool {
      failure.alternatives.contains { $0.contains("its port is \(port), and scope") }
    }
    #expect(names("analog-output-speaker", failure), "\(failure)")
    let at = try #require(server.snapshot.sinks.firstIndex { $0.name == Server.speakers })
    server.snapshot.sinks[at].activePort = nil
    let portless = try #require(server.failure(port))
    #expect(names("none", portless), "\(portless)")
    var off = Server.laptop("off")
    off.snapshot.viewer = Self.process
    #expect(off.failure(preferring { $0.category = .record })?.code == .inputNotAvailable)
  }

  @Test func `streams are told where to open, and how`() throws {
    let server = Self.machine()
    let place = PlanInput(mode: Self.everything, snapshot: server.snapshot).place(.input)
    #expect(place.device == Server.usb && place.rate == 48000)
    #expect(place.buffer == .milliseconds(10))
    #expect(place.channels?.positions == [.frontRight, .frontLeft])
    let output = PlanInput(mode: Self.everything, snapshot: server.snapshot).place(.output)
    #expect(output.isOwn && output.device == nil && output.channels == nil)
    var shared = server
    shared.snapshot.viewer = nil
    #expect(
      PlanInput(mode: Self.everything, snapshot: shared.snapshot).place(.input) == StreamPlace())
  }

  @Test func `a stream with other channels than those of a device that needs no map`() throws {
    var server = Server.machine {
      $0.addLoose(.input, "stereo")
      $0.addLoose(.input, "single", .mono)
    }
    server.snapshot.viewer = Self.process
    for name in ["stereo", "single"] {
      server.add(
        stream: name, .input, on: name, properties: ["application.process.id": "\(Self.process)"])
    }
    func report(_ name: String, _ map: ChannelMap? = nil) -> PropertyReport? {
      var server = server
      if let map { server.editStreams(.input) { $0.channelMap = map } }
      server.snapshot.sourceOutputs.removeAll { $0.properties["application.name"] != name }
      let isStereo = name == "stereo"
      return server.reports(
        preferring {
          $0.scope = .application
          $0.preferredInput = [.name(name)]
          $0.channelMap = isStereo ? .positions([.frontLeft, .frontRight]) : nil
          $0.polarPattern = isStereo ? nil : .cardioid
        })[isStereo ? .channelMap : .polarPattern]
    }
    #expect(report("stereo")?.verdict == .applied && report("single")?.verdict == .applied)
    for (name, map) in [("stereo", ChannelMap.mono), ("single", ChannelMap([.frontLeft]))] {
      let report = report(name, map)
      #expect(report?.verdict == .unreachable, "\(report as Any)")
      #expect(report?.reason?.contains("takes \(map)") == true)
    }
  }

  @Test func `frames are counted at the device's rate, and without one there is no place`() {
    var mode = Self.everything
    (mode.sampleRate, mode.ioBufferDuration) = (nil, .frames(441))
    let place = PlanInput(mode: mode, snapshot: Self.machine().snapshot).place(.input)
    #expect(place.rate == nil && place.buffer == .milliseconds(10))
    var empty = SimulatedServer()
    empty.snapshot.viewer = Self.process
    let nowhere = PlanInput(mode: Self.everything, snapshot: empty.snapshot).place(.input)
    #expect(nowhere.isOwn && nowhere.device == nil && nowhere.channels == nil)
    #expect(nowhere.rate == 48000)
  }

  @Test func `a monitor is recorded by its name, and who records another one stays there`() throws {
    var server = Server.machine {
      $0.addLaptop()
      $0.addLoose(.output, "null")
      $0.addLoose(.output, "other")
    }
    server.snapshot.viewer = Self.process
    let mode = preferring {
      $0.scope = .application
      $0.preferredInput = ["null.monitor"]
    }
    let idle = server.reports(mode)[.preferredInput]
    #expect(idle?.verdict == .pending && idle?.waitingFor == .stream, "\(idle as Any)")
    #expect(idle?.reason == "streams of this program are opened on null.monitor")
    for name in [Server.microphone, "null.monitor", "other.monitor"] {
      server.add(
        stream: name, .input, on: name,
        properties: ["application.process.id": "\(Self.process)"])
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil && run.refusal == nil, "\(run.trace)")
    func programs(on name: String) -> Set<String> {
      Set(run.server.snapshot.streams(on: name).compactMap { $0.properties["application.name"] })
    }
    #expect(programs(on: "null.monitor") == [Server.microphone, "null.monitor"])
    #expect(programs(on: "other.monitor") == ["other.monitor"])
    #expect(run.server.reports(mode)[.preferredInput]?.verdict == .applied)
  }

  @Test func `the route of a program is where its streams are, or will be`() throws {
    var server = Self.machine()
    try server.setDefault(.input, Server.microphone)
    var mode = AudioMode(category: .record)
    mode.scope = .application
    mode.preferredInput = [.name(Server.usb)]
    func inputs() -> [String] {
      PlanInput(mode: mode, snapshot: server.snapshot).ownRoute.inputs.map(\.name)
    }
    #expect(inputs() == [Server.microphone])
    let ours = try Self.stream("ours")
    try server.move(.input, ours, Server.usb)
    #expect(inputs() == [Server.usb])
    mode.preferredInput = nil
    #expect(inputs() == [Server.usb])
    server.removeStreams(.input) { $0.index == ours }
    #expect(inputs() == [Server.microphone])
    mode.preferredInput = [.name(Server.usb)]
    #expect(inputs() == [Server.usb])
  }

  @Test func `a monitor that the mode names is in use, also beside other streams`() throws {
    var server = Self.machine()
    server.addLoose(.output, "null")
    server.add(
      stream: "desktop", .input, on: "null.monitor",
      properties: ["application.process.id": "\(Self.process)"])
    var mode = AudioMode(category: .record)
    mode.scope = .application
    mode.preferredInput = ["null.monitor"]
    let input = PlanInput(mode: mode, snapshot: server.snapshot)
    #expect(input.ownRoute.inputs.map(\.name) == ["null.monitor"])
    let context = PlanContext(
      input: input, server: PredictedServer(server.snapshot), resolution: .tolerant(input))
    #expect(context.onDeviceInUse(.input) == nil)
  }

  @Test func `a program is interrupted where its own device is suspended`() throws {
    var server = Self.machine()
    try server.setDefault(.input, Server.microphone)
    var mode = AudioMode(category: .record)
    mode.scope = .application
    mode.preferredInput = [.name(Server.usb)]
    server.editStreams(.input) { $0.client = Index(1) }
    try server.move(.input, try Self.stream("ours"), Server.usb)
    try server.edit(.input, Server.microphone) { $0.state = .suspended }
    #expect(server.snapshot.suspendedInUse(by: mode).isEmpty)
    try server.edit(.input, Server.usb) { $0.state = .suspended }
    #expect(server.snapshot.suspendedInUse(by: mode) == [.deviceSuspended(Server.usb)])
    server.editStreams(.input) { $0.isCorked = true }
    #expect(server.snapshot.suspendedInUse(by: mode).isEmpty)
  }

  @Test func `combined outputs are everybody's`() {
    #expect(throws: SessionError.self) {
      try preferring {
        $0.category = .multiRoute
        $0.scope = .application
      }.validate()
    }
  }
}

extension ServerSnapshot {
  fileprivate func streams(on name: String) -> [PulseTypes.Stream] {
    device(.input, named: name).map { streams(on: $0) } ?? []
  }
}
