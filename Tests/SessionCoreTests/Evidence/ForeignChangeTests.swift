import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// What is a foreign change, and what happened by itself.
@Suite struct ForeignChangeTests {
  private static let mode = preferring {
    $0.preferredInput = [.name(Server.usb)]
    $0.inputGain = Volume(fraction: 0.5)
    $0.gainLock = true
  }

  /// The server after the mode was applied, and what was noted then.
  private func applied() -> (server: Server, changes: ForeignChanges) {
    var server = Server.laptop()
    server.addUSB()
    var run = Run(server, PlanInput(mode: Self.mode, snapshot: server.snapshot))
    run.run()
    return (run.server, run.loop.seen)
  }

  private func taken(_ changes: inout ForeignChanges, _ server: Server) throws -> Set<Setting> {
    let plan = try server.plan(Self.mode) {
      $0.occasion = .upkeep
      $0.mode.onFailure = .bestEffort
      $0.charges = Charges()
    }
    return Set(changes.take(plan.steps, in: server.snapshot))
  }

  @Test func `a default and a locked gain that another program changed, once each`() throws {
    var (server, changes) = applied()
    try server.setDefault(.input, Server.microphone)
    try server.edit(.input, Server.usb) { $0.volume = ChannelVolumes(.norm, channels: 2) }
    let settings: Set<Setting> = [.defaultDevice(.input), .volume(.input, device: Server.usb)]
    #expect(try taken(&changes, server) == settings)
    // Whatever becomes of it: until it was read as asked again it counts no more.
    #expect(try taken(&changes, server) == [])
  }

  @Test func `a device that goes takes its settings along, and returns as another one`() throws {
    var (server, changes) = applied()
    let device = try #require(server.snapshot.device(.input, named: Server.usb))
    server.remove(device)
    server.updateDefaults()
    #expect(try taken(&changes, server) == [])
    server.snapshot.sources.append(device)
    try server.edit(.input, Server.usb) {
      $0.index = Index(999)
      $0.volume = ChannelVolumes(.norm, channels: 2)
    }
    #expect(try taken(&changes, server) == [])
  }

  @Test func `a server or a session manager that was restarted is no other program`() throws {
    var (server, changes) = applied()
    try server.setDefault(.input, Server.microphone)
    server.snapshot.server.cookie += 1
    #expect(try taken(&changes, server) == [])
  }

  @Test func `without a session manager everything waits for it`() throws {
    var server = Server.laptop(kind: .pipewire)
    server.snapshot.clients = []
    let reports = server.reports(preferring { $0.inputGain = Volume(fraction: 0.5) })
    #expect(reports[.inputGain]?.verdict == .pending)
    #expect(reports[.inputGain]?.waitingFor == .sessionManager)
    #expect(reports[.inputMuted]?.verdict == .unset)
  }
}
