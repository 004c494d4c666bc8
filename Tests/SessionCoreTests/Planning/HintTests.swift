import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Rate and buffer duration are hints: unmet they are a verdict with a reason, and binding only when
/// strict.
@Suite struct HintTests {
  private static let mic = Server.microphone
  private let fast = preferring { $0.sampleRate = 48000 }

  @Test(arguments: [
    "module-null-source.c", "module-remap-source.c", "module-bluez5-device.c",
    "module-virtual-source.c", "module-echo-cancel.c", "module-tunnel-source-new.c",
  ])
  func `a driver that has one rate cannot`(_ driver: String) throws {
    var server = Server.laptop()
    try server.edit(.input, Self.mic) { $0.driver = driver }
    let plan = try server.plan(fast)
    #expect(plan.steps == [])
    #expect(
      plan.unmetLines == [
        "sampleRate unreachable: \(Self.mic) stays at 44100 Hz: devices of \(driver) have one rate, "
          + "and only that would work"
      ])
  }

  @Test func `a busy device keeps its rate until the programs stop`() throws {
    var server = Server.laptop()
    server.add(stream: "mumble", .input, on: Self.mic)
    #expect(
      try server.plan(fast).unmetLines == [
        "sampleRate pending: \(Self.mic) stays at 44100 Hz until mumble stops"
      ])
    server.add(stream: "firefox", .input, on: Self.mic)
    #expect(
      try server.plan(fast).unmetLines == [
        "sampleRate pending: \(Self.mic) stays at 44100 Hz until firefox and mumble stop"
      ])
    #expect(server.reports(fast)[.sampleRate]?.waitingFor == .idle)
  }

  @Test func `a program that begins may take the rate from under those that wait`() throws {
    let server = Server.laptop()
    var run = Run(server, PlanInput(mode: fast, snapshot: server.snapshot))
    run.run()
    run.server.add(stream: "mumble", .input, on: Self.mic, isCorked: true, rate: 48000)
    #expect(run.server.reports(fast)[.sampleRate]?.verdict == .applied)
    let firefox = run.server.add(stream: "firefox", .input, on: Self.mic, rate: 44100)
    let report = run.server.reports(fast)[.sampleRate]
    #expect(report?.verdict == .pending && report?.waitingFor == .idle, "\(report as Any)")
    #expect(report?.reason == "\(Self.mic) stays at 44100 Hz until firefox stops")
    let plan = try run.server.plan(fast) { $0.occasion = .upkeep }
    #expect(plan.lines == [])
    run.server.removeStreams(.input) { $0.index == firefox }
    run.server.updateStates()
    var later = Run(run.server, PlanInput(mode: fast, snapshot: run.server.snapshot))
    later.input.occasion = .upkeep
    later.run()
    #expect(later.server.reports(fast)[.sampleRate]?.verdict == .applied, "\(later.trace)")
  }

  /// The stream that a hint needs may wait there for seconds.
  @Test(arguments: [Occasion.upkeep, .reset], [nil, ChannelSelection.swap])
  func `on PipeWire a holder asks for rate and buffer last`(
    _ occasion: Occasion, _ channels: ChannelSelection?
  ) throws {
    let mode = preferring {
      $0.preferredInput = [.name(Self.mic)]
      $0.sampleRate = 44100
      $0.ioBufferDuration = .milliseconds(10)
      $0.channelMap = channels
      $0.inputMuted = true
    }
    var server = Server.laptop(kind: .pipewire)
    server.addUSB()
    try server.setDefault(.input, Server.usb)
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.input.occasion = occasion
    run.input.charges = Charges()
    run.run()
    let hints = [
      Setting.rate(.input, device: Self.mic), .latency(.input, device: Self.mic),
    ]
    let settings = run.plans.map { $0.steps.map(\.setting) }
    let isLast = settings.filter { $0.contains(where: hints.contains) }.allSatisfy {
      $0.allSatisfy(hints.contains)
    }
    #expect(isLast, "\(run.trace)")
    let end = channels == nil ? Self.mic : "audiosession.input"
    #expect(run.server.snapshot.server.defaultSourceName == end, "\(run.trace)")
    #expect(run.server.snapshot.device(.input, named: Self.mic)?.isMuted == true, "\(run.trace)")
    let values = hints.map { run.server.snapshot.value(of: $0) }
    #expect(values == [.rate(44100), .duration(.milliseconds(10))], "\(run.trace)")
  }

  @Test func `corked streams and our own keep no rate`() throws {
    var server = Server.laptop()
    server.add(stream: "mumble", .input, on: Self.mic, isCorked: true)
    server.add(stream: "us", .input, on: Self.mic, properties: [Owned.pinKey: "rate"])
    #expect(try server.plan(fast).steps.count == 1)
  }

  @Test
  func
    `a level meter keeps a device running, and its rate, until it is closed or the device rests`()
    throws
  {
    var server = Server.laptop()
    let meter = server.add(stream: "pavucontrol", .input, on: Self.mic)
    server.editStreams(.input) { if $0.index == meter { $0.resampleMethod = "peaks" } }
    var input = PlanInput(mode: fast, snapshot: server.snapshot)
    var run = Run(server, input)
    run.run()
    #expect(run.failure == nil && run.plans.allSatisfy(\.steps.isEmpty), "\(run.trace)")
    #expect(
      try server.plan(fast).unmetLines == [
        "sampleRate pending: \(Self.mic) stays at 44100 Hz until pavucontrol stops"
      ])
    // It does not keep a device from being suspended.
    var suspended = server
    try suspended.edit(.input, Self.mic) { $0.state = .suspended }
    #expect(try suspended.plan(fast).steps.count == 1)
    run.server.removeStreams(.input) { _ in true }
    input = run.input
    input.snapshot = run.server.snapshot
    run = Run(run.server, input)
    run.run()
    #expect(run.server.snapshot.value(of: .rate(.input, device: Self.mic)) == .rate(48000))
  }

  @Test func `what plays on a sink keeps the rate of its monitor`() throws {
    var server = Server.machine { $0.addLoose(.output, "null") }
    server.add(stream: "mpv", .output, on: "null")
    let mode = preferring {
      $0.preferredInput = ["null.monitor"]
      $0.sampleRate = 48000
    }
    #expect(
      try server.plan(mode).unmetLines == [
        "sampleRate pending: null.monitor stays at 44100 Hz until mpv stops"
      ])
  }

  @Test func `who records through our remap keeps the rate of the hardware`() throws {
    var server = Server.laptop()
    server.addRemap(of: Self.mic, taking: .mono, as: .mono)
    server.add(stream: "mumble", .input, on: "audiosession.input")
    let plan = try server.plan(
      preferring {
        $0.sampleRate = 48000
        $0.channelMap = .mono
      })
    #expect(plan.steps == [])
    #expect(
      plan.unmetLines == ["sampleRate pending: \(Self.mic) stays at 44100 Hz until mumble stops"])
  }

  @Test func `a rate that was asked for in vain is not asked for again`() throws {
    let server = Server.laptop()
    let odd = preferring { $0.sampleRate = 96000 }
    var run = Run(server, PlanInput(mode: odd, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil)
    #expect(run.plans.map(\.steps.count) == [1, 0])
    #expect(
      run.plans.last?.unmet.first?.reason
        == "\(Self.mic) was asked for 96000 Hz and is at 44100 Hz, which would work: the server "
        + "switches only between a device's own rate and its alternate-sample-rate in daemon.conf, "
        + "which must be 96000, and the hardware must have it; see 'audiosession explain rate'")
    // Another rate may be had, and another run of the server may have another configuration.
    let memory = run.input.memory
    #expect(try server.plan(fast) { $0.memory = memory }.steps.count == 1)
    var restarted = server
    restarted.snapshot.server.cookie = 78
    #expect(try restarted.plan(odd) { $0.memory = memory }.steps.count == 1)
  }

  @Test func `what a device cannot do it cannot for who records from it either`() throws {
    var server = Server.laptop()
    let odd = preferring { $0.sampleRate = 96000 }
    var run = Run(server, PlanInput(mode: odd, snapshot: server.snapshot))
    run.run()
    let memory = run.input.memory
    server.add(stream: "Audio capture", .input, on: Self.mic)
    let report = server.reports(odd) { $0.memory = memory }[.sampleRate]
    #expect(report?.verdict == .unreachable, "\(String(describing: report))")
    try server.edit(.input, Self.mic) { $0.driver = "module-null-source.c" }
    #expect(server.reports(odd)[.sampleRate]?.verdict == .unreachable)
  }

  @Test func `a memory keeps one attempt a setting, of one run of the server`() {
    let server = Server.laptop()
    let setting = Setting.rate(.input, device: Self.mic)
    var memory = HintMemory()
    memory.note(.init(setting: setting, asked: .rate(1), got: .rate(2)), on: server.snapshot)
    memory.note(.init(setting: setting, asked: .rate(3), got: .rate(4)), on: server.snapshot)
    #expect(memory.attempts.map(\.asked) == [.rate(3)])
    #expect(memory.outcome(setting, asked: .rate(1), on: server.snapshot) == nil)
    #expect(memory.outcome(setting, asked: .rate(3), on: server.snapshot) == .rate(4))
    var restarted = server.snapshot
    restarted.server.cookie = 78
    #expect(memory.outcome(setting, asked: .rate(3), on: restarted) == nil)
    memory.note(.init(setting: setting, asked: .rate(5), got: .rate(5)), on: restarted)
    #expect(memory.attempts.map(\.asked) == [.rate(5)])
    memory.note(
      .init(setting: .rate(.output, device: "gone"), asked: .rate(5), got: .absent), on: restarted)
    #expect(memory.attempts.count == 1)
  }

  @Test func `a device that comes back is asked again`() throws {
    var snapshot = Server.laptop().snapshot
    let setting = Setting.rate(.input, device: Self.mic)
    var memory = HintMemory()
    memory.note(.init(setting: setting, asked: .rate(3), got: .rate(4)), on: snapshot)
    let place = try #require(snapshot.sources.firstIndex { $0.name == Self.mic })
    snapshot.sources[place].index = Index(99)
    #expect(memory.outcome(setting, asked: .rate(3), on: snapshot) == nil)
  }

  // MARK: Strict

  @Test func `strict makes a hint binding, before the first write`() throws {
    var server = Server.laptop()
    server.add(stream: "mumble", .input, on: Self.mic)
    var strict = fast
    strict.strict = [.sampleRate]
    let failure = try #require(server.failure(strict))
    #expect(failure.code == .hintNotGranted)
    #expect(failure.stage == .device)
    #expect(
      failure.message
        == "sample-rate must be met (strict) and cannot be: "
        + "\(Self.mic) stays at 44100 Hz until mumble stops")
    strict.strict = [.bufferDuration]
    #expect(server.failure(strict) == nil)
  }

  @Test(arguments: [ServerKind.pulseaudio, .pipewire])
  func `strict fails where the server refuses what the hint needs`(_ kind: ServerKind) throws {
    var server = Server.laptop(kind: kind)
    server.refuses = [.rate(.input, device: Self.mic)]
    var strict = fast
    strict.strict = [.sampleRate]
    var run = Run(server, PlanInput(mode: strict, snapshot: server.snapshot))
    run.run()
    #expect(run.refusal?.code == .hintNotGranted, "\(run.trace)")
  }

  @Test func `strict does not fail a hint that is about to be asked for`() throws {
    var strict = fast
    strict.strict = [.sampleRate, .bufferDuration]
    strict.ioBufferDuration = .milliseconds(10)
    #expect(try Server.laptop().plan(strict).steps.count == 2)
  }

  @Test func `a buffer that nobody holds since is no failure of the machine's`() throws {
    let mode = preferring {
      $0.ioBufferDuration = .milliseconds(10)
      $0.strict = [.bufferDuration]
    }
    let server = Server.laptop()
    var memory = HintMemory()
    memory.note(
      .init(
        setting: .latency(.input, device: Self.mic), asked: .duration(.milliseconds(10)),
        got: .duration(.milliseconds(10))), on: server.snapshot)
    let plan = try server.plan(mode) {
      $0.memory = memory
      $0.holdsPins = false
    }
    #expect(plan.steps == [])
    #expect(
      plan.unmetLines == [
        "ioBufferDuration pending: granted while applying (10 ms); no process maintains it now, so "
          + "each stream chooses its own; use --keep"
      ])
  }

  // MARK: Pins

  @Test func `a pin that is held is no step, and one that is not is asked again`() throws {
    var server = Server.laptop()
    try server.pin(.input, Self.mic, .duration(.milliseconds(10)))
    let mode = preferring { $0.ioBufferDuration = .milliseconds(10) }
    #expect(try server.plan(mode).isEmpty)
    #expect(server.reports(mode)[.ioBufferDuration]?.held == true)
    #expect(server.reports(mode) { $0.holdsPins = false }[.ioBufferDuration]?.held == false)
    #expect(
      try server.plan(preferring { $0.ioBufferDuration = .milliseconds(20) }).lines == [
        "3 \(Self.mic) latency: 10 ms → 20 ms"
      ])
  }

  @Test func `a pin that no mode asks for goes`() throws {
    var server = Server.laptop()
    try server.pin(.input, Self.mic, .duration(.milliseconds(10)))
    #expect(try server.plan(AudioMode()).lines == ["3 \(Self.mic) latency: 10 ms → none"])
    let elsewhere = preferring {
      $0.category = .playback
      $0.ioBufferDuration = .milliseconds(10)
    }
    #expect(
      try server.plan(elsewhere).lines == [
        "3 \(Server.speakers) latency: none → 10 ms", "3 \(Self.mic) latency: 10 ms → none",
      ])
  }

  struct Buffer: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let actual: Duration
    let verdict: Verdict
    let reason: String?
  }

  static let buffers = [
    Buffer(
      testDescription: "exactly", actual: .milliseconds(10), verdict: .applied, reason: nil),
    Buffer(
      testDescription: "within a frame", actual: .microseconds(10_020), verdict: .applied,
      reason: nil),
    Buffer(
      testDescription: "more", actual: .milliseconds(21), verdict: .unreachable,
      reason: "\(mic) gives 21 ms and not 10 ms"),
    Buffer(
      testDescription: "less, as another asked", actual: .milliseconds(5), verdict: .overridden,
      reason: "another stream asked for 5 ms; \(mic) is used by mumble"),
  ]

  @Test(arguments: buffers) func `what the device gives`(_ row: Buffer) throws {
    var server = Server.laptop()
    try server.pin(.input, Self.mic, .duration(.milliseconds(10)))
    server.add(stream: "mumble", .input, on: Self.mic)
    try server.edit(.input, Self.mic) { $0.configuredLatency = row.actual }
    let mode = preferring { $0.ioBufferDuration = .milliseconds(10) }
    let report = server.reports(mode)[.ioBufferDuration]
    #expect(report?.verdict == row.verdict)
    #expect(report?.reason == row.reason)
    #expect(report?.actual == .number(row.actual.seconds))
    #expect(try server.plan(mode).isEmpty, "an overridden or unreachable buffer is never drift")
  }

  @Test func `a longer buffer is no limit of a device that is not asked`() throws {
    var server = Server.laptop()
    server.add(stream: "mumble", .input, on: Self.mic, latency: .milliseconds(50))
    server.updateStates()
    let report = server.reports(preferring { $0.ioBufferDuration = .milliseconds(10) })[
      .ioBufferDuration]
    #expect(report?.verdict == .pending && report?.waitingFor == .device)
    #expect(report?.reason == "no stream of the session asks \(Self.mic) for it now")
  }

  @Test func `where the device does not say, the pin's own grant counts`() throws {
    var server = Server.laptop()
    try server.pin(.input, Self.mic, .duration(.milliseconds(10)))
    try server.edit(.input, Self.mic) { $0.configuredLatency = .zero }
    let mode = preferring { $0.ioBufferDuration = .milliseconds(10) }
    #expect(server.reports(mode)[.ioBufferDuration]?.verdict == .pending)
    let granted = server.reports(mode) {
      $0.grants[.latency(.input, device: Self.mic)] = .milliseconds(10)
    }
    #expect(granted[.ioBufferDuration]?.verdict == .applied)
  }

  @Test func `fractions of a microsecond and of a frame converge`() throws {
    for duration in [BufferDuration.duration(.nanoseconds(10_000_500)), .frames(333)] {
      let server = Server.laptop()
      let mode = preferring {
        $0.ioBufferDuration = duration
        $0.inputLatencyOffset = .nanoseconds(1_500)
      }
      var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
      run.run()
      #expect(run.failure == nil, "\(run.trace)")
    }
  }
}
