import FoundationEssentials
import JSONCoding
import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// The state's JSON: all keys always there, null where there is nothing, and a reason where a preference is
/// not in force.
@Suite struct StateTests {
  private func encoded(_ state: SessionState) throws -> JSONValue {
    try JSON.decode(JSONValue.self, from: JSON.encode(state))
  }

  private func state(_ server: Server?, _ mode: AudioMode) -> SessionState {
    SessionState(
      input: server.map { PlanInput(mode: mode, snapshot: $0.snapshot) }, mode: mode,
      server: server.map {
        SessionState.Server(
          kind: $0.snapshot.server.kind, name: $0.snapshot.server.name,
          version: $0.snapshot.server.version, address: "unix:/run/native")
      }, profile: nil, active: server != nil)
  }

  private static let keys: Set<String> = [
    "schema", "server", "active", "profile", "scope", "holder", "capabilities", "properties",
    "route", "interrupted", "resets", "reapplies", "conflicts", "pins", "processing",
    "events", "notes",
  ]

  private static let contract: Set<String> = [
    "category", "sampleRate", "ioBufferDuration", "preferredInput", "channelMap", "inputPort",
    "mode", "options", "polarPattern", "inputOrientation", "inputGain", "inputMuted",
    "preferredOutput", "outputPort", "outputCodec", "outputChannelMap", "outputVolume",
    "outputMuted",
  ]

  static let full = preferring {
    $0.outputCodec = "aptx"
    $0.category = .playAndRecord
    $0.mode = .voiceChat
    $0.options = [.duckOthers, .allowBluetoothHFP]
    $0.sampleRate = 96000
    $0.ioBufferDuration = .milliseconds(10)
    $0.preferredInput = ["alsa_input.*"]
    $0.inputPort = [.type(.lineIn), .type(.mic)]
    $0.polarPattern = .stereo
    $0.inputOrientation = .landscapeRight
    $0.inputGain = Volume(fraction: 0.5)
    $0.inputMuted = true
    $0.inputLatencyOffset = .milliseconds(5)
    $0.preferredOutput = ["default"]
    $0.outputPort = [.type(.speaker)]
    $0.outputChannelMap = .swap
    $0.outputVolume = .norm
    $0.outputMuted = false
    $0.outputLatencyOffset = .milliseconds(5)
  }

  static let servers: [(String, SimulatedServer?)] = [
    ("laptop", .laptop()), ("off", .laptop("off")), ("nothing", SimulatedServer()),
    ("only a monitor", .machine { $0.addLoose(.output, "null") }),
    ("PipeWire", .laptop(kind: .pipewire)), ("no server", nil),
  ]

  @Test func `typed values are those of the reports`() {
    let full = state(.laptop(), Self.full)
    #expect(full.sampleRate.preferred == 96000 && full.sampleRate.actual == 44100)
    #expect(full.sampleRate.verdict == full.properties[.sampleRate]?.verdict)
    #expect(full.sampleRate.reason == full.properties[.sampleRate]?.reason)
    #expect(full.ioBufferDuration.preferred == .milliseconds(10))
    #expect(full.inputGain.preferred == Volume(fraction: 0.5))
    #expect(full.outputVolume.preferred == .norm)
    #expect(full.outputVolume.actual == Volume(fraction: 0.2))
    #expect(full.inputMuted.preferred == true && full.inputMuted.actual == false)
    #expect(full.outputMuted.preferred == false)
    let nothing = state(nil, AudioMode())
    #expect(nothing.sampleRate.actual == nil && nothing.sampleRate.verdict == .unset)
  }

  @Test(
    arguments: [
      (["nowhere", .name(SimulatedServer.microphone)], "nowhere"),
      (
        [.properties(["device.serial": "x"]), .name(SimulatedServer.microphone)], "device.serial=x"
      ),
      (["nowhere-*", "default"], "nowhere-*"), ([.formFactor("headset")], "form-factor=headset"),
      // Kinds of devices, one of which is there: they may all describe that one.
      (["nowhere-*", .name(SimulatedServer.microphone)], nil),
      ([.properties(["device.bus": "usb"]), .name(SimulatedServer.microphone)], nil),
      ([.name(SimulatedServer.microphone), "nowhere"], nil), (["default", "nowhere"], nil),
    ] as [([DeviceMatcher], String?)])
  func `a first choice that is not there is named`(_ prefer: [DeviceMatcher], _ absent: String?) {
    let reports = SimulatedServer.laptop().reports(preferring { $0.preferredInput = prefer })
    #expect(reports[.preferredInput]?.absent == absent)
    #expect(reports[.preferredOutput]?.absent == nil)
  }

  @Test(arguments: servers.indices, [AudioMode(), full])
  func `every key is always there`(_ at: Int, _ mode: AudioMode) throws {
    let json = try encoded(state(Self.servers[at].1, mode))
    #expect(json.keys == Self.keys)
    #expect(json["schema"] == .number(1))
    let properties = try #require(json["properties"])
    #expect(Self.contract.isSubset(of: properties.keys))
    #expect(properties.keys == Set(Property.reported.map(\.rawValue)))
    for property in properties.keys {
      let report = try #require(properties[property])
      #expect(
        report.keys.isSuperset(of: ["preferred", "actual", "verdict", "reason"]), "\(property)")
      let isFine = report["verdict"] == .string("applied") || report["verdict"] == .string("unset")
      #expect((report["reason"] == .null) == isFine, "\(property): \(report)")
      #expect(
        (report["preferred"] == .null) == (report["verdict"] == .string("unset")), "\(property)")
    }
  }

  @Test func `nulls where there is nothing`() throws {
    let json = try encoded(state(nil, AudioMode()))
    for key in ["server", "profile", "holder", "capabilities", "resets", "reapplies"] {
      #expect(json[key] == .null, "\(key)")
    }
    for key in ["conflicts", "pins", "events", "notes"] { #expect(json[key] == .array([])) }
    #expect(json["route"] == .object(["inputs": .array([]), "outputs": .array([])]))
    #expect(json["scope"] == .string("server"))
    #expect(json["interrupted"] == .bool(false))
  }

  @Test func `a profile whose name looks like an option is no option in a command`() {
    var state = state(nil, AudioMode())
    state.profile = "-my talk"
    #expect(state.applyCommand == "apply -- '-my talk'")
    #expect(state.keepCommand == "apply --keep -- '-my talk'")
    state.profile = "my talk"
    #expect(state.keepCommand == "apply 'my talk' --keep")
  }

  @Test func `before any apply every verdict is unset, and the actual is given`() {
    let state = state(.laptop(), AudioMode())
    #expect(state.properties.values.allSatisfy { $0.verdict == .unset && $0.preferred == nil })
    #expect(!state.hasUnmet)
    let actual = state.properties.mapValues(\.actual)
    #expect(actual[.preferredInput] == .string(Server.microphone))
    #expect(actual[.inputPort] == .string("analog-input-internal-mic"))
    #expect(actual[.sampleRate] == .number(44100))
    #expect(actual[.channelMap] == .strings(["front-left", "front-right"]))
    #expect(actual[.inputMuted] == .flag(false))
    #expect(actual[.outputLatencyOffset] == .number(0))
  }

  @Test func `without a server every preference is pending and shows its value`() {
    let state = state(nil, Self.full)
    // The polar pattern is preferred in place of a channel map.
    for (property, report) in state.properties where property != .channelMap {
      #expect(report.verdict == .pending, "\(property)")
      #expect(report.reason == "no server answers", "\(property)")
      #expect(report.waitingFor == .server, "\(property)")
      #expect(report.actual == nil, "\(property)")
      #expect(report.preferred != nil, "\(property)")
    }
    #expect(state.hasUnmet)
  }

  @Test func `a state read back is the one that was written`() throws {
    var state = state(.laptop(), Self.full)
    state.holder = SessionState.Holder(pid: 42, name: "audiosession")
    state.resets = 1
    state.reapplies = 2
    state.conflicts = ["inputPort"]
    state.pins = [.init(device: "a", kind: "latency", latency: 0.01, sampleRate: 48000, held: true)]
    state.notes = ["left"]
    let data = try JSONEncoder().encode(state)
    #expect(try JSONDecoder().decode(SessionState.self, from: data) == state)
    let file = try JSON.encode(state)
    #expect(try JSON.decode(SessionState.self, from: file) == state)
  }

  @Test func `a newer program's state is read as far as it is known`() throws {
    var newer = state(.laptop(), AudioMode())
    newer.properties = [
      .inputGain: .unset(.string("loud")), .inputMuted: .unset(.string("half")),
    ]
    #expect(newer.inputGain.actual == nil && newer.inputMuted.actual == nil)
    #expect(newer.outputMuted.verdict == .unset)
    var text = String(decoding: try JSONCoding.JSON.encode(newer), as: UTF8.self)
    text = text.replacing("\"notes\":[]", with: "\"notes\":[],\"more\":1")
    let events = #""events":[{"time":"2026-01-02T03:04:05Z","event":"sung"}]"#
    text = text.replacing(#""events":[]"#, with: events)
    #expect(text.contains("sung"))
    #expect(try JSONCoding.JSON.decode(SessionState.self, from: Array(text.utf8)) == newer)
    for event in [
      #"{"event":"sung"}"#, #"{"event":"interruptionBegan","cause":"weather"}"#,
    ] {
      #expect(throws: DecodingError.self) {
        try JSONCoding.JSON.decode(SessionEvent.self, from: Array(event.utf8))
      }
    }
    let nameless = #"{"event":"conflict","what":[],"opponents":[]}"#
    #expect(
      try JSONCoding.JSON.decode(SessionEvent.self, from: Array(nameless.utf8))
        == .conflict("", opponents: [], until: nil))
  }

  @Test func `whole numbers are written whole, durations in seconds`() throws {
    let values: [(StateValue, String)] = [
      (.number(48000), "[48000]"), (.number(0.01), "[0.01]"), (.flag(true), "[true]"),
      (.string("a"), "[\"a\"]"), (.strings(["a", "b"]), "[[\"a\",\"b\"]]"), (.number(1), "[1]"),
    ]
    for (value, text) in values {
      let data = try JSONEncoder().encode([value])
      #expect(String(decoding: data, as: UTF8.self) == text)
      #expect(try JSONDecoder().decode([StateValue].self, from: data) == [value])
      let file = try JSON.encode([value])
      #expect(String(decoding: file, as: UTF8.self) == text)
      #expect(try JSON.decode([StateValue].self, from: file) == [value])
    }
  }

  // MARK: Verdicts

  @Test func `the category is applied where all its consequences hold`() throws {
    var server = Server.laptop()
    let mode = AudioMode(category: .record)
    #expect(server.reports(mode)[.category]?.verdict == .applied)
    try server.setDefault(.input, "\(Server.speakers).monitor")
    let elsewhere = server.reports(mode)[.category]
    #expect(elsewhere?.verdict == .overridden)
    #expect(elsewhere?.actual == nil)
    #expect(
      elsewhere?.reason
        == "the default is \(Server.speakers).monitor, not \(Server.microphone)")
    #expect(Server.laptop("output:analog-stereo").reports(mode)[.category]?.verdict == .overridden)
    #expect(SimulatedServer().reports(mode)[.category]?.waitingFor == .device)
    #expect(
      Server.laptop().reports(AudioMode(category: .soloAmbient)) { $0.isHeld = false }[.category]?
        .verdict == .pending)
  }

  @Test func `options that this version cannot do are named, the others in force`() {
    let report = Server.laptop().reports(
      preferring { $0.options = [.duckOthers, .mixWithOthers] }
    ) { $0.isHeld = false }[.options]
    #expect(report?.verdict == .pending)
    #expect(report?.actual == .strings(["mix-with-others"]))
    #expect(
      report?.reason
        == "'duck-others': other programs are silenced or lowered only while a process maintains "
        + "the session")
  }

  @Test func `somebody's port, input and map are overridden, with what stands there`() throws {
    var server = Server.laptop(jacks: ["analog-input-linein": .yes])
    server.addUSB()
    let mode = preferring {
      $0.preferredInput = [.name(Server.usb)]
      $0.inputPort = [.type(.mic)]
      $0.channelMap = .swap
    }
    try server.setDefault(.input, Server.microphone)
    let reports = server.reports(mode)
    #expect(
      reports[.preferredInput]?.reason
        == "the default is \(Server.microphone), not \(Server.usb)")
    #expect(reports[.channelMap]?.reason == "\(Server.microphone) is in use, not \(Server.usb)")
    server.addRemap(of: Server.usb, taking: ChannelMap([.frontRight, .frontLeft]))
    #expect(server.reports(mode)[.channelMap]?.verdict == .applied)
    #expect(server.reports(mode)[.preferredInput]?.verdict == .applied)
    try server.setDefault(.input, Server.microphone)
    #expect(
      server.reports(mode)[.channelMap]?.reason
        == "\(Server.microphone) is in use, not \(Server.usb)")
    let line = preferring { $0.inputPort = [.type(.lineIn)] }
    #expect(
      server.reports(line)[.inputPort]?.reason
        == "the port is analog-input-internal-mic, not analog-input-linein")
  }

  /// No server reports who set a value: only what was read is said.
  @Test func `a value has changed since it was set only if the session had set the other one`() {
    let server = Server.laptop()
    let microphone = server.snapshot.device(.input, named: Server.microphone)
    let gain = Volume(fraction: 0.6)
    let mode = preferring { $0.inputGain = gain }
    let now = "\(Server.microphone) is at \(microphone?.volume.loudest.description ?? "")"
    func reason(ours: Double?) -> String? {
      server.reports(mode) { input in
        guard let ours else { return }
        let entry = Baseline.Entry(
          setting: .volume(.input, device: Server.microphone), before: .absent,
          ours: .volume(ChannelVolumes(Volume(fraction: ours), channels: 2)), in: server.snapshot)
        input.baseline = Baseline(entries: [entry], serverCookie: server.snapshot.server.cookie)
      }[.inputGain]?.reason
    }
    #expect(reason(ours: nil) == now)
    #expect(reason(ours: 0.5) == now)
    #expect(reason(ours: 0.6) == now + ": it has changed since it was set")
  }

  // MARK: Route

  @Test func `the route is the hardware, and ours is the way`() throws {
    var server = Server.laptop()
    server.addRemap(of: Server.microphone, taking: ChannelMap([.frontRight]), as: .mono)
    let route = server.snapshot.route
    let input = try #require(route.inputs.first)
    #expect(input.name == Server.microphone)
    #expect(input.via == ["audiosession.input"])
    #expect(input.channelMap == [.frontRight])
    #expect(input.channels == 1)
    #expect(input.port == "analog-input-internal-mic")
    #expect(input.portType == .builtInMic)
    #expect(route.outputs.map(\.name) == [Server.speakers])
    #expect(route.outputs.first?.via == [])
    let data = try JSONEncoder().encode(route)
    #expect(try JSONDecoder().decode(Route.self, from: data) == route)
  }

  @Test func `a route may change because the machine slept, or has too few ends`() {
    let routes = (route(["a"]), route([]))
    #expect(
      RouteChangeReason.between(routes.0, routes.0, isOurs: false, hasSlept: true) == .wakeFromSleep
    )
    #expect(
      RouteChangeReason.between(routes.0, routes.1, isOurs: false, needs: [.output], hasSlept: true)
        == .noSuitableRouteForCategory)
  }

  @Test func `an end without a port writes nulls`() throws {
    let server = Server.machine { $0.addLoose(.input, "array") }
    let data = try JSON.encode(server.snapshot.route)
    let json = try JSON.decode(JSONValue.self, from: data)
    guard case .array(let inputs) = json["inputs"], let input = inputs.first else {
      Issue.record("no input")
      return
    }
    #expect(input["port"] == .null)
    #expect(input["portType"] == .null)
    #expect(input.keys.count == 8)
  }

  struct Change: CustomTestStringConvertible, Sendable {
    let before: [String]
    let now: [String]
    let reason: RouteChangeReason
    var testDescription: String { "\(before) → \(now)" }
  }

  @Test(arguments: [
    Change(before: ["a"], now: ["a"], reason: .routeConfigurationChange),
    Change(before: ["a"], now: ["a", "b"], reason: .newDeviceAvailable),
    Change(before: [], now: ["a"], reason: .newDeviceAvailable),
    Change(before: ["a", "b"], now: ["a"], reason: .oldDeviceUnavailable),
    Change(before: ["a"], now: [], reason: .noSuitableRouteForCategory),
    Change(before: ["a"], now: ["b"], reason: .override),
  ])
  func `why a route changed`(_ change: Change) {
    #expect(
      RouteChangeReason.between(route(change.before), route(change.now), isOurs: false)
        == change.reason)
    #expect(
      RouteChangeReason.between(route(change.before), route(change.now), isOurs: true)
        == .categoryChange)
  }

  @Test(arguments: [
    (["a", "b"], ["b"], RouteChangeReason.oldDeviceUnavailable),
    (["a"], ["a", "b"], .newDeviceAvailable),
    (["a", "b"], ["a", "b"], .override),
  ])
  func `why one took another's place`(
    _ before: [String], _ now: [String], _ reason: RouteChangeReason
  ) {
    #expect(
      RouteChangeReason.between(
        route(["a"]), route(["b"]), isOurs: false, present: (Set(before), Set(now))) == reason)
    // The session's own restoring is no other program's choice; a device that came or left is the cause.
    #expect(
      RouteChangeReason.between(
        route(["a"]), route(["b"]), isOurs: false, restored: ["b"],
        present: (Set(before), Set(now))) == (reason == .override ? .categoryChange : reason))
    // It was restored, and another program chose again before the session looked.
    #expect(
      RouteChangeReason.between(
        route(["a"]), route(["b"]), isOurs: false, restored: ["a"],
        present: (Set(before), Set(now))) == reason)
  }

  @Test("another rate is no other place, and a port or a device of ours is")
  func places() {
    let before = route(["a"])
    var (faster, ported, chained) = (before, before, before)
    faster.inputs[0].sampleRate = 48000
    ported.inputs[0].port = "mic"
    chained.inputs[0].via = ["audiosession.input"]
    #expect(before.hasPlaces(of: faster))
    for other in [ported, chained, route(["b"]), route([])] {
      #expect(!before.hasPlaces(of: other))
    }
  }

  private func route(_ names: [String]) -> Route {
    Route(
      inputs: names.map {
        RouteDevice(
          name: $0, description: "", port: nil, portType: nil, channels: 1, sampleRate: 1,
          channelMap: [.mono], via: [])
      })
  }

  @Test func `what a program prints of a state says what is in effect, and why not`() throws {
    var server = SimulatedServer.laptop()
    try server.setDefault(.input, SimulatedServer.microphone)
    let mode = preferring {
      $0.category = .playAndRecord
      $0.inputGain = Volume(fraction: 0.4)
    }
    let input = PlanInput(mode: mode, snapshot: server.snapshot)
    let plan = try Plan.make(input)
    #expect(plan.description.hasPrefix("volume of "), "\(plan)")
    #expect(Plan().description == "nothing to do")
    let state = SessionState(
      input: input, mode: mode, server: nil, profile: "talk", active: true)
    let lines = state.description.split(separator: "\n").map(String.init)
    #expect(lines[0] == "talk, active")
    #expect(
      lines[1] == "\(SimulatedServer.microphone) → \(SimulatedServer.speakers)", "\(lines)")
    #expect(lines[2] == "category: play-and-record: applied", "\(lines)")
    #expect(lines.contains { $0.contains("inputGain: ") && $0.contains(", preferred 0.4: ") })
    #expect(lines.count == 4, "\(lines)")
    #expect("\(StateValue.strings(["a", "b"])) \(StateValue.number(44100))" == "a, b 44100")
  }
}
