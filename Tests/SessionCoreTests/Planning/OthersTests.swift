import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// The options that silence or duck others, and where they are not in effect.
@Suite struct OthersTests {
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
}
