import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// What a run makes of a step that ends otherwise than with the planned value.
@Suite struct StepAnswerTests {
  /// What becomes of a step.
  private enum End {
    case done
    case ended
    case failed(SessionError, undone: Int = 0)
  }

  /// Runs a mode on a server to its end; every step is done where `end` decides nothing else.
  private func run(
    _ server: inout Server, _ mode: AudioMode, isLate: Bool = false, occasion: Occasion = .asked,
    inherited: [(setting: Setting, before: SettingValue)] = [],
    _ end: (Step, inout Server) -> End = { _, _ in .done }
  ) throws -> Reconciler {
    var input = PlanInput(mode: mode, snapshot: server.snapshot)
    input.baseline = Baseline(serverCookie: server.snapshot.server.cookie)
    input.occasion = occasion
    var loop = Reconciler(input)
    for _ in 0..<50 {
      switch try loop.next(isStopped: false, isLate: isLate) {
      case .read: try loop.didRead(server.snapshot, inherited: inherited, grants: server.grants)
      case .save: try loop.didSave(.success(()))
      case .check: loop.didCheck(server.snapshot)
      case .run(let step):
        switch end(step, &server) {
        case .done:
          try server.run(step)
          loop.didRun(.done(granted: nil), server.snapshot)
        case .ended: loop.didRun(.ended, server.snapshot)
        case .failed(let error, let times): try loop.didFail(error, undone: times)
        }
      case .finish: return loop
      }
    }
    Issue.record("not finished: \(loop.report)")
    return loop
  }

  @Test func `a stream that ends before it is moved is no failure, and the others are moved`()
    throws
  {
    var server = Server.laptop()
    server.addUSB()
    try server.setDefault(.input, Server.microphone)
    let ending = server.add(stream: "obs", .input, on: Server.usb)
    let staying = server.add(stream: "mumble", .input, on: Server.usb)
    let mode = preferring {
      $0.preferredInput = [.name(Server.microphone)]
      $0.moveInputStreams = true
    }
    let loop = try run(&server, mode) { step, server in
      guard step.setting == .stream(.input, ending) else { return .done }
      server.removeStreams(.input) { $0.index == ending }
      return .ended
    }
    func outcome(_ stream: Index<PulseTypes.Stream>) -> StepOutcome? {
      loop.report.first { $0.step.setting == .stream(.input, stream) }?.outcome
    }
    #expect(outcome(ending) == .dropped)
    let microphone = server.snapshot.device(.input, named: Server.microphone)
    #expect(
      server.snapshot.sourceOutputs.first { $0.index == staying }?.device == microphone?.index)
  }

  @Test func `a run that is late names the step that it did not begin`() throws {
    var server = Server.laptop()
    let mode = preferring { $0.inputGain = Volume(fraction: 0.3) }
    let error = try #require(throws: SessionError.self) {
      try run(&server, mode, isLate: true)
    }
    #expect(error.code == .timedOut && error.property == "inputGain")
    #expect(
      error.message.hasPrefix(
        "cannot set volume of \(Server.microphone) to 30 %: timed out, because"),
      "\(error.message)")
    // Nothing was changed.
    #expect(server.snapshot == Server.laptop().snapshot)
  }

  @Test func `what a stream inherited of an earlier one counts as the session's change`() throws {
    var server = Server.laptop()
    let player = server.add(stream: "mpv", .output, on: Server.speakers)
    server.editStreams(.output) { $0.isMuted = true }
    _ = try run(
      &server, AudioMode(),
      inherited: [
        (.othersMute(player), .flag(false)), (.othersMute(Index(9999)), .flag(false)),
      ])
    #expect(server.snapshot.sinkInputs.first { $0.index == player }?.isMuted == false)
  }

  @Test func `what a stream inherited is known also after the change that found it has failed`()
    throws
  {
    var server = Server.laptop()
    let player = server.add(stream: "mpv", .output, on: Server.speakers)
    server.editStreams(.output) { $0.isMuted = true }
    let mode = preferring { $0.preferredInput = ["away"] }
    let input = PlanInput(mode: mode, snapshot: server.snapshot)
    var change = ModeChange(input, to: .inEffect, wasInEffect: true)
    _ = try change.run.next(isStopped: false, isLate: false)
    #expect(throws: SessionError.self) {
      try change.run.didRead(
        server.snapshot, inherited: [(.othersMute(player), .flag(false))])
    }
    #expect(change.before[.othersMute(player)]?.before == .flag(false))
  }

  @Test func `a default that is changed back five times during its step is a conflict at once`()
    throws
  {
    var server = Server.laptop()
    server.addUSB()
    try server.setDefault(.input, Server.usb)
    let mode = preferring {
      $0.preferredInput = [.name(Server.microphone)]
      $0.onFailure = .bestEffort
    }
    let loop = try run(&server, mode, occasion: .upkeep) { _, _ in
      .failed(
        SessionError(.refused, stage: .server, "set, and changed back"),
        undone: ConflictDetector.limit)
    }
    #expect(loop.foreign == [.defaultDevice(.input): ConflictDetector.limit])
    var conflicts = ConflictDetector()
    #expect(
      conflicts.noteChanges(loop.foreign, at: .zero).map(\.setting) == [.defaultDevice(.input)])
  }
}
