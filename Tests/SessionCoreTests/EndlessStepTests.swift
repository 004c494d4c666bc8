import PulseTypes
import Testing

@testable import SessionCore

/// A server, or another program, that makes a step necessary again and again.
@Suite struct EndlessStepTests {
  /// How a run ends whose step is needed at each reading; before each write, `isDone` says whether the
  /// server has the value by itself.
  private func run(isDone: (Int) -> Bool, _ mode: AudioMode) throws(SessionError) -> Int {
    let server = SimulatedServer.laptop()
    var loop = Reconciler(PlanInput(mode: mode, snapshot: server.snapshot))
    for round in 0..<1000 {
      switch try loop.next(isStopped: false, isLate: false) {
      case .read: try loop.didRead(server.snapshot)
      case .save: try loop.didSave(.success(()))
      case .check(let step):
        var changed = server
        if isDone(round) { try? changed.run(step) }
        loop.didCheck(changed.snapshot)
      case .run(let step):
        var changed = server
        try? changed.run(step)
        loop.didRun(.done(granted: nil), changed.snapshot)
      case .awaitObject, .finish: return round
      }
    }
    return 1000
  }

  private func expectEnd(_ mode: AudioMode, isDone: (Int) -> Bool) {
    let error = #expect(throws: SessionError.self) { try run(isDone: isDone, mode) }
    #expect(error?.code == .refused)
    #expect(error?.message.contains("another program keeps changing it") == true)
  }

  private static let modes = [
    preferring { $0.inputGain = .norm }, preferring { $0.inputMuted = true },
    preferring {
      $0.inputGain = .norm
      $0.onFailure = .bestEffort
    },
  ]

  /// The level would be that of another port, whose previous value nobody recorded.
  @Test func `a jack between plan and write: it is planned again`() throws {
    var server = SimulatedServer.laptop()
    var input = PlanInput(mode: Self.modes[0], snapshot: server.snapshot)
    // An earlier session has set the other port.
    var earlier = Baseline.Entry(
      setting: .volume(.input, device: SimulatedServer.microphone),
      before: .volume(ChannelVolumes(Volume(fraction: 0.9), channels: 2)),
      ours: .volume(ChannelVolumes(Volume(fraction: 0.3), channels: 2)), in: server.snapshot)
    earlier.port = "analog-input-headset-mic"
    input.baseline = Baseline(entries: [earlier], serverCookie: server.snapshot.server.cookie)
    var loop = Reconciler(input)
    var saved = input.baseline
    var ports: [String?] = []
    run: while true {
      switch try loop.next(isStopped: false, isLate: false) {
      case .read: try loop.didRead(server.snapshot)
      case .save(let baseline):
        saved = baseline
        try loop.didSave(.success(()))
      case .check:
        if ports.isEmpty { server.setJack("analog-input-headset-mic", .yes) }
        ports.append(server.snapshot.device(.input, named: SimulatedServer.microphone)?.activePort)
        loop.didCheck(server.snapshot)
      case .run(let step):
        #expect(loop.journal.entries.contains { $0.setting == step.setting && $0.port == ports[0] })
        #expect(saved.entries.contains { $0.isShown(in: server.snapshot) && $0.isOurs(step.to) })
        try server.run(step)
        loop.didRun(.done(granted: nil), server.snapshot)
      case .awaitObject, .finish: break run
      }
    }
    #expect(ports == ["analog-input-headset-mic", "analog-input-headset-mic"])
  }

  @Test(arguments: modes) func `a step that is always done already ends`(_ mode: AudioMode) {
    expectEnd(mode) { _ in true }
  }

  @Test(arguments: modes) func `a step that is done already at times ends`(_ mode: AudioMode) {
    expectEnd(mode) { $0 % 3 == 0 }
  }
}
