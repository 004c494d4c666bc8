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
      case .finish: return round
      }
    }
    return 1000
  }

  private func expectEnd(_ mode: AudioMode, isDone: (Int) -> Bool) {
    let error = #expect(throws: SessionError.self) { try run(isDone: isDone, mode) }
    #expect(error?.code == .refused)
    #expect(error?.message.contains("did not stay at") == true)
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
      case .finish: break run
      }
    }
    #expect(ports == ["analog-input-headset-mic", "analog-input-headset-mic"])
  }

  /// The server would pass over the device, and the run would wait for it until the time limit.
  @Test(arguments: [true, false])
  func `another port on the way to a default: it is planned again, with the port`(
    _ isNoticedByStep: Bool
  ) throws {
    var server = SimulatedServer.laptop()
    var mode = AudioMode(category: .record)
    mode.preferredInput = [.name(SimulatedServer.microphone)]
    mode.inputPort = [.name("analog-input-internal-mic")]
    server.snapshot.server.defaultSourceName = "usb_mic"
    var loop = Reconciler(PlanInput(mode: mode, snapshot: server.snapshot))
    var written: [Setting] = []
    var isChanged = false
    func change(_ server: inout SimulatedServer) {
      isChanged = true
      let microphone = server.snapshot.sources.firstIndex { $0.name == SimulatedServer.microphone }
      server.snapshot.sources[microphone ?? 0].activePort = "analog-input-headset-mic"
    }
    run: while true {
      switch try loop.next(isStopped: false, isLate: false) {
      case .read: try loop.didRead(server.snapshot)
      case .save: try loop.didSave(.success(()))
      case .check(let step):
        if !isNoticedByStep, step.setting == .defaultDevice(.input), !isChanged {
          change(&server)
        }
        loop.didCheck(server.snapshot)
      case .run(let step):
        if isNoticedByStep, step.setting == .defaultDevice(.input), !isChanged {
          change(&server)
          loop.didRun(.outdated, server.snapshot)
          continue
        }
        try server.run(step)
        written.append(step.setting)
        loop.didRun(.done(granted: nil), server.snapshot)
      case .finish: break run
      }
    }
    #expect(isChanged)
    let port = server.snapshot.device(.input, named: SimulatedServer.microphone)?.activePort
    #expect(port == "analog-input-internal-mic")
    #expect(written.contains(.port(.input, device: SimulatedServer.microphone)))
    #expect(server.snapshot.server.defaultSourceName == SimulatedServer.microphone)
    #expect(loop.foreign.isEmpty)
  }

  @Test(arguments: modes) func `a step that is always done already ends`(_ mode: AudioMode) {
    expectEnd(mode) { _ in true }
  }

  @Test(arguments: modes) func `a step that is done already at times ends`(_ mode: AudioMode) {
    expectEnd(mode) { $0 % 3 == 0 }
  }
}
