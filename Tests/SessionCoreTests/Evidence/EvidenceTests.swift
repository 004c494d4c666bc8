import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// What was once called applied although nothing had been read.
@Suite struct EvidenceTests {
  private func report(_ property: Property, _ run: Run) throws -> PropertyReport {
    let reports = run.server.reports(run.input.mode) { $0.grants = run.server.grants }
    return try #require(reports[property])
  }

  @Test func `measurement reads the gain, also where one is preferred`() throws {
    let server = Server.laptop()
    let mode = preferring {
      $0.category = .record
      $0.mode = .measurement
      $0.inputGain = Volume(fraction: 1)
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(try report(.mode, run).verdict == .applied, "\(run.trace)")
    let at = try #require(
      run.server.snapshot.sources.firstIndex { $0.name == Server.microphone })
    run.server.snapshot.sources[at].volume = ChannelVolumes(Volume(fraction: 0.4), channels: 2)
    let lowered = try report(.mode, run)
    #expect(lowered.verdict == .overridden)
    #expect(lowered.readings.contains { $0.property == "volume" && $0.text == "40 %" })
  }

  @Test func `a port without a device waits for the device`() throws {
    let server = Server.machine { _ in }
    let mode = preferring { $0.inputPort = [.name("analog-input-mic")] }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.input.mode.inputRequired = false
    run.run()
    let waiting = try report(.inputPort, run)
    #expect(waiting.verdict == .pending && waiting.waitingFor == .device, "\(waiting)")
    #expect(waiting.readings == [])
  }
}
