import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Others are silenced or ducked by a module, while a silent stream of ours triggers it.
@Suite struct OthersTests {
  private static let everyone = "no_role,video,music,game,animation,production,test,speech"

  @Test func `the module comes before its trigger`() throws {
    let plan = try Server.laptop().plan(preferring { $0.options = [.silenceOthers] })
    #expect(
      plan.lines == [
        "7 server silence others: none → \(Self.everyone)",
        "7 server trigger for others: none → on",
      ])
  }

  @Test func `solo-ambient is ambient that silences`() throws {
    var run = Run(
      .laptop(), PlanInput(mode: AudioMode(category: .soloAmbient), snapshot: Server().snapshot))
    run.run()
    #expect(run.failure == nil)
    #expect(run.server.reports(run.input.mode)[.category]?.verdict == .applied)
    run.server.setTrigger(false)
    #expect(run.server.reports(run.input.mode)[.category]?.verdict == .overridden)
  }

  @Test func `what the mode is for is left alone`() throws {
    let plan = try Server.laptop().plan(
      preferring {
        $0.mode = .moviePlayback
        $0.options = [.duckOthers]
      })
    #expect(
      plan.lines == [
        "7 server duck others: none → no_role,music,game,animation,production,test,speech",
        "7 server trigger for others: none → on",
      ])
  }

  @Test func `another duckingPolicy takes the trigger away and brings it back`() throws {
    var run = Run(
      .laptop(),
      PlanInput(mode: preferring { $0.options = [.duckOthers] }, snapshot: Server().snapshot))
    run.run()
    #expect(run.server.reports(run.input.mode)[.options]?.verdict == .applied)
    var next = Run(run.server, run.input)
    next.input.mode.options = [.silenceOthers]
    next.input.baseline = run.stored
    next.run()
    #expect(next.failure == nil)
    #expect(next.plans.first?.lines.first == "7 server trigger for others: on → none")
    #expect(next.server.snapshot.modules.count == 1)
    #expect(next.server.snapshot.modules(of: .silence).count == 1)
    var last = Run(next.server, next.input)
    last.input.mode = AudioMode()
    last.input.baseline = next.stored
    last.run()
    #expect(last.server.snapshot.modules == [])
    #expect(last.server.snapshot.sinkInputs == [])
  }

  @Test func `music is lowered and speech is silenced, by one module`() throws {
    var run = Run(
      .laptop(),
      PlanInput(
        mode: preferring { $0.options = [.duckOthers, .interruptSpokenAudio] },
        snapshot: Server().snapshot))
    run.run()
    #expect(run.failure == nil)
    #expect(run.server.reports(run.input.mode)[.options]?.verdict == .applied)
    let modules = run.server.snapshot.modules
    #expect(
      modules.map(\.argument) == [
        "trigger_roles=audiosession,audiosession.duck-and-interrupt/audiosession "
          + "ducking_roles=no_role,video,music,game,animation,production,test/speech "
          + "volume=-20dB/0 global=yes"
      ])
    var next = Run(run.server, run.input)
    next.input.baseline = run.stored
    next.run()
    #expect(next.plans.map(\.lines) == [[]])
  }

  @Test func `speech is left alone where the mode is for it, and that is said`() throws {
    let mode = preferring {
      $0.mode = .spokenAudio
      $0.options = [.interruptSpokenAudio]
    }
    #expect(try Server.laptop().plan(mode).steps == [])
    let report = Server.laptop().reports(mode)[.options]
    #expect(report?.verdict == .unreachable && report?.actual == .strings([]))
  }

  @Test func `of what silence includes nothing is in force without it`() {
    let mode = preferring { $0.options = [.silenceOthers, .duckOthers, .interruptSpokenAudio] }
    for kind in [ServerKind.pulseaudio, .pipewire] {
      let report = Server.laptop(kind: kind).reports(mode) { $0.isHeld = false }[.options]
      #expect(report?.verdict == .pending && report?.actual == .strings([]))
    }
  }

  @Test func `a session of one program does nothing to others, and says so`() {
    for kind in [ServerKind.pulseaudio, .pipewire] {
      var server = Server.laptop(kind: kind)
      server.snapshot.viewer = 42
      let report = server.reports(
        preferring {
          $0.scope = .application
          $0.options = [.silenceOthers]
        })[.options]
      #expect(report?.verdict == .unreachable, "\(kind)")
    }
  }

  @Test func `others wait for a holder`() throws {
    let mode = preferring { $0.options = [.duckOthers] }
    for kind in [ServerKind.pulseaudio, .pipewire] {
      var server = Server.laptop(kind: kind)
      server.add(stream: "firefox", .output, on: Server.speakers)
      #expect(try server.plan(mode) { $0.isHeld = false }.steps == [])
      let report = server.reports(mode) { $0.isHeld = false }[.options]
      #expect(report?.verdict == .pending && report?.waitingFor == .holder)
    }
  }

  @Test func `default-to-speaker takes the speaker, but not from plugged headphones`() throws {
    let mode = preferring {
      $0.category = .playAndRecord
      $0.options = [.defaultToSpeaker]
    }
    func port(_ headphones: PortAvailability) throws -> String? {
      let server = Server.laptop(jacks: ["analog-output-headphones": headphones])
      var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
      run.run()
      #expect(run.server.reports(mode)[.options]?.verdict == .applied)
      return run.server.snapshot.device(.output, named: Server.speakers)?.activePort
    }
    #expect(try port(.yes) == "analog-output-headphones")
    #expect(try port(.no) == "analog-output-speaker")
    var server = Server.laptop(jacks: ["analog-output-headphones": .no])
    try server.edit(.output, Server.speakers) { $0.activePort = "analog-output-headphones" }
    #expect(server.reports(mode)[.options]?.verdict == .overridden)
    #expect(throws: SessionError.self) {
      try preferring {
        $0.category = .playback
        $0.options = [.defaultToSpeaker]
      }.validate()
    }
  }

  @Test func `a module that was loaded twice is reported, and is one again`() throws {
    let mode = preferring { $0.options = [.silenceOthers] }
    var run = Run(.laptop(), PlanInput(mode: mode, snapshot: Server().snapshot))
    run.run()
    var twin = try #require(run.server.snapshot.modules(of: .silence).first)
    twin.index = Index(run.server.newIndex())
    run.server.snapshot.modules.append(twin)
    #expect(run.server.reports(mode)[.options]?.verdict == .overridden)
    var again = Run(run.server, run.input)
    again.run()
    #expect(again.failure == nil, "\(again.trace)")
    #expect(
      again.plans.first?.lines.contains { $0.contains("loaded 2 times → ") } == true,
      "\(again.trace)")
    #expect(again.server.snapshot.modules(of: .silence).count == 1)
    #expect(again.server.reports(mode)[.options]?.verdict == .applied)
  }
}
