import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer
private typealias Line = MachineFacts.Line

/// Each rule of `doctor`: what it finds, and what it leaves alone.
@Suite struct DoctorTests {
  /// A machine, and the one finding that it gives: `code severity object`, or nothing.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let finds: String?
    let change: @Sendable (inout MachineFacts) -> Void

    init(
      _ name: String, finds: String?, _ change: @escaping @Sendable (inout MachineFacts) -> Void
    ) {
      testDescription = name
      self.finds = finds
      self.change = change
    }
  }

  /// A laptop with nothing wrong: of PulseAudio, or of PipeWire with its session manager.
  static func healthy(_ kind: ServerKind = .pulseaudio) -> MachineFacts {
    var server = Server.laptop(kind: kind)
    var facts = MachineFacts()
    if kind == .pipewire {
      server.snapshot.clients.append(
        Client(index: Index(90), name: "wireplumber", properties: ["wireplumber.daemon": "true"]))
      facts.graphSettings = [
        Line("default.clock.allowed-rates", "[ 44100 48000 ]", file: "/p", number: 1)
      ]
    }
    facts.snapshot = server.snapshot
    facts.address = "unix:/run/user/1000/pulse/native"
    facts.server = MachineFacts.Program(pid: 7, name: kind.rawValue)
    facts.cookie = ("/home/me/cookie", .good)
    facts.recordings = [MachineFacts.Recording(device: Server.microphone, faults: [])]
    facts.places = ["default.pa": "/etc/default.pa"]
    return facts
  }

  static func load(_ name: String, _ argument: String = "")
    -> @Sendable (inout MachineFacts) -> Void
  {
    { facts in
      facts.snapshot?.modules.append(Module(index: Index(99), name: name, argument: argument))
    }
  }

  static func heard(
    _ faults: MachineFacts.Recording.Fault...
  ) -> @Sendable (inout MachineFacts) -> Void {
    { $0.recordings = [MachineFacts.Recording(device: Server.microphone, faults: faults)] }
  }

  static func microphone(_ facts: inout MachineFacts, _ change: (inout Device) -> Void) {
    guard let at = facts.snapshot?.sources.firstIndex(where: { $0.name == Server.microphone })
    else { return }
    change(&facts.snapshot!.sources[at])
  }

  /// Another input is the default.
  static func other(_ facts: inout MachineFacts) {
    facts.snapshot?.sources.append(
      Device(
        direction: .input, index: Index(79), name: "other",
        sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo))
    facts.snapshot?.server.defaultSourceName = "other"
  }

  /// A session in effect, and what another program keeps changing.
  static func state(of facts: MachineFacts, conflict: String? = nil) -> SessionState {
    let input = PlanInput(mode: AudioMode(), snapshot: facts.snapshot ?? Server().snapshot)
    var state = SessionState(
      input: input, mode: AudioMode(), server: nil, profile: "podcast", active: true)
    state.conflicts = conflict.map { [$0] } ?? []
    return state
  }

  /// A session in effect that no process maintains; of a level that it set there is another value now.
  static func stale(_ facts: MachineFacts, profile: String?) -> SessionState {
    let mode = preferring { $0.outputVolume = Volume(fraction: 0.5) }
    return SessionState(
      input: PlanInput(mode: mode, snapshot: facts.snapshot ?? Server().snapshot), mode: mode,
      server: nil, profile: profile, active: true)
  }

  /// A session's remap of the microphone's left channel.
  static func remapped(_ facts: inout MachineFacts) {
    var server = Server.laptop()
    server.addRemap(of: Server.microphone, taking: ChannelMap([.frontLeft]), as: .mono)
    facts.snapshot = server.snapshot
  }

  static func run(
    _ name: String, _ pid: Int32, cards: Set<String> = ["0"]
  ) -> MachineFacts.Program {
    var program = MachineFacts.Program(pid: pid, name: name)
    program.cards = cards
    return program
  }

  static let cases: [Case] = [
    Case(
      "switch on connect", finds: "switchOnConnect warning module-switch-on-connect",
      load("module-switch-on-connect")),
    Case(
      "switch on port", finds: "switchOnPortAvailable note module-switch-on-port-available",
      load("module-switch-on-port-available")),
    Case("role cork", finds: "roleModule note module-role-cork", load("module-role-cork")),
    Case(
      "role ducking", finds: "roleModule note module-role-ducking",
      load("module-role-ducking", "trigger_roles=phone")),
    Case("a module that does no harm", finds: nil, load("module-always-sink")),
    Case("a saved device", finds: "streamRestore warning firefox") {
      $0.savedStreams = [
        SavedStream(
          name: "source-output-by-application-name:firefox", device: "\(Server.speakers).monitor")
      ]
      $0.snapshot?.sources.append(
        Device(
          direction: .input, index: Index(77), name: "\(Server.speakers).monitor",
          sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
          monitor: Server.speakers))
    },
    Case("a saved device that is away", finds: "streamRestore note firefox") {
      $0.savedStreams = [SavedStream(name: "sink-input-by-media-role:firefox", device: "gone")]
    },
    Case("a saved device that is the default", finds: nil) {
      $0.savedStreams = [
        SavedStream(name: "sink-input-by-application-name:mpv", device: Server.speakers),
        SavedStream(name: "sink-input-by-application-name:vlc", device: nil),
      ]
    },
    Case("a filter's device", finds: "filter note easyeffects_source") {
      $0.snapshot?.sources.append(
        Device(
          direction: .input, index: Index(78), name: "easyeffects_source",
          sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo))
    },
    Case("a filter as the default", finds: "filter warning easyeffects_sink") {
      $0.snapshot?.sinks.append(
        Device(
          direction: .output, index: Index(78), name: "easyeffects_sink",
          sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo))
      $0.snapshot?.server.defaultSinkName = "easyeffects_sink"
    },
    Case("one rate", finds: "equalRates warning alternate-sample-rate") {
      $0.daemonSettings = [Line("default-sample-rate", "48000", file: "/d", number: 3)]
    },
    Case("one rate, said twice", finds: "equalRates warning alternate-sample-rate") {
      $0.daemonSettings = [
        Line("alternate-sample-rate", "96000", file: "/d", number: 1),
        Line("alternate-sample-rate", "44100", file: "/d", number: 2),
      ]
    },
    Case("one rate, but any is taken", finds: nil) {
      $0.daemonSettings = [
        Line("default-sample-rate", "48000", file: "/d", number: 3),
        Line("avoid-resampling", "yes", file: "/d", number: 4),
      ]
    },
    Case("two rates", finds: nil) {
      $0.daemonSettings = [
        Line("default-sample-rate", "48000", file: "/d", number: 3),
        Line("alternate-sample-rate", "44100", file: "/d", number: 4),
      ]
    },
    Case("another server", finds: "otherServer warning /run/user/1000/other") {
      $0.sockets = [MachineFacts.Socket("/run/user/1000/other", run("pipewire-pulse", 9))]
    },
    Case("another socket of the same server", finds: nil) {
      $0.sockets = [MachineFacts.Socket("/run/user/1000/other", run("pulseaudio", 7))]
    },
    Case("a socket that waits for a server", finds: nil) {
      $0.sockets = [MachineFacts.Socket("/run/user/1000/other", run("systemd", 1))]
    },
    Case("two servers on a card", finds: "cardShared problem -") {
      $0.cardUsers = [run("pulseaudio", 7), run("wireplumber", 8)]
    },
    Case("one server on the cards", finds: nil) {
      $0.cardUsers = [run("pipewire", 7), run("wireplumber", 8), run("arecord", 9)]
    },
    Case("PULSE_SOURCE", finds: "environment warning PULSE_SOURCE") {
      $0.variables = ["PULSE_SOURCE": "mic", "PULSE_SERVER": "unix:/x"]
    },
    Case("PULSE_SINK", finds: "environment warning PULSE_SINK") {
      $0.variables = ["PULSE_SINK": "s"]
    },
    Case("PULSE_LATENCY_MSEC", finds: "environment note PULSE_LATENCY_MSEC") {
      $0.variables = ["PULSE_LATENCY_MSEC": "60"]
    },
    Case("a default of the clients", finds: "environment warning default-source") {
      $0.clientSettings = [Line("default-source", "mic", file: "/c", number: 5)]
    },
    Case("autospawn", finds: "autospawn note autospawn") {
      $0.clientSettings = [Line("autospawn", "yes", file: "/c", number: 5)]
    },
    Case("autospawn switched off later", finds: nil) {
      $0.clientSettings = [
        Line("autospawn", "yes", file: "/c", number: 5),
        Line("autospawn", "no", file: "/c", number: 6),
      ]
    },
    Case("autospawn of root, who never does", finds: nil) {
      $0.clientSettings = [Line("autospawn", "yes", file: "/c", number: 5)]
      $0.isRoot = true
    },
    Case("no cookie on this machine", finds: "cookie note /k") { $0.cookie = ("/k", .missing) },
    Case("no cookie for a server on a network that does not ask for it", finds: "cookie note /k") {
      $0.cookie = ("/k", .missing)
      $0.address = "tcp:studio:4713"
    },
    Case("a cookie that cannot be read", finds: "cookie note /k") {
      $0.cookie = ("/k", .unreadable("Permission denied"))
    },
    Case("a cookie that others can read", finds: "cookie warning /k") {
      $0.cookie = ("/k", .exposed(0o644))
    },
    Case("a cookie of another size", finds: "cookie note /k") { $0.cookie = ("/k", .wrongSize(3)) },
    Case("a damaged file", finds: "damagedStore problem /s") {
      $0.damaged = [SessionError(.storeFailed, stage: .session, "/s is damaged", value: "/s")]
    },
    Case("files that cannot be written", finds: "unwritableStore problem /s") {
      $0.unwritable = ("/s", FileError(.other, "Permission denied"))
    },
    Case("a muted default", finds: "mutedInput warning \(Server.microphone)") {
      microphone(&$0) { $0.isMuted = true }
      $0.recordings = []
    },
    Case("a muted default delivers silence", finds: "mutedInput warning \(Server.microphone)") {
      microphone(&$0) { $0.isMuted = true }
      heard(.silent)(&$0)
    },
    Case("a gain of nothing", finds: "mutedInput warning \(Server.microphone)") {
      microphone(&$0) { $0.volume = ChannelVolumes(.muted, channels: 2) }
    },
    Case("silence", finds: "silentInput warning \(Server.microphone)", heard(.silent)),
    Case("a muted input that is not the default", finds: "mutedInput note \(Server.microphone)") {
      other(&$0)
      microphone(&$0) { $0.isMuted = true }
    },
    Case(
      "silence of an input that is not the default", finds: "silentInput note \(Server.microphone)"
    ) {
      other(&$0)
      microphone(&$0) {
        $0.activePort = nil
        $0.ports[0].availability = .yes
      }
      heard(.silent)(&$0)
    },
    Case("silence of no hardware", finds: "silentInput note \(Server.microphone)") {
      microphone(&$0) { $0.card = nil }
      heard(.silent)(&$0)
    },
    Case(
      "a dead channel", finds: "deadChannel warning \(Server.microphone)",
      heard(.deadChannel(1))),
    Case("dual mono", finds: "dualMono note \(Server.microphone)", heard(.dualMono(0, 1))),
    Case(
      "clipping", finds: "clippedInput warning \(Server.microphone)",
      heard(.clipping(0, samples: 40))),
    Case("an offset", finds: "offsetInput note \(Server.microphone)", heard(.offset(1, -0.02))),
    Case("dual mono that the session takes once", finds: nil) {
      remapped(&$0)
      // Else its remap is a leftover.
      $0.state = state(of: $0)
      heard(.dualMono(0, 1))(&$0)
    },
    Case("a dead channel that the session leaves out", finds: nil) {
      remapped(&$0)
      $0.state = state(of: $0)
      heard(.deadChannel(1))(&$0)
    },
    Case(
      "a dead channel that the session takes", finds: "deadChannel warning \(Server.microphone)"
    ) {
      remapped(&$0)
      $0.state = state(of: $0)
      heard(.deadChannel(0))(&$0)
    },
    Case("a device of an earlier session", finds: "leftover warning audiosession.input", remapped),
    Case("a mode that is no longer in effect", finds: "staleMode warning podcast") {
      $0.state = stale($0, profile: "podcast")
    },
    Case("a mode without a name, of a version with fewer properties", finds: "staleMode warning -")
    {
      $0.state = stale($0, profile: nil)
      $0.state?.properties[.inputGain] = nil
    },
    Case("a holder that was killed", finds: "killedHolder warning audiosession") {
      $0.state = state(of: $0)
      $0.killedHolder = run("audiosession", 4711)
    },
    Case("a holder that is stopped", finds: "stoppedHolder warning audiosession") {
      $0.state = state(of: $0)
      $0.stoppedHolder = run("audiosession", 4711)
    },
    Case(
      "channels that the input does not have", finds: "deadChannel warning \(Server.microphone)",
      heard(.deadChannel(0), .deadChannel(1), .deadChannel(7))),
    Case("a conflict", finds: "conflict warning -") {
      $0.state = state(of: $0, conflict: "volume of mic")
    },
    Case("a conflict with a suspect", finds: "conflict warning mixer") {
      var state = state(of: $0, conflict: "volume of mic")
      let event = SessionEvent.conflict("volume of mic", opponents: ["mixer"], until: "2026-01-01")
      state.events = [
        TimedEvent(time: "2026-01-01", event: .applied),
        TimedEvent(time: "2026-01-01", event: event),
      ]
      $0.state = state
    },
    Case("a device that is gone with a session's value", finds: "staleBaseline note gone") {
      $0.baseline.entries = [
        .init(setting: .mute(.input, device: "gone"), before: .flag(false), ours: .flag(true))
      ]
    },
    Case("two devices that are gone", finds: "staleBaseline note gone") {
      $0.baseline.entries = ["gone", "lost"].map {
        .init(setting: .mute(.input, device: $0), before: .flag(false), ours: .flag(true))
      }
    },
    Case("JACK beside it", finds: "cardShared problem -") {
      $0.cardUsers = [run("pulseaudio", 7), run("jackd", 8)]
    },
    Case("two servers, each with a card of its own and a mixer on it", finds: nil) {
      $0.cardUsers = [
        run("pipewire", 7), run("wireplumber", 8), run("pulseaudio", 9, cards: ["1"]),
        run("alsamixer", 10, cards: ["1"]),
      ]
    },
    Case("no output", finds: "noDevice warning -") {
      $0.snapshot?.sinks = []
      $0.cardUsers = [run("pulseaudio", 7)]
    },
    Case("a server at the machine's own name, which listens at the user's socket, too", finds: nil)
    {
      ($0.address, $0.server) = ("tcp:here", nil)
      $0.sockets = [MachineFacts.Socket("/run/user/1000/pulse/native", run("pulseaudio", 9))]
    },
    Case("a mute that the mode asks for", finds: nil) {
      microphone(&$0) { $0.isMuted = true }
      let mode = preferring { $0.inputMuted = true }
      $0.state = SessionState(
        input: PlanInput(mode: mode, snapshot: $0.snapshot ?? Server().snapshot), mode: mode,
        server: nil, profile: "podcast", active: true)
    },
    Case("a device of a session whose mode cannot be read", finds: nil) {
      remapped(&$0)
      $0.isModeUnknown = true
    },
    Case("another server beside one that was named", finds: nil) {
      $0.namedServer = "unix:/private"
      $0.sockets = [MachineFacts.Socket("/other", run("pulseaudio", 9))]
    },
    Case("JACK on an interface of its own", finds: nil) {
      $0.cardUsers = [run("pulseaudio", 7), run("jackd", 8, cards: ["1"])]
    },
    Case("a remembered stream that is not restored", finds: nil) {
      load("module-stream-restore", "restore_device=false")(&$0)
      $0.savedStreams = [SavedStream(name: "sink-input-by-media-role:firefox", device: "gone")]
    },
    Case("a muted device of the session", finds: "mutedInput warning audiosession.input") {
      remapped(&$0)
      let index = $0.snapshot?.sources.firstIndex { $0.name == "audiosession.input" }
      if let index { $0.snapshot?.sources[index].isMuted = true }
      $0.state = state(of: $0)
    },
    Case("another server beside an unknown one", finds: "otherServer warning /other") {
      $0.server = nil
      $0.sockets = [MachineFacts.Socket("/other", run("pulseaudio", 9))]
    },
    Case("an input that is gone", finds: nil) {
      $0.recordings = [MachineFacts.Recording(device: "gone", faults: [.silent])]
    },
  ]

  @Test(arguments: cases) func rule(_ item: Case) {
    var facts = Self.healthy()
    item.change(&facts)
    let found = Diagnosis(facts).findings.map { finding in
      "\(finding.code.rawValue) \(finding.severity.rawValue) \(finding.object ?? "-")"
    }
    #expect(found == (item.finds.map { [$0] } ?? []))
  }

  @Test(arguments: [ServerKind.pulseaudio, .pipewire])
  func `nothing is found where nothing is wrong`(_ kind: ServerKind) {
    let diagnosis = Diagnosis(Self.healthy(kind))
    #expect(diagnosis.findings == [])
    #expect(diagnosis.skipped == [])
    #expect(Set(diagnosis.checked) == Set(DoctorCheck.Code.allCases))
  }

  @Test func `every finding says why, and what to do`() {
    for item in Self.cases {
      var facts = Self.healthy()
      item.change(&facts)
      for finding in Diagnosis(facts).findings {
        #expect(finding.why.hasSuffix("."), "\(finding)")
        #expect(
          finding.remedy.text.hasSuffix(".") || finding.remedy.text.hasSuffix(":")
            || finding.remedy.text.hasSuffix(","), "\(finding)")
        #expect(!finding.message.hasSuffix("."), "\(finding)")
      }
    }
  }

  @Test func `no check finds anything where its facts are missing`() {
    for check in DoctorCheck.all {
      #expect(check.findings(MachineFacts()) == [], "\(check.code)")
      var facts = Self.healthy()
      facts.recordings = nil
      #expect(check.findings(facts) == [], "\(check.code)")
    }
  }
}
