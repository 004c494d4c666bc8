import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Why a default is the default, and how a property is found by what people call it.
@Suite struct ExplanationTests {
  private func device(
    _ name: String, _ properties: [String: String] = [:], port: PortAvailability? = nil,
    monitor: String? = nil
  ) -> Device {
    Device(
      direction: .input, index: Index(UInt32(name.utf8.count)), name: name,
      sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
      monitor: monitor,
      ports: port.map { [DevicePort(name: "jack", direction: .input, availability: $0)] } ?? [],
      activePort: port.map { _ in "jack" }, properties: properties)
  }

  private func explain(
    _ devices: [Device], default name: String?, kind: ServerKind = .pulseaudio
  ) -> Explanation {
    var facts = MachineFacts()
    var snapshot = Server(kind: kind).snapshot
    snapshot.sources = devices
    snapshot.server.defaultSourceName = name
    facts.snapshot = snapshot
    let report = PropertyReport.unset(nil)
    return Explanation(.preferredInput, report, facts)
  }

  private let sound = ["device.class": "sound"]
  private let usb = ["device.class": "sound", "device.bus": "usb"]

  @Test func `the first choice is plugged in, no monitor, and of the highest priority`() {
    let explanation = explain(
      [
        device("monitor", monitor: "sink"), device("plain", sound), device("gone", usb, port: .no),
        device("usb", usb, port: .unknown), device("twin-of-usb", usb),
      ], default: "usb")
    #expect(explanation.choices.map(\.name) == ["usb", "twin-of-usb", "plain", "monitor", "gone"])
    #expect(explanation.choices.map(\.isChosen) == [true, false, false, false, false])
    #expect(
      explanation.choices.map(\.reason) == [
        "is the default", "is as good; usb was there first, or was chosen",
        "its priority is lower than 9040",
        "is a monitor: it records what sink plays",
        "its port jack is not plugged in",
      ])
    #expect(
      explanation.causes.first?.hasPrefix("the server ranks twin-of-usb as high as usb") == true)
    let alone = explain([device("usb", usb), device("plain", sound)], default: "usb")
    #expect(alone.causes.first?.hasPrefix("usb is the server's own first choice") == true)
  }

  @Test(arguments: [true, false])
  func `no stream is blamed for the buffer of a device with a fixed one`(isFixed: Bool) {
    var facts = MachineFacts()
    var snapshot = Server(kind: .pulseaudio).snapshot
    var mic = device("mic", sound)
    if !isFixed { mic.flags = .dynamicLatency(.input) }
    mic.configuredLatency = .milliseconds(100)
    mic.state = .running
    snapshot.sources = [mic]
    snapshot.server.defaultSourceName = "mic"
    snapshot.sourceOutputs = ["firefox", "mumble"].enumerated().map { number, name in
      Stream(
        direction: .input, index: Index(UInt32(number)), name: name, device: mic.index,
        sampleSpec: mic.sampleSpec, channelMap: .stereo)
    }
    facts.snapshot = snapshot
    let causes = Explanation(.ioBufferDuration, .unset(nil), facts).causes
    #expect(
      causes.first
        == (isFixed
          ? "mic has a fixed buffer of 100 ms, whatever its streams request"
          : "mic has a buffer of 100 ms: the shortest that any stream on it requests"))
    #expect(causes.contains { $0.contains("does not report which") } == !isFixed)
  }

  @Test func `what the session chose is no server's choice`() {
    var facts = MachineFacts()
    var snapshot = Server(kind: .pulseaudio).snapshot
    snapshot.sources = [device("usb", usb), device("plain", sound)]
    snapshot.server.defaultSourceName = "usb"
    facts.snapshot = snapshot
    facts.baseline.entries = [
      Baseline.Entry(
        setting: .defaultDevice(.input), before: .name("plain"), ours: .name("usb"))
    ]
    #expect(
      Explanation(.preferredInput, .unset(nil), facts).causes.first
        == "the session chose usb; plain was the default before")
  }

  @Test func `a default that is not the first was chosen`() {
    let explanation = explain(
      [device("usb", usb), device("monitor", monitor: "sink"), device("plain", sound)],
      default: "plain")
    #expect(explanation.causes.first?.contains("chose plain") == true)
    #expect(
      explanation.choices.map { "\($0.name): \($0.reason)" } == [
        "plain: is the default", "usb: would be the default if plain had not been chosen",
        "monitor: was not chosen",
      ])
  }

  @Test func `PipeWire says a device's priority`() {
    let explanation = explain(
      [device("one", ["priority.session": "900"]), device("other", ["priority.session": "2000"])],
      default: "other", kind: .pipewire)
    #expect(explanation.choices.map(\.priority) == [2000, 900])
    #expect(explanation.choices.last?.reason == "its priority is lower than 2000")
  }

  @Test func `no device, and a default that is ours`() {
    #expect(explain([], default: nil).causes == ["the server has no source"])
    var server = Server.laptop()
    server.addRemap(of: Server.microphone, taking: .mono, as: .mono)
    var facts = MachineFacts()
    facts.snapshot = server.snapshot
    let report = PropertyReport.unset(nil)
    let causes = Explanation(.preferredInput, report, facts).causes
    #expect(
      causes.first == "the default source is audiosession.input, the session's own device on "
        + Server.microphone)
  }

  @Test(
    arguments: [
      ("sampleRate", .sampleRate), ("sample-rate", .sampleRate), ("Sample Rate", .sampleRate),
      ("default-source", .preferredInput), ("default-sink", .preferredOutput),
      ("IO buffer duration", .ioBufferDuration), ("nonsense", nil),
      ("orientation", .inputOrientation), ("codec", .outputCodec), ("prefer", .preferredInput),
      ("latency-offset", .inputLatencyOffset), ("output.latency-offset", .outputLatencyOffset),
    ] as [(String, Property?)])
  func `a property is known by several names`(_ word: String, _ property: Property?) {
    #expect(Explanation.property(named: word) == property)
  }

  @Test(
    arguments: [
      ("samplerat", .sampleRate), ("inputGian", .inputGain), ("preferedInput", .preferredInput),
      ("zzzzzzzz", nil), ("", nil),
    ] as [(String, Property?)])
  func `a slip of the pen is understood`(_ word: String, _ property: Property?) {
    #expect(Explanation.suggestion(for: word) == property)
  }

  @Test func `every property of the state is explained`() {
    var facts = MachineFacts()
    facts.snapshot = Server.laptop().snapshot
    let report = PropertyReport.unset(nil)
    for property in Property.reported {
      #expect(!Explanation(property, report, facts).causes.isEmpty, "\(property)")
    }
    facts.snapshot = nil
    #expect(Explanation(.inputGain, report, facts).causes.first?.hasPrefix("no server") == true)
  }

  @Test func `priorities are those of the server's own rules`() {
    let explanation = explain(
      [
        device("digital", ["device.class": "sound", "device.profile.name": "iec958-stereo"]),
        device("jack", ["device.api": "jack"]), device("modem", ["device.class": "modem"]),
      ], default: "jack")
    #expect(
      explanation.choices.map { "\($0.name) \($0.priority ?? -1)" } == [
        "jack 10000", "digital 9007", "modem 0",
      ])
  }

  @Test func `the session's part in a value: what it restored, and its conflict`() throws {
    let mode = preferring { $0.inputPort = [.type(.mic)] }
    var facts = DoctorTests.healthy()
    let snapshot = try #require(facts.snapshot)
    var state = SessionState(
      input: PlanInput(mode: mode, snapshot: snapshot), mode: mode, server: nil, profile: "podcast",
      active: true)
    state.holder = SessionState.Holder(pid: 7, name: "audiosession")
    let setting = Setting.port(.input, device: Server.microphone)
    facts.baseline.entries = [.init(setting: setting, before: .name("x"), ours: .name("y"))]
    let report = try #require(state.properties[.inputPort])
    #expect(report.verdict == .applied)
    func cause() -> String? {
      facts.state = state
      let causes = Explanation(.inputPort, report, facts).causes
      #expect(
        causes.first
          == "the session's profile 'podcast' asks for this value; audiosession (process 7) maintains the session"
      )
      return causes.dropFirst().first
    }
    state.events = [TimedEvent(time: "9:00", event: .drift([.inputPort]))]
    // Nothing was set: it may have been found in effect again.
    #expect(cause()?.contains("restored") == false)
    state.events.append(TimedEvent(time: "9:00", event: .reapplied(.zero)))
    #expect(cause() == "it had another value at 9:00, and the session restored this one")
    func conflict(_ opponents: [String], _ end: String?) -> TimedEvent {
      TimedEvent(
        time: "9:01", event: .conflict(setting.title, opponents: opponents, until: end))
    }
    let changed = "another program changed it again and again until 9:01; the session "
    state.events.append(conflict([], nil))
    #expect(cause() == changed + "restores it again")
    state.conflicts = [setting.title]
    #expect(cause() == changed + "leaves it alone for now")
    state.events.append(conflict(["mixer"], "9:02"))
    #expect(cause() == changed + "leaves it alone until 9:02. Likely: mixer")
  }

  @Test func `a filter's device is known by the group of its nodes`() {
    let snapshot = Server.laptop(kind: .pipewire).snapshot
    #expect(
      snapshot.processor(of: device("x", ["node.link-group": "echo-cancel-12-3"])) == "echo-cancel")
    #expect(snapshot.processor(of: device("x", ["node.link-group": "loopback-1"])) == nil)
    var other = device("x", ["device.class": "filter"])
    other.driver = "module-x.c"
    #expect(snapshot.processor(of: other) == "module-x.c")
    other.driver = "module-remap-source.c"
    #expect(snapshot.processor(of: other) == nil, "it chooses channels")
  }

  @Test func `where a filter's sound comes from is known by the group of its nodes`() throws {
    var snapshot = Server.laptop(kind: .pipewire).snapshot
    let microphone = try #require(snapshot.device(.input, named: Server.microphone))
    let clean = device("clean", ["node.link-group": "filter-chain-1"])
    snapshot.sources.append(clean)
    #expect(snapshot.origins(of: clean).map(\.name) == ["clean"])
    snapshot.sourceOutputs.append(
      Stream(
        direction: .input, index: Index(900), device: microphone.index,
        sampleSpec: clean.sampleSpec, channelMap: .stereo,
        properties: [Device.groupKey: "filter-chain-1"]))
    #expect(snapshot.origins(of: clean).map(\.name) == ["clean", Server.microphone])
  }

  @Test func `nodes of hardware store a latency offset, others name who made them`() {
    func forgetful(_ factory: String?, _ kind: ServerKind = .pipewire) -> String? {
      Server.laptop(kind: kind).snapshot.forgetsLatencyOffset(
        of: device("x", factory.map { ["factory.name": $0] } ?? [:]))
    }
    #expect(forgetful("api.alsa.pcm.source") == nil && forgetful("api.bluez5.sco.source") == nil)
    #expect(forgetful("support.null-audio-sink") == "support.null-audio-sink")
    #expect(forgetful(nil) == nil)
    #expect(forgetful("support.null-audio-sink", .pulseaudio) == nil)
  }

  @Test func `a device that nothing is plugged into is no choice`() {
    let explanation = explain(
      [device("usb", usb), device("gone", usb, port: .no), device("plain", sound)],
      default: "plain")
    #expect(
      explanation.causes == [
        "a person, a program or a module of the server chose plain; by itself the server would take "
          + "usb", "gone cannot become the default while nothing is plugged into its port",
      ])
  }

  @Test func `who applies a volume, and how many paused streams keep a rate`() throws {
    var server = Server.laptop()
    func causes(_ property: Property) -> [String] {
      var facts = MachineFacts()
      facts.snapshot = server.snapshot
      return Explanation(property, .unset(nil), facts).causes
    }
    #expect(causes(.inputGain).first?.hasSuffix("which the server applies in software") == true)
    try server.edit(.input, Server.microphone) { $0.flags.insert(.hardwareVolume) }
    #expect(causes(.inputGain).first?.hasSuffix("which the hardware applies") == true)
    server.add(stream: "mumble", .input, on: Server.microphone, isCorked: true)
    #expect(causes(.sampleRate).contains("mumble has a paused stream on it"))
    server.add(stream: "obs", .input, on: Server.microphone, isCorked: true)
    #expect(causes(.sampleRate).contains("mumble and obs have a paused stream on it"))
  }

  @Test func `a remap that is not the default is shown as such`() {
    var server = Server.laptop()
    server.addRemap(of: Server.microphone, taking: ChannelMap([.frontLeft]), as: .mono)
    func cause() -> String? {
      var facts = MachineFacts()
      facts.snapshot = server.snapshot
      return Explanation(.channelMap, .unset(nil), facts).causes.last
    }
    let remap = "audiosession.input is on it: it takes front-left as mono"
    #expect(cause() == remap)
    server.snapshot.server.defaultSourceName = Server.microphone
    #expect(cause() == remap + ", and is not the default")
  }
}
