import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// A server may say anything: no plan and no state may crash, hang, or mean somebody else's device.
@Suite struct HostileSnapshotTests {
  private static let everything: [AudioMode] = [
    AudioMode(), AudioMode(category: .playAndRecord),
    preferring {
      $0.onFailure = .bestEffort
      $0.category = .playAndRecord
      $0.mode = .measurement
      $0.sampleRate = 48000
      $0.ioBufferDuration = .milliseconds(10)
      $0.preferredInput = ["*", "default"]
      $0.inputPort = ["*"]
      $0.channelMap = .mono
      $0.inputOrientation = .landscapeRight
      $0.inputGain = .norm
      $0.inputMuted = true
      $0.moveInputStreams = true
      $0.inputLatencyOffset = .milliseconds(5)
      $0.preferredOutput = ["default", "*"]
      $0.outputPort = [.type(.speaker), "*"]
      $0.outputChannelMap = .swap
      $0.outputVolume = .norm
      $0.outputMuted = false
      $0.moveOutputStreams = true
    },
    preferring {
      $0.onFailure = .bestEffort
      $0.category = .playAndRecord
      $0.mode = .voiceChat
      $0.options = [.duckOthers, .interruptSpokenAudio]
      $0.sampleRate = 44100
      $0.ioBufferDuration = .milliseconds(10)
    },
    preferring {
      $0.onFailure = .bestEffort
      $0.scope = .application
      $0.category = .record
      $0.ioBufferDuration = .milliseconds(10)
      $0.channelMap = .swap
    },
    preferring {
      $0.onFailure = .bestEffort
      $0.category = .multiRoute
      $0.options = [.silenceOthers]
    },
  ]

  struct Lie: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: @Sendable (inout ServerSnapshot) -> Void
    init(_ name: String, _ change: @escaping @Sendable (inout ServerSnapshot) -> Void) {
      testDescription = name
      self.change = change
    }
  }

  static let lies = [
    Lie("no default") {
      $0.server.defaultSourceName = nil
      $0.server.defaultSinkName = nil
    },
    Lie("a default that is not there") {
      $0.server.defaultSourceName = "gone"
      $0.server.defaultSinkName = ""
    },
    Lie("empty names") { snapshot in
      for at in snapshot.sources.indices { snapshot.sources[at].name = "" }
      for at in snapshot.sinks.indices { snapshot.sinks[at].name = "" }
      for at in snapshot.cards.indices { snapshot.cards[at].name = "" }
      for at in snapshot.cards.indices {
        for profile in snapshot.cards[at].profiles.indices {
          snapshot.cards[at].profiles[profile].name = "+"
        }
      }
    },
    Lie("devices without channels") { snapshot in
      for at in snapshot.sources.indices {
        snapshot.sources[at].channelMap = ChannelMap([])
        snapshot.sources[at].volume = ChannelVolumes([])
        snapshot.sources[at].sampleSpec = SampleSpec(format: nil, rate: 0, channels: 0)
      }
    },
    Lie("more volumes than channels") { snapshot in
      for at in snapshot.sinks.indices {
        snapshot.sinks[at].volume = ChannelVolumes(.maximum, channels: 255)
      }
    },
    Lie("the highest indexes there are") { snapshot in
      for at in snapshot.sources.indices { snapshot.sources[at].index = Index(.max) }
      for at in snapshot.sinks.indices { snapshot.sinks[at].index = Index(.max - 1) }
      for at in snapshot.sourceOutputs.indices { snapshot.sourceOutputs[at].index = Index(.max) }
      for at in snapshot.sinkInputs.indices { snapshot.sinkInputs[at].index = Index(.max - 1) }
      for at in snapshot.modules.indices { snapshot.modules[at].index = Index(.max) }
      for at in snapshot.cards.indices { snapshot.cards[at].index = Index(.max) }
    },
    Lie("every index the same") { snapshot in
      for at in snapshot.sources.indices { snapshot.sources[at].index = Index(0) }
      for at in snapshot.sinks.indices { snapshot.sinks[at].index = Index(0) }
      for at in snapshot.sourceOutputs.indices {
        snapshot.sourceOutputs[at].index = Index(0)
        snapshot.sourceOutputs[at].device = Index(0)
        snapshot.sourceOutputs[at].ownerModule = Index(0)
      }
    },
    Lie("indexes of nothing") { snapshot in
      for at in snapshot.sources.indices {
        snapshot.sources[at].card = Index(999)
        snapshot.sources[at].ownerModule = Index(999)
      }
      for at in snapshot.sourceOutputs.indices {
        snapshot.sourceOutputs[at].device = Index(999)
        snapshot.sourceOutputs[at].client = Index(999)
      }
    },
    Lie("every name the same") { snapshot in
      for at in snapshot.sources.indices { snapshot.sources[at].name = "same" }
      for at in snapshot.sinks.indices { snapshot.sinks[at].name = "same" }
      for at in snapshot.cards.indices { snapshot.cards[at].name = "same" }
    },
    Lie("everything twice") { snapshot in
      snapshot.sources += snapshot.sources
      snapshot.sinks += snapshot.sinks
      snapshot.cards += snapshot.cards
      snapshot.sourceOutputs += snapshot.sourceOutputs
      snapshot.modules += snapshot.modules
    },
    Lie("all devices ours") { snapshot in
      for at in snapshot.sources.indices {
        snapshot.sources[at].properties[Owned.roleKey] = "remap"
      }
      for at in snapshot.sinks.indices { snapshot.sinks[at].properties[Owned.roleKey] = "" }
    },
    Lie("a remap of ours on itself") { snapshot in
      let at = snapshot.sources.indices.last!
      snapshot.sources[at].properties[Owned.roleKey] = "remap"
      snapshot.sources[at].ownerModule = Index(5)
      snapshot.server.defaultSourceName = snapshot.sources[at].name
      snapshot.sourceOutputs.append(
        Stream(
          direction: .input, index: Index(4), ownerModule: Index(5),
          device: snapshot.sources[at].index, sampleSpec: snapshot.sources[at].sampleSpec,
          channelMap: .mono))
    },
    Lie("a sink that is the monitor of itself") { snapshot in
      for at in snapshot.sources.indices {
        snapshot.sources[at].monitor = snapshot.sources[at].name
      }
    },
    Lie("ports of nothing") { snapshot in
      for at in snapshot.sources.indices {
        snapshot.sources[at].activePort = "gone"
        snapshot.sources[at].ports = []
      }
      for at in snapshot.cards.indices {
        snapshot.cards[at].ports = []
        snapshot.cards[at].activeProfile = "gone"
      }
    },
    Lie("profiles that count wrong") { snapshot in
      for at in snapshot.cards.indices {
        for profile in snapshot.cards[at].profiles.indices {
          snapshot.cards[at].profiles[profile].sinkCount = .max
          snapshot.cards[at].profiles[profile].sourceCount = .min / 2
          snapshot.cards[at].profiles[profile].priority = .max
        }
        snapshot.cards[at].activeProfile = nil
      }
    },
    Lie("a pin of a million years, and one that is no number") { snapshot in
      for latency in ["9223372036854775807", "-9223372036854775808", "soon", ""] {
        for source in snapshot.sources {
          snapshot.sourceOutputs.append(
            Stream(
              direction: .input, index: Index(1), device: source.index,
              sampleSpec: source.sampleSpec, channelMap: .mono,
              properties: [Owned.pinKey: "latency", Owned.pinLatencyKey: latency]))
        }
      }
      for at in snapshot.sources.indices {
        snapshot.sources[at].configuredLatency = .seconds(Int64.max)
      }
    },
    Lie("frames and rates that nobody has") { snapshot in
      for number in ["9223372036854775807", "-9223372036854775808", "-5", "0", "4294967296"] {
        for source in snapshot.sources {
          snapshot.sourceOutputs.append(
            Stream(
              direction: .input, index: Index(2), client: Index(1), device: source.index,
              sampleSpec: source.sampleSpec, channelMap: .mono,
              properties: [
                Owned.pinKey: "rate", Graph.rateKey: number, Graph.quantumKey: number,
                Owned.pinLatencyKey: "10000",
              ]))
          snapshot.sourceOutputs.append(
            Stream(
              direction: .input, index: Index(3), client: Index(1), device: source.index,
              sampleSpec: source.sampleSpec, channelMap: .mono,
              properties: ["node.latency": "\(number)/1", "application.process.id": "42"]))
        }
      }
      for at in snapshot.sources.indices {
        snapshot.sources[at].properties["clock.quantum-limit"] = "9223372036854775807"
        snapshot.sources[at].properties[Owned.echoKey] = "webrtc -5"
      }
    },
    Lie("offsets of a million years") { snapshot in
      for at in snapshot.cards.indices {
        for port in snapshot.cards[at].ports.indices {
          snapshot.cards[at].ports[port].latencyOffset = .microseconds(Int64.min)
        }
      }
    },
    Lie("names of control characters and quotes") { snapshot in
      for at in snapshot.sources.indices {
        snapshot.sources[at].name = "\u{1B}]0;\"' \\ master=x\n\(at)"
      }
      snapshot.server.defaultSourceName = snapshot.sources.first?.name
    },
    Lie("each module of a desktop, twice") { snapshot in
      let names = [
        "module-switch-on-connect", "module-switch-on-port-available", "module-device-restore",
        "module-default-device-restore", "module-role-cork", "module-role-ducking",
        "module-filter-apply", "module-stream-restore", "module-bluetooth-policy",
      ]
      for (at, name) in (names + names).enumerated() {
        snapshot.modules.append(Module(index: Index(UInt32(500 + at)), name: name))
      }
    },
    Lie("no profiles, ports and owners in use") { snapshot in
      for at in snapshot.cards.indices {
        snapshot.cards[at].activeProfile = nil
        snapshot.cards[at].codecs = []
      }
      for at in snapshot.sources.indices {
        snapshot.sources[at].activePort = nil
        snapshot.sources[at].state = .suspended
      }
      for at in snapshot.sinks.indices { snapshot.sinks[at].activePort = nil }
      for at in snapshot.sinkInputs.indices {
        snapshot.sinkInputs[at].client = nil
        snapshot.sinkInputs[at].volume = nil
      }
    },
    Lie("two ports of one name") { snapshot in
      for at in snapshot.sources.indices {
        snapshot.sources[at].ports += snapshot.sources[at].ports
        snapshot.sources[at].activePort = snapshot.sources[at].ports.last?.name
      }
      for at in snapshot.cards.indices { snapshot.cards[at].ports += snapshot.cards[at].ports }
    },
    Lie("devices with the session's roles, and without its other marks") { snapshot in
      let spec = SampleSpec(format: .s16le, rate: 44100, channels: 2)
      func add(_ direction: Direction, _ role: String, _ module: Index<Module>?) {
        let device = Device(
          direction: direction, index: Index(UInt32(700 + snapshot.sinks.count)),
          name: "\(role) of nobody", sampleSpec: spec, channelMap: .stereo, ownerModule: module,
          properties: [Owned.roleKey: role, Owned.primaryKey: "gone"])
        let link = Stream(
          direction: direction, index: Index(UInt32(800 + snapshot.sinks.count)),
          ownerModule: module,
          device: (direction == .input ? snapshot.sources : snapshot.sinks).first?.index
            ?? Index(0), sampleSpec: spec, channelMap: .stereo)
        if direction == .input {
          snapshot.sources.append(device)
          snapshot.sourceOutputs.append(link)
        } else {
          snapshot.sinks.append(device)
          snapshot.sinkInputs.append(link)
        }
      }
      add(.output, Owned.echoRole, Index(600))
      add(.input, Owned.echoRole, Index(600))
      add(.output, Owned.combineRole, nil)
    },
    Lie("nothing but the server") {
      $0 = ServerSnapshot(server: $0.server)
    },
  ]

  private static func rich(_ kind: ServerKind) -> Server {
    var server = Server.machine(kind: kind) {
      $0.addLaptop()
      $0.addUSB("off")
      $0.addBluetooth()
      $0.addLoose(.output, "null")
      $0.addLoose(.input, "array", .quad)
      $0.add(stream: "firefox", .input, on: Server.microphone)
      $0.add(stream: "mpv", .output, on: Server.speakers)
    }
    server.addRemap(of: Server.microphone, taking: .mono, as: .mono)
    return server
  }

  @Test(arguments: lies, [ServerKind.pulseaudio, .pipewire])
  func `no lie crashes a plan or a state`(_ lie: Lie, _ kind: ServerKind) {
    var server = Self.rich(kind)
    lie.change(&server.snapshot)
    for mode in Self.everything {
      for isExplicit in [true, false] {
        var input = PlanInput(mode: mode, snapshot: server.snapshot)
        if mode.scope == .application { input.snapshot.viewer = 42 }
        input.isExplicit = isExplicit
        input.beginRun()
        if let plan = try? Plan.make(input) {
          #expect(plan.steps.map(\.phase) == plan.steps.map(\.phase).sorted())
          var journal = Baseline()
          for step in plan.steps { journal.record(step, in: server.snapshot) }
          journal.settle(in: server.snapshot)
          input.baseline = journal
          input.mode = AudioMode()
          _ = try? Plan.make(input)
          for line in plan.lines { #expect(!line.isEmpty) }
        }
        _ = server.reports(mode)
        if mode.scope == .application {
          _ = SessionState(input: input, mode: mode, server: nil, profile: nil, active: true)
        }
      }
    }
    _ = server.snapshot.route
    _ = server.snapshot.canServe(.input)
  }

  @Test(arguments: lies, [ServerKind.pulseaudio, .pipewire])
  func `no lie crashes an explanation or a check, and each sentence says something`(
    _ lie: Lie, _ kind: ServerKind
  ) {
    var server = Self.rich(kind)
    lie.change(&server.snapshot)
    for mode in Self.everything {
      var facts = DoctorTests.healthy(kind)
      facts.snapshot = server.snapshot
      facts.variables = ["PULSE_SOURCE": "mic", "PULSE_SINK": "speaker"]
      facts.daemonSettings = [.init("default-sample-rate", "48000", file: "/d", number: 1)]
      let input = PlanInput(mode: mode, snapshot: server.snapshot)
      var state = SessionState(input: input, mode: mode, server: nil, profile: nil, active: true)
      state.conflicts = ["port of mic"]
      facts.state = state
      facts.baseline.entries = [
        .init(setting: .mute(.input, device: "gone"), before: .flag(false), ours: .flag(true)),
        .init(setting: .defaultDevice(.input), before: .name("gone"), ours: .name("same")),
      ]
      facts.recordings = server.snapshot.sources.map { source in
        MachineFacts.Recording(
          device: source.name,
          faults: [
            .silent, .deadChannel(0), .deadChannel(.max), .dualMono(-1, 9),
            .clipping(7, samples: .max), .offset(.min, -.infinity),
          ])
      }
      for (property, report) in state.properties {
        let explanation = Explanation(property, report, facts)
        #expect(explanation.causes.allSatisfy { $0.count > 9 }, "\(explanation)")
        #expect(explanation.choices.allSatisfy { !$0.reason.isEmpty }, "\(explanation)")
      }
      for finding in Diagnosis(facts).findings {
        #expect(finding.message.count > 9 && finding.why.hasSuffix("."), "\(finding)")
      }
    }
  }

  @Test(arguments: 0..<10) func `no mixture of lies does either`(_ block: Int) {
    for number in 0..<40 {
      var random = SeededRandom(seed: UInt64(block * 40 + number) + 1_000_000)
      var server = random.machine(kind: random.pick([.pulseaudio, .pipewire]))
      for _ in 0..<3 where !server.snapshot.sources.isEmpty {
        random.pick(Self.lies).change(&server.snapshot)
      }
      let mode = random.mode()
      var input = PlanInput(mode: mode, snapshot: server.snapshot)
      input.beginRun()
      _ = try? Plan.make(input)
      _ = server.reports(mode)
    }
  }

  @Test(.timeLimit(.minutes(10))) func `thousands of ports and profiles`() throws {
    var server = Server.laptop()
    for number in 0..<3000 {
      server.snapshot.cards[0].ports.append(
        DevicePort(
          name: "port-\(number)", direction: .input, priority: UInt32(number),
          profiles: ["profile-\(number % 50)"]))
      server.snapshot.sources[1].ports.append(DevicePort(name: "port-\(number)", direction: .input))
    }
    for number in 0..<50 {
      server.snapshot.cards[0].profiles.append(
        CardProfile(
          name: "input:profile-\(number)", sinkCount: 0, sourceCount: 1, priority: UInt32(number)))
    }
    let clock = ContinuousClock()
    for mode in Self.everything {
      let time = clock.measure {
        _ = try? server.plan(mode)
        _ = server.reports(mode)
      }
      #expect(time < .seconds(20))
    }
  }

  @Test func `a name that is a pattern or a number means itself alone`() throws {
    var server = Server.machine {
      $0.addLoose(.input, "[a-z]*")
      $0.addLoose(.input, "abc")
    }
    try server.setDefault(.input, "abc")
    #expect(
      try server.plan(preferring { $0.preferredInput = ["[a-z]*"] }).lines == [],
      "a pattern prefers the default")
    let only = Server.machine { $0.addLoose(.input, "[a-z]*") }
    #expect(try only.plan(preferring { $0.preferredInput = ["[a-z]*"] }).lines == [])
  }

  @Test func `a mode that was never validated does not crash a plan`() {
    let server = Self.rich(.pulseaudio)
    let modes = [
      preferring { $0.sampleRate = .max }, preferring { $0.sampleRate = -1 },
      preferring { $0.ioBufferDuration = .frames(.max) },
      preferring { $0.ioBufferDuration = .frames(.min) },
      preferring { $0.inputLatencyOffset = .seconds(Int64.min) },
      preferring { $0.channelMap = .positions([]) },
      preferring { $0.channelMap = .positions(ChannelPosition.allCases) },
      preferring { $0.preferredInput = [] }, preferring { $0.inputPort = [] },
      preferring { $0.preferredInput = [.all([])] },
      preferring { $0.preferredInput = [.properties([:])] },
    ]
    for mode in modes {
      _ = try? server.plan(mode)
      _ = server.reports(mode)
    }
  }

  @Test("a word in a text is found by its bytes")
  func words() {
    let flags = String(repeating: "🇦", count: 5)
    for (text, isThere) in [
      ("mic", true), ("a mic", true), ("microphone", true), ("mi", false), ("", false),
      (flags + "mic" + flags, true), ("mi\u{301}c", false), ("MIC", false),
    ] {
      #expect(text.has("mic") == isThere, "\(text)")
    }
  }
}
