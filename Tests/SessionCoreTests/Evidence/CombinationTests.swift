import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Properties whose evidence is that of another one, or of several devices: what one property alone does not
/// show.
@Suite struct CombinationTests {
  private static let headsetMic = "analog-input-headset-mic"

  private func laptop(_ more: (inout SimulatedServer) -> Void = { _ in }) -> SimulatedServer {
    Server.machine {
      $0.addLaptop(jacks: [Self.headsetMic: .yes, "analog-output-headphones": .yes])
      more(&$0)
    }
  }

  /// A mode in force.
  private func applied(_ mode: AudioMode, on server: SimulatedServer) -> Run {
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.input.holdsPins = true
    run.input.isHeld = true
    run.run()
    #expect(run.failure == nil && run.refusal == nil, "\(run.trace)")
    return run
  }

  private func reports(_ run: Run) -> [Property: PropertyReport] {
    run.server.reports(run.input.mode) { input in
      input.grants = run.server.grants
      input.holdsPins = run.input.holdsPins
      input.isHeld = run.input.isHeld
      input.memory = run.input.memory
      input.refusals = run.input.refusals
    }
  }

  @Test func `a device that is preferred by its port is in use through that port`() throws {
    let mode = preferring {
      $0.category = .record
      $0.preferredInput = [.portType(.headsetMic)]
    }
    var run = applied(mode, on: laptop())
    #expect(reports(run)[.preferredInput]?.verdict == .applied)
    try run.server.setPort(.input, Server.microphone, "analog-input-internal-mic")
    let report = try #require(reports(run)[.preferredInput])
    #expect(report.verdict == .overridden, "\(report)")
    #expect(report.reason?.contains("is analog-input-internal-mic, not \(Self.headsetMic)") == true)
  }

  @Test func `several outputs are muted when each of them is`() throws {
    let mode = preferring {
      $0.category = .multiRoute
      $0.preferredOutput = [.name(Server.speakers), "monitors"]
      $0.outputMuted = true
    }
    var run = applied(mode, on: laptop { $0.addLoose(.output, "monitors") })
    let outputs = [Server.speakers, "monitors"]
    #expect(outputs.allSatisfy { run.server.snapshot.device(.output, named: $0)?.isMuted == true })
    #expect(reports(run)[.outputMuted]?.verdict == .applied)
    try run.server.edit(.output, "monitors") { $0.isMuted = false }
    let report = try #require(reports(run)[.outputMuted])
    #expect(report.verdict == .overridden && report.actual == .flag(false), "\(report)")
  }

  @Test func `a measurement through a link that is muted is none`() throws {
    let mode = preferring {
      $0.category = .record
      $0.mode = .measurement
      $0.channelMap = .swap
      $0.inputGain = .norm
      $0.inputMuted = false
    }
    var run = applied(mode, on: laptop())
    #expect(reports(run)[.mode]?.verdict == .applied, "\(reports(run)[.mode]!)")
    try run.server.edit(.input, "audiosession.input") { $0.isMuted = true }
    let report = try #require(reports(run)[.mode])
    #expect(report.verdict == .unreachable && report.reason == "audiosession.input is muted")
  }

  @Test func `a setup is saved without the level of a link`() throws {
    let mode = preferring {
      $0.category = .record
      $0.channelMap = .swap
      $0.inputGain = Volume(fraction: 0.8)
      $0.inputMuted = false
    }
    var run = applied(mode, on: laptop())
    try run.server.edit(.input, "audiosession.input") {
      $0.isMuted = true
      $0.volume = ChannelVolumes(Volume(fraction: 0.3), channels: 2)
    }
    let setup = CapturedSetup(of: run.server.snapshot, current: mode, baseline: run.input.baseline)
    #expect(setup.mode.inputMuted == nil && setup.mode.inputGain == nil)
    #expect(setup.left.count == 2, "\(setup.left)")
    var again = Run(run.server, PlanInput(mode: setup.mode, snapshot: run.server.snapshot))
    again.run()
    #expect(again.server.snapshot.device(.input, named: "audiosession.input")?.isMuted == true)
  }

  @Test func `a latency offset is that of the port in use`() throws {
    let mode = preferring {
      $0.category = .playback
      $0.outputPort = ["analog-output-headphones", "analog-output-speaker"]
      $0.outputLatencyOffset = .milliseconds(20)
    }
    var run = applied(mode, on: laptop())
    #expect(reports(run)[.outputLatencyOffset]?.verdict == .applied)
    try run.server.setPort(.output, Server.speakers, "analog-output-speaker")
    let report = try #require(reports(run)[.outputLatencyOffset])
    #expect(report.verdict == .overridden && report.actual == .number(0), "\(report)")
    // A port that the server does not give is not given an offset.
    var refused = Run(laptop(), PlanInput(mode: mode, snapshot: laptop().snapshot))
    refused.input.mode.onFailure = .bestEffort
    refused.server.refuses = [.port(.output, device: Server.speakers)]
    refused.run()
    let ports = refused.server.snapshot.cards.flatMap(\.ports)
    #expect(ports.first { $0.name == "analog-output-speaker" }?.latencyOffset == .milliseconds(20))
    #expect(ports.first { $0.name == "analog-output-headphones" }?.latencyOffset == .zero)
  }

  @Test(arguments: [ReapplyPolicy.never, .onRouteChange])
  func `a canceller that nothing will load is not in effect`(_ policy: ReapplyPolicy) throws {
    var mode = preferring {
      $0.category = .playAndRecord
      $0.mode = .voiceChat
      $0.unloadsIdleEchoCanceller = true
    }
    #expect(reports(applied(mode, on: laptop()))[.mode]?.verdict == .applied)
    mode.reapply = policy
    #expect(reports(applied(mode, on: laptop()))[.mode]?.verdict == .unreachable)
    (mode.reapply, mode.scope) = (nil, .application)
    var server = laptop()
    server.snapshot.viewer = 42
    #expect(reports(applied(mode, on: server))[.mode]?.verdict == .unreachable)
  }

  @Test func `the default to the speaker is about the output in use`() throws {
    let mode = preferring {
      $0.category = .playAndRecord
      $0.options = [.defaultToSpeaker]
      $0.preferredOutput = [.name(Server.speakers)]
    }
    var run = applied(mode, on: laptop { $0.addBluetooth() })
    #expect(reports(run)[.options]?.verdict == .applied, "\(reports(run)[.options]!)")
    try run.server.setDefault(.output, Server.a2dp)
    #expect(reports(run)[.options]?.verdict == .overridden)
  }

  @Test func `a default that the server refuses at a chain's end is refused`() throws {
    let mode = preferring {
      $0.onFailure = .bestEffort
      $0.category = .record
      $0.preferredInput = [.name(Server.usb)]
      $0.channelMap = .swap
    }
    var server = laptop { $0.addUSB() }
    try server.setDefault(.input, Server.microphone)
    server.refuses = [.defaultDevice(.input)]
    let reports = reports(applied(mode, on: server))
    #expect(reports[.preferredInput]?.verdict == .refused, "\(reports[.preferredInput]!)")
  }

  @Test func `a default that a person chose is the one that the next mode uses`() throws {
    var server = laptop { $0.addUSB() }
    try server.setDefault(.input, Server.microphone)
    var run = applied(preferring { $0.preferredInput = [.name(Server.usb)] }, on: server)
    func apply(_ mode: AudioMode) {
      let baseline = run.stored
      run = Run(run.server, PlanInput(mode: mode, snapshot: run.server.snapshot))
      run.input.baseline = baseline
      run.input.isExplicit = true
      run.run()
      #expect(run.failure == nil && run.refusal == nil, "\(run.trace)")
    }
    apply(AudioMode())
    #expect(run.server.snapshot.server.defaultSourceName == Server.microphone)
    try run.server.setDefault(.input, Server.usb)
    apply(
      preferring {
        $0.category = .record
        $0.channelMap = .swap
      })
    #expect(run.server.snapshot.chain.defaultRoot(.input)?.name == Server.usb)
    let reports = run.server.reports(run.input.mode) { $0.baseline = run.stored }
    #expect(reports[.category]?.verdict == .applied, "\(reports[.category]!)")
    #expect(reports[.channelMap]?.verdict == .applied, "\(reports[.channelMap]!)")
  }

  @Test func `a strict buffer is not met while another stream shortens it`() throws {
    var server = laptop()
    server.add(stream: "meter", .input, on: Server.microphone, latency: .milliseconds(5))
    server.updateStates()
    var mode = preferring {
      $0.category = .record
      $0.ioBufferDuration = .milliseconds(50)
    }
    #expect(reports(applied(mode, on: server))[.ioBufferDuration]?.verdict == .overridden)
    mode.strict = [.bufferDuration]
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.input.holdsPins = true
    run.run()
    #expect(run.refusal?.code == .hintNotGranted, "\(run.trace)")
  }

  /// One program's session beside a holder that has a remap on the same microphone.
  private func besideHolder() throws -> SimulatedServer {
    var server = laptop()
    try server.setDefault(.input, Server.microphone)
    server.addRemap(.input, of: Server.microphone, taking: .stereo, as: .stereo)
    server.snapshot.viewer = 42
    return server
  }

  @Test func `another session's muted link does not mute a program that passes by it`() throws {
    var server = try besideHolder()
    server.add(
      stream: "ours", .input, on: Server.microphone,
      properties: ["application.process.id": "42"])
    try server.edit(.input, "audiosession.input") { $0.isMuted = true }
    var mode = AudioMode(category: .record)
    mode.scope = .application
    mode.preferredInput = [.name(Server.microphone)]
    mode.inputMuted = true
    let report = try #require(server.reports(mode)[.inputMuted])
    #expect(report.verdict == .unreachable && report.actual == .flag(false), "\(report)")
  }

  @Test func `a program's streams on another session's chain are on its device`() throws {
    var server = try besideHolder()
    try server.setDefault(.input, "audiosession.input")
    server.add(
      stream: "ours", .input, on: "audiosession.input",
      properties: ["application.process.id": "42"])
    var mode = AudioMode(category: .record)
    mode.scope = .application
    mode.preferredInput = [.default]
    mode.sampleRate = 48000
    let report = try #require(server.reports(mode)[.sampleRate])
    #expect(report.verdict == .unreachable, "\(report)")
    #expect(report.reason?.contains("the server converts") == true)
  }

  @Test func `what a wider scope would not help is said as it is`() throws {
    var server = laptop()
    server.snapshot.viewer = 42
    var mode = AudioMode(category: .record)
    mode.scope = .application
    mode.inputLatencyOffset = .milliseconds(5)
    mode.preferredInput = ["later"]
    mode.inputRequired = false
    let report = try #require(server.reports(mode)[.inputLatencyOffset])
    #expect(report.verdict == .pending && report.reason?.contains("'later'") == true, "\(report)")
  }
}
