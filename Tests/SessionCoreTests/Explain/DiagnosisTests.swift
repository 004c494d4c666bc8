import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer
private typealias Line = MachineFacts.Line

/// What a diagnosis says besides its findings: what would help, on which server, and which checks were not
/// made.
@Suite struct DiagnosisTests {
  @Test func `a remedy is for the server that was asked`() {
    var facts = DoctorTests.healthy()
    DoctorTests.microphone(&facts) { $0.isMuted = true }
    facts.namedServer = "tcp:studio"
    #expect(
      Diagnosis(facts).findings.first?.remedy.command?.hasPrefix("pactl --server=") == true)
    (facts.serverHost, facts.snapshot) = ("studio", nil)
    facts.unreachable = SessionError(.timedOut, stage: .server, "no")
    #expect(Diagnosis(facts).findings.first?.remedy.command == nil)
  }

  @Test func `a server that was named is not started or restarted in the user's place`() {
    for code in [SessionError.Code.timedOut, .serverUnreachable] {
      var facts = DoctorTests.healthy()
      facts.snapshot = nil
      facts.unreachable = SessionError(code, stage: .server, "no")
      let usual = Diagnosis(facts).findings.first?.remedy.command
      #expect(usual?.contains(code == .timedOut ? "try-restart" : "start pipewire-pulse") == true)
      facts.namedServer = "unix:/private"
      #expect(Diagnosis(facts).findings.map(\.remedy.command) == [nil])
      facts.namedServer = nil
      facts.variables = ["PULSE_SERVER": "unix:/private"]
      #expect(Diagnosis(facts).findings.first?.remedy.command == nil)
    }
  }

  @Test func `who may have the card is another program`() throws {
    var facts = DoctorTests.healthy()
    facts.snapshot?.sinks = []
    facts.cardUsers = [DoctorTests.run("pulseaudio", 7), DoctorTests.run("aplay", 8)]
    let why = try #require(Diagnosis(facts).findings.first?.why)
    #expect(why.contains("aplay") && !why.contains("pulseaudio"))
  }

  @Test func `a named server's settings restart no server of the user's`() {
    var facts = DoctorTests.healthy(.pipewire)
    facts.graphSettings = [
      Line("default.clock.rate", "48000", file: "/p", number: 1)
    ]
    facts.namedServer = "unix:/private"
    let finding = Diagnosis(facts).findings.first
    #expect(finding?.message == "PipeWire switches to no other rate than 48000 Hz")
    #expect(finding?.remedy.line != nil && finding?.remedy.command == nil)
    facts.namedServer = nil
    #expect(Diagnosis(facts).findings.first?.remedy.command != nil)
  }

  @Test func `another fault of the connection is said in its own words`() {
    var facts = DoctorTests.healthy()
    facts.snapshot = nil
    facts.unreachable = SessionError(.refused, stage: .server, "the address is none")
    #expect(Diagnosis(facts).findings.map(\.message) == ["the address is none"])
  }

  @Test func `what a remedy's words name is for the server that was asked`() throws {
    var facts = DoctorTests.healthy()
    facts.namedServer = "tcp:studio"
    facts.baseline.entries = [
      .init(setting: .mute(.input, device: "gone"), before: .flag(false), ours: .flag(true))
    ]
    let text = try #require(Diagnosis(facts).findings.first?.remedy.text)
    #expect(text.contains("'audiosession revert --forget --server=tcp:studio'"), "\(text)")
  }

  @Test func `PipeWire without a session manager, and with one rate`() {
    var facts = DoctorTests.healthy(.pipewire)
    facts.snapshot?.clients = []
    facts.graphSettings = []
    facts.places["pipewire.conf"] = "/home/me/rates.conf"
    facts.clientSettings = [Line("autospawn", "yes", file: "/c", number: 5)]
    facts.cookie = ("/k", .missing)
    let findings = Diagnosis(facts).findings
    #expect(findings.map(\.code) == [.sessionManager, .autospawn, .allowedRates])
    #expect(findings.map(\.severity) == [.problem, .warning, .note])
    #expect(findings[2].remedy.file == "/home/me/rates.conf")
    #expect(
      findings[2].remedy.line
        == "context.properties = { default.clock.allowed-rates = [ 44100 48000 ] }")
  }

  @Test func `without a server the rest is looked at`() {
    var facts = DoctorTests.healthy()
    facts.snapshot = nil
    facts.recordings = nil
    facts.unreachable = SessionError(.serverUnreachable, stage: .server, "no")
    facts.variables = ["PULSE_SINK": "s"]
    let diagnosis = Diagnosis(facts)
    #expect(diagnosis.findings.map(\.code) == [.serverUnreachable, .environment])
    #expect(diagnosis.checked.allSatisfy { !$0.needsSound })
    #expect(diagnosis.skipped.contains(.switchOnConnect))
    #expect(Set(diagnosis.checked + diagnosis.skipped) == Set(DoctorCheck.Code.allCases))
  }

  @Test(
    arguments: [
      (.timedOut, "the server does not answer in time"),
      (.accessDenied, "the server refuses this client"), (.serverUnreachable, "no server answers"),
    ] as [(SessionError.Code, String)])
  func `why there is no server`(_ code: SessionError.Code, _ message: String) {
    var facts = DoctorTests.healthy()
    facts.snapshot = nil
    facts.unreachable = SessionError(code, stage: .server, "no")
    #expect(Diagnosis(facts).findings.map(\.message) == [message])
  }

  @Test func `where a server is that was not found`() {
    var facts = DoctorTests.healthy()
    facts.snapshot = nil
    facts.server = nil
    facts.unreachable = SessionError(.serverUnreachable, stage: .server, "no")
    facts.sockets = [
      MachineFacts.Socket("/run/pulse/native", DoctorTests.run("systemd", 1)),
      MachineFacts.Socket("/run/user/1000/pulse/native", DoctorTests.run("pipewire-pulse", 9)),
    ]
    let listening = Diagnosis(facts)
    // It listens beside no other one.
    #expect(listening.findings.map(\.code) == [.serverUnreachable])
    #expect(
      listening.findings.first?.remedy.text
        == "pipewire-pulse (process 9) listens at /run/user/1000/pulse/native: name it with --server or "
        + "PULSE_SERVER.")
    facts.unnamedRuntimeFolder = "/run/user/1000"
    #expect(
      Diagnosis(facts).findings.first?.remedy.command == "export XDG_RUNTIME_DIR=/run/user/1000")
  }

  @Test(
    arguments: [
      ("[ ]", "48000", "default.clock.allowed-rates = [ 44100 48000 ]"),
      ("[ 44100 96000 ]", "48000", "default.clock.allowed-rates = [ 44100 48000 ]"),
      ("[ 44100 ]", "44100", "default.clock.allowed-rates = [ 44100 48000 ]"),
      ("[ 96000 ]", "96000", "default.clock.allowed-rates = [ 44100 48000 96000 ]"),
    ])
  func `one allowed rate, in a file that has the section`(
    _ value: String, _ rate: String, _ line: String
  ) {
    var facts = DoctorTests.healthy(.pipewire)
    facts.graphSettings = [
      Line("default.clock.rate", rate, file: "/p", number: 1),
      Line("default.clock.allowed-rates", value, file: "/p", number: 2),
    ]
    let findings = Diagnosis(facts).findings
    #expect(
      findings.map(\.message) == ["PipeWire switches to no other rate than \(rate) Hz"])
    #expect(findings.first?.remedy.line == line)
  }

  @Test func `a variable that names no device that there is`() {
    var facts = DoctorTests.healthy()
    facts.variables = ["PULSE_SINK": "nope", "PULSE_SOURCE": Server.microphone]
    #expect(
      Diagnosis(facts).findings.map(\.message) == [
        "PULSE_SINK is set: programs started here cannot play to it, because there is no such output: nope",
        "PULSE_SOURCE is set: programs started here record from \(Server.microphone)",
      ])
  }

  @Test func `which rates a server allows, and a list that does not count`() {
    var facts = DoctorTests.healthy(.pipewire)
    func policy() -> String? {
      Explanation(.sampleRate, .unset(nil), facts).causes.last
    }
    #expect(policy() == "PipeWire's allowed rates are [ 44100 48000 ] (/p:1)")
    facts.graphSettings = [Line("default.clock.allowed-rates", "[ 96000 ]", file: "/p", number: 3)]
    #expect(
      policy()
        == "PipeWire's allowed rates are [ 48000 ]: the list in /p:3 does not count, because it lacks that rate"
    )
    facts.graphSettings = []
    #expect(policy() == "PipeWire's allowed rates are [ 48000 ], by default")
    facts = DoctorTests.healthy()
    facts.daemonSettings = [Line("avoid-resampling", "yes", file: "/d", number: 2)]
    #expect(
      policy() == "PulseAudio takes the rate of a device's first stream, if the device has it "
        + "(avoid-resampling, /d:2)")
  }

  @Test func `what was not checked says why`() {
    var facts = DoctorTests.healthy()
    facts.serverHost = "studio"
    facts.recordings = nil
    let diagnosis = Diagnosis(facts)
    #expect(
      diagnosis.notMade.map(\.reason) == [
        "the server runs on studio, whose files and programs are not seen from here",
        "no input was recorded",
      ])
    #expect(
      Set(diagnosis.notMade[0].checks) == [.equalRates, .allowedRates, .otherServer, .cardShared])
    #expect(diagnosis.notMade[1].checks.allSatisfy { $0.needsSound })
    facts.recordings = []
    facts.unrecorded = ["mic"]
    #expect(Diagnosis(facts).notMade.last?.reason == "nothing could be recorded from mic")
  }

  @Test func `a module's remedy has its line in the server's start`() {
    var facts = DoctorTests.healthy()
    DoctorTests.load("module-switch-on-connect")(&facts)
    #expect(Diagnosis(facts).findings.first?.remedy.file == nil)
    facts.startup = [
      Line("module-switch-on-connect", "blocklist=\"\"", file: "/etc/pulse/default.pa", number: 38)
    ]
    let remedy = Diagnosis(facts).findings.first?.remedy
    #expect(remedy?.command == "pactl unload-module 99")
    #expect(remedy?.file == "/etc/pulse/default.pa:38")
    #expect(remedy?.line == "load-module module-switch-on-connect blocklist=\"\"")
  }

  @Test(arguments: [
    (ChannelMap.stereo, [0], "channel-map = \"right\""),
    (.stereo, [1], "channel-map = \"left\""),
    (.quad, [0, 1], "channel-map = [\"rear-left\", \"rear-right\"]"),
    // Three channels have no usual layout: the first of them.
    (.quad, [1], "channel-map = \"left\""),
  ])
  func `a dead channel is left out of the map`(_ map: ChannelMap, _ dead: [Int], _ line: String) {
    var facts = DoctorTests.healthy()
    DoctorTests.microphone(&facts) { $0.channelMap = map }
    facts.recordings = [
      MachineFacts.Recording(device: Server.microphone, faults: dead.map { .deadChannel($0) })
    ]
    #expect(Diagnosis(facts).findings.map(\.remedy.line) == [line])
  }

  @Test func `a hostile name is quoted for the shell`() throws {
    #expect(Words.quoted("alsa_input.usb-x") == "alsa_input.usb-x")
    #expect(Words.quoted("a; rm -rf ~") == "'a; rm -rf ~'")
    #expect(Words.quoted("it's") == "'it'\\''s'")
    #expect(Words.quoted("") == "''")
  }

  @Test func `a remedy names what is loaded, and the line that loads it`() {
    func remedy(_ change: (inout MachineFacts) -> Void) -> Finding.Remedy? {
      var facts = DoctorTests.healthy()
      change(&facts)
      let findings = Diagnosis(facts).findings
      #expect(findings.count == 1, "\(findings)")
      return findings.first?.remedy
    }
    let saved = remedy {
      DoctorTests.load("module-stream-restore")(&$0)
      $0.startup = [Line("module-stream-restore", "", file: "/etc/pulse/default.pa", number: 12)]
      $0.savedStreams = [SavedStream(name: "sink-input-by-application-name:mpv", device: "gone")]
    }
    #expect(saved?.file == "/etc/pulse/default.pa:12")
    let filter = remedy {
      DoctorTests.load("module-virtual-source")(&$0)
      DoctorTests.microphone(&$0) { $0.ownerModule = Index(99) }
    }
    #expect(filter?.command == "pactl unload-module 99")
    let leftover = remedy {
      DoctorTests.remapped(&$0)
      $0.snapshot?.modules = []
    }
    #expect(leftover?.command == "audiosession revert")
    let module = remedy(DoctorTests.remapped)
    #expect(module?.command?.hasPrefix("pactl unload-module ") == true)
    let maintained = remedy {
      DoctorTests.load("module-switch-on-port-available")(&$0)
      $0.state = DoctorTests.state(of: $0)
      $0.state?.holder = SessionState.Holder(pid: 7, name: "audiosession")
    }
    #expect(maintained?.text == "Nothing to do: the session is maintained.")
    #expect(maintained?.command == nil)
  }

  @Test func `which role makes others quiet is read from the module's arguments`() {
    var facts = DoctorTests.healthy()
    DoctorTests.load("module-role-ducking", "volume=-20dB trigger_roles=\"event\"")(&facts)
    #expect(
      Diagnosis(facts).findings.map(\.message) == [
        "turns down others while a stream with the role event plays"
      ])
  }
}
