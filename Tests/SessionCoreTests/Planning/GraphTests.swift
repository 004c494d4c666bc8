import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// PipeWire: one rate and one buffer for all, forced by a stream that runs.
@Suite struct GraphTests {
  private static let mic = Server.microphone
  private let server = Server.laptop(kind: .pipewire)

  private func pin(_ server: inout Server, _ key: String, _ value: Int, isCorked: Bool) {
    var properties = [Owned.pinKey: key == Graph.rateKey ? "rate" : "latency", key: String(value)]
    if key == Graph.quantumKey { properties[Owned.pinLatencyKey] = "10000" }
    server.add(stream: "us", .input, on: Self.mic, isCorked: isCorked, properties: properties)
  }

  private func device(_ server: Server) throws -> Device {
    try #require(server.snapshot.device(.input, named: Self.mic))
  }

  @Test(arguments: [
    (10_000, 48000, 512), (10_000, 44100, 512), (20_000, 48000, 1024), (5_333, 48000, 256),
    (7_000, 48000, 256), (9_000, 48000, 512), (500, 48000, 16), (2_000_000, 48000, 8192),
    (500, 8000, 16),
  ])
  func `a buffer is the nearest power of two`(micros: Int, rate: Int, frames: Int) {
    #expect(
      Graph.quantum(.microseconds(micros), rate: rate, limit: 8192) == frames)
  }

  @Test(arguments: [
    ("8192", nil, 8192), (nil, nil, 8192), ("6000", nil, 4096), ("8192", "4096/48000", 4096),
    ("8192", "2880/48000", 2048), ("8192", "4096/44100", 4096), ("8192", "16384/48000", 8192),
    ("8192", "1/48000", 16), ("8192", "4096/0", 8192), ("8192", "-1/48000", 8192),
    ("8192", "many", 8192), ("8192", "9223372036854775807/1", 8192),
  ])
  func `the server and the hardware limit a buffer`(
    server limit: String?, hardware: String?, frames: Int
  ) throws {
    var server = server
    try server.edit(.input, Self.mic) {
      $0.properties["clock.quantum-limit"] = limit
      $0.properties["node.max-latency"] = hardware
      $0.sampleSpec.rate = 48000
    }
    #expect(server.snapshot.quantumLimit(of: try device(server)) == frames)
  }

  @Test func `frames that are a power of two are kept exactly`() {
    for power in 4...13 {
      let frames = 1 << power
      for rate in [8000, 44100, 48000, 96000] {
        let duration = BufferDuration.frames(frames).duration(atRate: rate)
        #expect(Graph.quantum(duration, rate: rate, limit: 8192) == frames)
      }
    }
  }

  @Test func `rate and buffer are steps, in their order, and then applied`() throws {
    let mode = preferring {
      $0.sampleRate = 48000
      $0.ioBufferDuration = .milliseconds(10)
      $0.inputMuted = true
    }
    let plan = try server.plan(mode)
    #expect(plan.steps.map(\.property) == [.sampleRate, .ioBufferDuration, .inputMuted])
    #expect(plan.unmetLines == [])
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
  }

  /// The pin of a hint may wait for seconds while an input is pulled out.
  @Test(arguments: [Occasion.upkeep, .reset])
  func `route and mute do not wait for the pin of a rate`(_ occasion: Occasion) throws {
    var server = Server.machine(kind: .pipewire) {
      $0.addLaptop()
      $0.addUSB()
    }
    try server.setDefault(.input, Server.usb)
    let mode = preferring {
      $0.preferredInput = [.name("none-*"), .name(Self.mic)]
      $0.sampleRate = 48000
      $0.ioBufferDuration = .milliseconds(10)
      $0.inputMuted = true
    }
    let change: (inout PlanInput) -> Void = {
      $0.occasion = occasion
      $0.isHeld = true
      $0.holdsPins = true
    }
    let first = try server.plan(mode, change)
    #expect(first.steps.contains { $0.property == .preferredInput }, "\(first.lines)")
    #expect(!first.steps.contains { $0.setting.isHint }, "\(first.lines)")
    for step in first.steps { try server.run(step) }
    let second = try server.plan(mode, change)
    #expect(second.steps.map(\.property) == [.sampleRate, .ioBufferDuration], "\(second.lines)")
    // A mode that was just asked for is one plan.
    let asked = try Server.laptop(kind: .pipewire).plan(mode) { $0.holdsPins = true }
    #expect(
      asked.steps.contains { $0.setting.isHint } && asked.steps.contains { !$0.setting.isHint })
  }

  @Test func `a graph that changes its rate under a recorder does not have the rate`() throws {
    let mode = preferring { $0.sampleRate = 44100 }
    var server = server
    server.tendsPins = true
    server.add(stream: "mumble", .input, on: Self.mic)
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(try device(run.server).sampleSpec.rate == 44100, "\(run.trace)")
    #expect(run.server.reports(mode)[.sampleRate]?.verdict == .applied)
    // The last one that begins wins.
    let other = run.server.add(
      stream: "jack", .output, on: Server.speakers, properties: [Graph.rateKey: "48000"])
    let report = run.server.reports(mode)[.sampleRate]
    #expect(report?.verdict == .overridden && report?.actual == .number(48000), "\(report as Any)")
    run.server.removeStreams(.output) { $0.index == other }
    run.server.updateStates()
    #expect(run.server.reports(mode)[.sampleRate]?.verdict == .applied)
  }

  @Test func `a pin that waits is what the device is taken to have`() throws {
    var server = server
    pin(&server, Graph.rateKey, 48000, isCorked: true)
    pin(&server, Graph.quantumKey, 512, isCorked: true)
    let mic = try device(server)
    #expect(mic.sampleSpec.rate == 44100 && server.snapshot.pins.knownRate(of: mic) == 48000)
    let mode = preferring {
      $0.sampleRate = 48000
      $0.ioBufferDuration = .milliseconds(10)
    }
    let reports = server.reports(mode) { $0.grants = server.grants }
    #expect(reports[.sampleRate]?.verdict == .applied)
    #expect(reports[.ioBufferDuration]?.verdict == .applied)
    #expect(reports[.ioBufferDuration]?.actual == .number(0.010666666))
    #expect(reports[.ioBufferDuration]?.held == true)
    // What the pin asks for is no evidence of what there is.
    let unseen = server.reports(mode) { $0.isExplicit = false }[.ioBufferDuration]
    #expect(unseen?.verdict == .pending && unseen?.waitingFor == .stream, "\(unseen as Any)")
    #expect(unseen?.reason == "the buffer of \(Self.mic) shows only while a program uses it")
  }

  @Test func `a pin that runs and is not obeyed is no rate`() throws {
    var server = server
    pin(&server, Graph.rateKey, 48000, isCorked: false)
    try server.edit(.input, Self.mic) { $0.state = .running }
    #expect(server.snapshot.pins.knownRate(of: try device(server)) == 44100)
  }

  @Test func `a buffer that another one forces is said, with its name if it has one`() throws {
    let mode = preferring { $0.ioBufferDuration = .milliseconds(10) }
    var server = server
    server.tendsPins = true
    server.add(stream: "mumble", .input, on: Self.mic)
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    func report() -> PropertyReport? {
      run.server.reports(mode) { $0.grants = run.server.grants }[.ioBufferDuration]
    }
    #expect(report()?.verdict == .applied)
    let other = run.server.add(
      stream: "jack", .output, on: Server.speakers, properties: [Graph.quantumKey: "2048"])
    let text = "\(Self.mic) has 42.7 ms and not 10 ms, because"
    #expect(report()?.verdict == .overridden)
    #expect(report()?.reason == "\(text) jack forces it for all devices", "\(report() as Any)")
    run.server.removeStreams(.output) { $0.index == other }
    run.server.settingsQuantum = 2048
    run.server.updateStates()
    #expect(report()?.verdict == .overridden)
    #expect(
      report()?.reason
        == "\(text) something else decides it: another program, a setting of PipeWire, or the device"
    )
    #expect(
      run.server.reports(preferring { $0.ioBufferDuration = .milliseconds(1000) }) {
        $0.grants = run.server.grants
      }[.ioBufferDuration]?.verdict == .overridden, "what others force is no limit of the graph")
    // A command that finds it so asks again the next time.
    var input = PlanInput(mode: mode, snapshot: run.server.snapshot)
    input.holdsPins = false
    var again = Run(run.server, input)
    try again.server.pin(.input, Self.mic, .absent)
    for _ in 0..<2 {
      again.input.snapshot = again.server.snapshot
      again.run()
      let step = again.loop.report.last { $0.step.property == .ioBufferDuration }
      #expect(step?.outcome == .notGranted("42.7 ms"), "\(again.trace)")
      try again.server.pin(.input, Self.mic, .absent)
      var next = PlanInput(mode: mode, snapshot: again.server.snapshot)
      (next.holdsPins, next.memory) = (false, again.input.memory)
      let after = again.server.reports(mode) {
        ($0.holdsPins, $0.memory) = (false, again.input.memory)
      }[.ioBufferDuration]
      #expect(after?.verdict == .pending && after?.waitingFor == .holder)
      #expect(
        after?.reason
          == "not granted while applying (42.7 ms); no process asks for it now; use --keep")
      again = Run(again.server, next)
    }
  }

  @Test func `a buffer that did not show is not granted, and fails where it must be met`() throws {
    var mode = preferring { $0.ioBufferDuration = .milliseconds(10) }
    var server = server
    server.tendsPins = true
    server.pinsStall = true
    server.add(stream: "mumble", .input, on: Self.mic)
    for holds in [true, false] {
      mode.strict = nil
      var input = PlanInput(mode: mode, snapshot: server.snapshot)
      input.holdsPins = holds
      var run = Run(server, input)
      run.run()
      let step = run.loop.report.first { $0.step.property == .ioBufferDuration }
      #expect(step?.outcome == .notGranted("unknown"), "\(run.trace)")
      let report = run.server.reports(mode) { $0.grants = run.server.grants }[.ioBufferDuration]
      #expect(report?.verdict == .pending && report?.waitingFor == .device, "\(report as Any)")
      #expect(report?.reason == "\(Self.mic) has not shown its buffer")
      if !holds { try run.server.pin(.input, Self.mic, .absent) }
      let later = run.server.reports(mode) {
        ($0.holdsPins, $0.memory) = (holds, run.input.memory)
      }[.ioBufferDuration]
      #expect(
        holds
          || later?.reason
            == "no process holds it on \(Self.mic), which did not show it when it was asked for",
        "\(later as Any)")
      mode.strict = [.bufferDuration]
      input.mode = mode
      var strict = Run(server, input)
      strict.run()
      #expect(strict.refusal?.code == .hintNotGranted, "\(strict.trace)")
    }
  }

  @Test func `a device that does not follow the graph is not said to`() throws {
    let mode = preferring { $0.ioBufferDuration = .milliseconds(10) }
    var server = server
    server.ownCycles[Self.mic] = .milliseconds(20)
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    let report = run.server.reports(mode) { $0.grants = run.server.grants }[.ioBufferDuration]
    #expect(report?.verdict == .overridden && report?.actual == .number(0.02), "\(report as Any)")
  }

  @Test func `a graph that stops for another rate interrupts nothing; PulseAudio's device does`()
    throws
  {
    for var server in [server, Server.laptop()] {
      server.add(stream: "recorder", .input, on: Self.mic)
      server.snapshot.sourceOutputs[0].client = Index(1)
      try server.edit(.input, Self.mic) { $0.state = .suspended }
      try #require(server.snapshot.chain.defaultRoot(.input)?.name == Self.mic)
      let reasons = server.snapshot.suspendedInUse(by: AudioMode(category: .record))
      #expect(
        reasons == (server.snapshot.has(.suspendedAtRest) ? [] : [.deviceSuspended(Self.mic)]))
      // A level meter, and a stream on another device's remap, leave an idle device suspended.
      server.snapshot.sourceOutputs[0].resampleMethod = "peaks"
      #expect(server.snapshot.suspendedInUse(by: AudioMode(category: .record)) == [])
      server.addLoose(.input, "other")
      server.addRemap(of: "other", taking: .stereo)
      try server.setDefault(.input, Self.mic)
      server.add(stream: "recorder", .input, on: Owned.name(.input))
      for at in server.snapshot.sourceOutputs.indices {
        server.snapshot.sourceOutputs[at].client = Index(1)
      }
      try server.edit(.input, Self.mic) { $0.state = .suspended }
      #expect(server.snapshot.suspendedInUse(by: AudioMode(category: .record)) == [])
    }
  }

  @Test func `a device that nobody uses has no rate, whatever it says`() throws {
    var server = server
    #expect(server.snapshot.pins.knownRate(of: try device(server)) == nil)
    try server.edit(.input, Self.mic) { $0.state = .running }
    #expect(server.snapshot.pins.knownRate(of: try device(server)) == 44100)
    let pulseaudio = Server.laptop()
    #expect(pulseaudio.snapshot.pins.knownRate(of: try device(pulseaudio)) == 44100)
  }

  @Test func `a buffer is made anew when the rate is another`() throws {
    var server = server
    pin(&server, Graph.quantumKey, 1024, isCorked: true)
    let setting = Setting.latency(.input, device: Self.mic)
    let now = Graph.duration(frames: 1024, rate: 44100)
    #expect(server.snapshot.value(of: setting) == .duration(now))
  }

  @Test func `the buffer of a former mode goes also where its frames are another time by now`()
    throws
  {
    var server = server
    pin(&server, Graph.quantumKey, 1024, isCorked: true)
    let setting = Setting.latency(.input, device: Self.mic)
    var baseline = Baseline()
    baseline.entries = [
      .init(setting: setting, before: .absent, ours: .duration(.milliseconds(10)))
    ]
    for entries in [baseline, Baseline()] {
      for mode in [preferring { $0.sampleRate = 48000 }, AudioMode()] {
        let plan = try server.plan(mode) { $0.baseline = entries }
        let step = plan.steps.first { $0.setting == setting }
        #expect(step?.to == .absent, "\(plan.lines), \(plan.left)")
        #expect(plan.left == [])
      }
    }
  }

  @Test func `more than the graph can have is unreachable`() throws {
    let mode = preferring { $0.ioBufferDuration = .milliseconds(1000) }
    var server = server
    server.add(
      stream: "us", .input, on: Self.mic, isCorked: true,
      properties: [
        Owned.pinKey: "latency", Owned.pinLatencyKey: "1000000", Graph.quantumKey: "8192",
      ])
    let report = server.reports(mode) { $0.grants = server.grants }[.ioBufferDuration]
    #expect(report?.verdict == .unreachable)
    #expect(report?.reason == "\(Self.mic) gives 170.7 ms at most (8192 frames)")
  }

  @Test func `only others that run use a device`() throws {
    var server = server
    let mic = try device(server)
    pin(&server, Graph.rateKey, 48000, isCorked: false)
    server.add(stream: "corked", .input, on: Self.mic, isCorked: true)
    server.add(stream: "meter", .input, on: Self.mic, properties: ["stream.monitor": "true"])
    server.add(stream: "follower", .input, on: Self.mic, properties: ["node.passive": "true"])
    #expect(!server.snapshot.isUsed(mic))
    server.add(stream: "recorder", .input, on: Self.mic)
    #expect(server.snapshot.isUsed(mic))
  }

  @Test func `a running program blocks no rate`() throws {
    var server = server
    server.add(stream: "mumble", .input, on: Self.mic)
    let plan = try server.plan(preferring { $0.sampleRate = 48000 })
    #expect(plan.steps.map(\.property) == [.sampleRate])
    #expect(plan.unmetLines == [])
  }

  @Test func `a rate that was tried in vain is unreachable`() throws {
    var input = PlanInput(mode: preferring { $0.sampleRate = 96000 }, snapshot: server.snapshot)
    input.memory.note(
      HintMemory.Attempt(
        setting: .rate(.input, device: Self.mic), asked: .rate(96000), got: .rate(44100)),
      on: server.snapshot)
    let plan = try Plan.make(input)
    #expect(plan.steps.isEmpty)
    #expect(
      plan.unmetLines == [
        "sampleRate unreachable: \(Self.mic) was asked for 96000 Hz and its hardware stays at "
          + "44100 Hz, which would work"
      ])
  }

  @Test func `without a holder nothing is held, and it is not tried again`() throws {
    var input = PlanInput(mode: preferring { $0.sampleRate = 48000 }, snapshot: server.snapshot)
    input.holdsPins = false
    input.memory.note(
      HintMemory.Attempt(
        setting: .rate(.input, device: Self.mic), asked: .rate(48000), got: .rate(48000)),
      on: server.snapshot)
    #expect(try Plan.make(input).steps.isEmpty)
  }

  private func entry(before: SettingValue, ours: Int) -> Baseline {
    var baseline = Baseline()
    baseline.serverCookie = server.snapshot.server.cookie
    baseline.entries = [
      Baseline.Entry(
        setting: .rate(.input, device: Self.mic), before: before, ours: .rate(ours))
    ]
    return baseline
  }

  @Test func `the rate that a device has by itself is not the session's`() throws {
    var server = server
    server.add(stream: "recorder", .input, on: Self.mic)
    try server.edit(.input, Self.mic) { $0.sampleSpec.rate = 48000 }
    var input = PlanInput(
      mode: preferring { $0.sampleRate = 48000 }, snapshot: server.snapshot)
    input.holdsPins = false
    input.memory.note(
      HintMemory.Attempt(
        setting: .rate(.input, device: Self.mic), asked: .rate(48000), got: .rate(48000)),
      on: server.snapshot)
    input.baseline = entry(before: .absent, ours: 48000)
    #expect(try Plan.make(input).steps.isEmpty)
    for ours in [48000, 44100] {
      let plan = try server.plan(AudioMode()) { $0.baseline = entry(before: .absent, ours: ours) }
      #expect(plan.lines == [] && plan.left == [], "\(ours)")
      let idle = try self.server.plan(AudioMode()) {
        $0.baseline = entry(before: .rate(96000), ours: ours)
      }
      #expect(idle.lines == [] && idle.left == [], "\(ours)")
    }
    // What forces it is taken away; a program that runs would keep it.
    pin(&server, Graph.rateKey, 48000, isCorked: false)
    for before in [SettingValue.absent, .rate(96000)] {
      let plan = try server.plan(AudioMode()) { $0.baseline = entry(before: before, ours: 48000) }
      #expect(plan.steps.map(\.to) == [before] && plan.left == [], "\(plan.lines)")
    }
  }

  @Test func `a server without its session manager is told by its clients`() {
    var snapshot = server.snapshot
    snapshot.clients = [Client(index: Index(1), name: "firefox")]
    #expect(snapshot.lacksSessionManager)
    for properties in [
      ["wireplumber.daemon": "true"], ["application.process.binary": "pipewire-media-session"],
    ] {
      snapshot.clients = [Client(index: Index(1), name: "x", properties: properties)]
      #expect(!snapshot.lacksSessionManager)
    }
    #expect(!Server.laptop().snapshot.lacksSessionManager)
  }
}
