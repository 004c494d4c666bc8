import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// What must be read for each property, and what it is called where it cannot be.
@Suite struct ConditionTests {
  private static let modes: [AudioMode] = [
    preferring {
      $0.category = .playAndRecord
      $0.mode = .measurement
      $0.options = [.defaultToSpeaker, .silenceOthers]
      $0.sampleRate = 48000
      $0.ioBufferDuration = .milliseconds(10)
      $0.preferredInput = ["*"]
      $0.inputPort = [.type(.mic)]
      $0.channelMap = .swap
      $0.inputGain = .norm
      $0.inputMuted = false
      $0.inputLatencyOffset = .milliseconds(5)
      $0.preferredOutput = ["*"]
      $0.outputPort = [.type(.speaker)]
      $0.outputChannelMap = .swap
      $0.outputVolume = Volume(fraction: 0.5)
      $0.outputMuted = true
      $0.outputLatencyOffset = .milliseconds(5)
    },
    preferring {
      $0.category = .multiRoute
      $0.mode = .voiceChat
      $0.polarPattern = .omnidirectional
      $0.inputOrientation = .landscapeLeft
      $0.outputCodec = "sbc"
    },
    preferring {
      $0.scope = .application
      $0.category = .record
      $0.mode = .gameChat
      $0.ioBufferDuration = .milliseconds(10)
      $0.preferredInput = ["*"]
    },
  ]

  @Test func `the modes set every property that is read on a server`() {
    let found = Self.modes.flatMap { mode in allAspects.filter { $0.property.row.isSet(mode) } }
    #expect(Set(found.map(\.property)) == Set(allAspects.map(\.property)))
  }

  private static func context(
    _ mode: AudioMode, _ kind: ServerKind, _ change: (inout Server) -> Void = { _ in }
  ) -> PlanContext {
    var server = Server.laptop(kind: kind)
    server.add(
      stream: "ours", .input, on: Server.microphone,
      properties: ["application.process.id": "42", "node.latency": "240/48000"],
      latency: .milliseconds(5))
    change(&server)
    if mode.scope == .application { server.snapshot.viewer = 42 }
    let input = PlanInput(mode: mode, snapshot: server.snapshot)
    return PlanContext(
      input: input, server: PredictedServer(server.snapshot), resolution: .tolerant(input))
  }

  private func conditions(_ aspect: any Aspect, _ context: PlanContext) -> [Condition] {
    Condition.list { () throws(Obstacle) in try aspect.conditions(context) }
  }

  @Test(arguments: [ServerKind.pulseaudio, .pipewire])
  func `a property that the mode does not set changes nothing, and nothing is read for it`(
    _ kind: ServerKind
  ) {
    let context = Self.context(AudioMode(category: .playAndRecord), kind)
    // These are read as they are: the device in use, its port and its channels.
    let standing: Set<Property> = [
      .category, .preferredInput, .preferredOutput, .inputPort, .outputPort, .channelMap,
      .outputChannelMap, .polarPattern, .inputOrientation,
    ]
    let read = allAspects.filter { aspect in
      conditions(aspect, context).contains { if case .nothing = $0 { false } else { true } }
    }
    #expect(Set(read.map(\.property)).isSubset(of: standing), "\(read)")
  }

  @Test(arguments: modes.indices, [ServerKind.pulseaudio, .pipewire])
  func `what is not there, or is of another kind, is no preference in effect`(
    _ mode: Int, _ kind: ServerKind
  ) {
    let context = Self.context(Self.modes[mode], kind)
    for aspect in allAspects {
      let conditions = conditions(aspect, context)
      guard conditions.contains(where: { if case .value = $0 { true } else { false } }) else {
        continue
      }
      for value in [nil, SettingValue.channels(ChannelMap([]))] {
        let obstacle = conditions.obstacle { _, _ in value }
        #expect(obstacle != nil, "\(aspect.property)")
        #expect(obstacle?.reason.contains("Optional") == false, "\(obstacle as Any)")
      }
    }
  }

  private func report(
    _ property: Property, _ mode: AudioMode, _ change: (inout Server) -> Void = { _ in },
    _ more: (inout PlanInput) -> Void = { _ in }
  ) -> PropertyReport? {
    var server = Server.laptop()
    change(&server)
    return server.reports(mode, more)[property]
  }

  @Test func `why a mode is not in effect`() throws {
    let chat = preferring {
      $0.category = .playAndRecord
      $0.mode = .voiceChat
      $0.unloadsIdleEchoCanceller = true
    }
    #expect(report(.mode, chat, { _ in }, { $0.isHeld = false })?.waitingFor == .holder)
    let measurement = preferring { $0.mode = .measurement }
    let gain = report(.mode, measurement) { server in
      server.addRemap(of: Server.microphone, taking: .stereo)
      try? server.edit(.input, Server.microphone) { $0.volume = ChannelVolumes(.norm, channels: 2) }
      try? server.edit(.input, Owned.name(.input)) {
        $0.volume = ChannelVolumes(Volume(fraction: 0.5), channels: 2)
      }
    }
    #expect(gain?.reason == "the gain of audiosession.input is 50 %, not 100 %")
    let playing = preferring {
      $0.category = .playback
      $0.mode = .measurement
    }
    #expect(
      report(.mode, playing) { $0.snapshot.sources = [] }?.nothingToRead
        == "the mode is about an input")
    let roles: [Mode: String?] = [
      .voiceChat: nil, .videoChat: nil, .gameChat: "game", .default: nil,
    ]
    for (mode, role) in roles { #expect(mode.ownRole == role) }
  }

  @Test func `a role is in effect if the streams of the program have it`() {
    let own = preferring {
      $0.scope = .application
      $0.category = .record
      $0.mode = .gameChat
    }
    func report(_ change: (inout Server) -> Void) -> PropertyReport? {
      self.report(.mode, own) {
        $0.snapshot.viewer = 42
        change(&$0)
      }
    }
    func having(_ role: String?) -> PropertyReport? {
      report { server in
        server.add(
          stream: "ours", .input, on: Server.microphone,
          properties: ["application.process.id": "42"])
        server.editStreams(.input) { $0.properties["media.role"] = role }
      }
    }
    let game = having("game")
    #expect(game?.verdict == .applied && game?.readings.map(\.text) == ["game"])
    #expect(game?.readings.map(\.property) == ["media.role"])
    let other = having("music")
    #expect(other?.verdict == .unreachable, "\(other as Any)")
    #expect(other?.reason?.contains("has the media.role 'music', not 'game'") == true)
    #expect(having(nil)?.reason?.contains("has no media.role, not 'game'") == true)
    // What the mode's category does not concern does not count, in whichever role.
    let idle = report { server in
      server.add(
        stream: "ours", .output, on: Server.speakers,
        properties: ["application.process.id": "42", "media.role": "game"])
    }
    #expect(idle?.verdict == .pending && idle?.waitingFor == .stream)
  }

  @Test func `why an option is not in effect`() throws {
    #expect(
      report(.options, preferring { $0.options = [] })?.nothingToRead == "no option is preferred")
    let speaker = preferring {
      $0.onFailure = .bestEffort
      $0.category = .playback
      $0.options = [.defaultToSpeaker]
    }
    func reason(_ change: (inout Server) -> Void) -> String? {
      report(.options, speaker, change)?.reason
    }
    let none = reason {
      $0.snapshot.sinks = []
      $0.snapshot.cards = []
    }
    #expect(none == "'default-to-speaker': there is no output")
    #expect(
      reason { $0 = .machine { $0.addLoose(.output, "null") } }?.hasSuffix("has no speaker") == true
    )
    let box = report(.options, speaker) { server in
      server = .machine { $0.addLoose(.output, "box") }
      try? server.edit(.output, "box") { $0.properties["device.form_factor"] = "speaker" }
    }
    #expect(box?.verdict == .applied)
  }

  @Test func `what a profile cannot hold is not captured, and listed`() throws {
    var server = Server.laptop()
    try server.edit(.output, Server.speakers) {
      $0.volume = ChannelVolumes(Volume(fraction: 4), channels: 2)
    }
    for at in server.snapshot.cards[0].ports.indices {
      server.snapshot.cards[0].ports[at].latencyOffset = .seconds(6)
    }
    let setup = CapturedSetup(of: server.snapshot, current: nil, baseline: Baseline())
    #expect(setup.mode.outputVolume == nil && setup.mode.inputLatencyOffset == nil)
    #expect(setup.left.contains { $0.contains("a profile goes to 300 %") }, "\(setup.left)")
    #expect(setup.left.contains { $0.contains("more than 5 s") }, "\(setup.left)")
    var unplugged = Server.laptop()
    for at in unplugged.snapshot.sources.indices {
      for port in unplugged.snapshot.sources[at].ports.indices {
        unplugged.snapshot.sources[at].ports[port].availability = .no
      }
    }
    let left = CapturedSetup(of: unplugged.snapshot, current: nil, baseline: Baseline()).left
    #expect(left.contains { $0.contains("nothing is plugged into it") }, "\(left)")
  }

  @Test(
    arguments: [
      (.input, "aux-jack", [.lineIn]), (.input, "some-mic", [.mic]),
      (.input, "headset-mic", [.headsetMic, .mic]), (.input, "other", []),
      (.output, "headphone-jack", [.headphones]), (.output, "a-speaker", [.speaker]),
      (.output, "other", []),
    ] as [(Direction, String, [PortType])])
  func `a port without a type is known by its name`(
    _ direction: Direction, _ name: String, _ types: [PortType]
  ) throws {
    let port = DevicePort(name: name, direction: direction)
    let device = Device(
      direction: direction, index: Index(1), name: "x",
      sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
      ports: [port])
    #expect(device.portTypes(port) == types)
  }

  @Test func `names that mean something else, and forms of devices without ports`() {
    func device(_ name: String, _ properties: [String: String] = [:]) -> Device {
      Device(
        direction: .input, index: Index(1), name: name,
        sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
        properties: properties)
    }
    #expect(Server.laptop().snapshot.stableMatcher(for: device("default")) == .name("[d]efault"))
    #expect(
      device("x", ["device.form_factor": "headset"]).portTypes(nil) == [.headsetMic, .mic])
    let titles: [(ServerKind, String, String)] = [
      (.pulseaudio, "pulseaudio", "PulseAudio 1"), (.pulseaudio, "other", "other 1"),
      (.pipewire, "PulseAudio (on PipeWire 0.3.65)", "PipeWire 0.3.65"),
      (.pipewire, "other", "other"),
    ]
    for (kind, name, title) in titles {
      let server = SessionState.Server(kind: kind, name: name, version: "1", address: "")
      #expect(server.title == title)
    }
  }
}
