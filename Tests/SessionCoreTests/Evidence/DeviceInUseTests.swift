import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Every property of a device is judged on the device in use: the root of the route.
@Suite struct DeviceInUseTests {
  private static let mode = preferring {
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
  }
  private static let properties: [Property] = [
    .sampleRate, .ioBufferDuration, .inputPort, .channelMap, .inputGain, .inputLatencyOffset,
  ]

  /// The mode in force on the laptop's microphone, beside a USB one.
  private func applied(_ kind: ServerKind) throws -> Run {
    var server = Server.machine(kind: kind) {
      $0.addLaptop()
      $0.addUSB()
    }
    try server.setDefault(.input, Server.microphone)
    var mode = Self.mode
    if kind == .pipewire { mode.mode = nil }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil && run.refusal == nil, "\(run.trace)")
    return run
  }

  private func reports(_ run: Run) -> [Property: PropertyReport] {
    run.server.reports(run.input.mode) { $0.grants = run.server.grants }
  }

  @Test(arguments: [ServerKind.pulseaudio, .pipewire])
  func `another program's default has its own values`(_ kind: ServerKind) throws {
    var run = try applied(kind)
    let before = reports(run)
    for property in Self.properties {
      #expect(before[property]?.verdict == .applied, "\(property): \(before[property]!)")
    }
    try run.server.setDefault(.input, Server.usb)
    run.server.updateStates()
    let after = reports(run)
    let usb = try #require(run.server.snapshot.device(.input, named: Server.usb))
    for property in Self.properties where property != .inputMuted {
      let report = try #require(after[property])
      #expect(report.verdict == .overridden, "\(property): \(report)")
      #expect(report.reason == "\(Server.usb) is in use, not \(Server.microphone)")
      #expect(report.waitingFor == nil)
    }
    if kind == .pulseaudio {
      #expect(after[.sampleRate]?.actual == .number(Double(usb.sampleSpec.rate)))
      #expect(after[.mode]?.verdict == .overridden)
    }
    #expect(after[.inputPort]?.actual == .string("analog-input-mic"))
    #expect(after[.preferredInput]?.verdict == .overridden)
    // Nothing is planned for the device that is not in use but for what a holder restores.
    #expect(after[.preferredInput]?.actual == .string(Server.usb))
  }

  @Test func `a value that the device in use has, too, is applied`() throws {
    var run = try applied(.pulseaudio)
    try run.server.setDefault(.input, Server.usb)
    try run.server.edit(.input, Server.usb) {
      $0.volume = ChannelVolumes(Volume(fraction: 0.4), channels: 2)
      $0.sampleSpec.rate = 48000
      $0.isMuted = false
    }
    let reports = reports(run)
    for property in [.inputGain, .sampleRate, .inputMuted] as [Property] {
      #expect(reports[property]?.verdict == .applied, "\(property): \(reports[property]!)")
    }
  }
}
