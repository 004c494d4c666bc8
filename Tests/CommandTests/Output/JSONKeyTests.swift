import AudioSession
import Foundation
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import SessionCore
@testable import audiosession

/// The keys that programs of others read, literally: one that is missing, renamed or elsewhere fails.
@Suite("The keys of the JSON, and their order", .timeLimit(.minutes(10)))
struct JSONKeyTests {
  private static let properties = [
    "category", "mode", "options", "sampleRate", "ioBufferDuration", "preferredInput", "inputPort",
    "polarPattern", "inputOrientation", "channelMap", "inputGain", "inputMuted",
    "inputLatencyOffset", "preferredOutput", "outputPort", "outputCodec", "outputChannelMap",
    "outputVolume", "outputMuted", "outputLatencyOffset",
  ]
  private static let server = ["kind", "name", "version", "address"]
  private static let unmet = ["property", "verdict", "reason"]
  private static let step = [
    "phase", "name", "object", "property", "from", "to", "deferred", "why",
  ]
  private static let error = [
    "code", "message", "property", "value", "alternatives", "restored",
  ]
  static let events: [String: [String]] = [
    "applied": [],
    "routeChanged": ["reason", "previous", "current"],
    "devicesChanged": [],
    "drift": ["what"],
    "reapplied": ["seconds"],
    "reapplyFailed": ["error"],
    "pending": ["unmet"],
    "serverLost": [],
    "serverReset": ["seconds"],
    "interruptionBegan": ["cause", "by"],
    "interruptionEnded": ["shouldResume"],
    "conflict": ["what", "opponents", "until"],
    "deviceStalled": ["device", "attempts", "revived"],
    "stopped": [],
  ]
  private static let profile = """
    category = "record"
    sample-rate = 48000
    buffer-duration = "10 ms"
    [input]
    prefer = ["mic"]
    channel-map = "swap"
    gain = "80 %"
    """

  private func expectProperties(_ properties: OrderedJSON) {
    #expect(properties.keys == Self.properties)
    for name in Self.properties {
      let report = properties[name]
      var keys = ["preferred", "actual", "verdict", "reason"]
      if report["verdict"].text == "pending" { keys.append("waitingFor") }
      if report.keys.contains("held") { keys.append("held") }
      if report.keys.contains("absent") { keys.append("absent") }
      keys.append("readings")
      if report.keys.contains("nothingToRead") { keys.append("nothingToRead") }
      #expect(report.keys == keys, "\(name)")
    }
  }

  private func expectRoute(_ route: OrderedJSON) {
    #expect(route.keys == ["inputs", "outputs"])
    for end in route["inputs"].array + route["outputs"].array {
      #expect(
        end.keys == [
          "name", "description", "port", "portType", "channels", "sampleRate", "channelMap", "via",
        ])
    }
  }

  private func expectState(_ text: String, isHeld: Bool) {
    let state = OrderedJSON(text)
    #expect(
      state.keys == [
        "schema", "server", "active", "profile", "scope", "holder", "capabilities", "properties",
        "route", "interrupted", "resets", "reapplies", "conflicts", "pins", "processing", "events",
        "notes",
      ])
    #expect(state["server"].keys == Self.server)
    #expect(state["holder"].keys == (isHeld ? ["pid", "name", "since"] : []))
    #expect(
      state["capabilities"].keys == [
        "latencyReadback", "stickyProfiles", "moduleLoading", "roleModules",
      ])
    expectProperties(state["properties"])
    expectRoute(state["route"])
    #expect(!state["route"]["inputs"].array.isEmpty)
    #expect(state["pins"].array.isEmpty == !isHeld)
    for pin in state["pins"].array {
      #expect(pin.keys == ["device", "kind", "latency", "sampleRate", "held", "running"])
    }
    for event in state["events"].array { expectEvent(event) }
    #expect((state["resets"].text == "null") == !isHeld)
  }

  private func expectEvent(_ event: OrderedJSON) {
    let name = event["event"].text ?? ""
    #expect(event.keys == ["time", "event"] + (Self.events[name] ?? ["no such event"]), "\(name)")
    for route in [event["previous"], event["current"]] where !route.keys.isEmpty {
      expectRoute(route)
    }
  }

  @Test(
    "state, plan, apply and an error are the same on both servers", .pipewire,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func commands(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      try sandbox.write(profile: "test", Self.profile)
      try sandbox.write(profile: "missing", Profiles.missing)
      func json(_ arguments: String..., status: Int32 = 0) async throws -> String {
        let result = try await sandbox.capture(
          [builtProgram, "--timeout", "60s"] + arguments + ["--json"], timeout: .seconds(90))
        #expect(result.status == status, "\(arguments): \(result)")
        return result.standardOutput
      }
      expectState(try await json("state"), isHeld: false)
      let plan = OrderedJSON(try await json("plan", "test"))
      #expect(plan.keys == ["schema", "steps", "unmet", "left"])
      #expect(!plan["steps"].array.isEmpty)
      for step in plan["steps"].array { #expect(step.keys == Self.step) }
      for unmet in plan["unmet"].array { #expect(unmet.keys == Self.unmet) }

      let watching = try await Watching.start(sandbox, "test --json")
      expectState(try await json("state"), isHeld: true)
      #expect(try await watching.end() == 143)

      _ = try await json("revert")
      let apply = OrderedJSON(try await json("apply", "test"))
      #expect(apply.keys == ["schema", "steps", "properties", "unmet", "left", "notes"])
      #expect(!apply["steps"].array.isEmpty)
      for step in apply["steps"].array {
        let detail = step.keys.contains("detail") ? ["detail"] : []
        #expect(step.keys == Self.step + ["outcome"] + detail)
      }
      expectProperties(apply["properties"])
      let failure = OrderedJSON(try await json("apply", "missing", status: 78))
      #expect(failure.keys == ["schema", "error"])
      #expect(failure["error"].keys == Self.error)
    }
  }

  @Test(
    "what watch prints while a server restarts", .pipewire,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func watching(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      try sandbox.write(profile: "test", Self.profile)
      let watching = try await Watching.start(sandbox, "test --json")
      try await sandbox.resetMediaServices()
      #expect(try await watching.says("serverReset"))
      #expect(try await watching.end() == 143)
      let lines = try await watching.lines().map { OrderedJSON($0) }
      for line in lines { expectEvent(line) }
      let names = lines.compactMap { $0["event"].text }
      #expect(names.first == "applied" && names.last == "stopped", "\(names)")
      #expect(Set(names).isSuperset(of: ["serverLost", "drift", "reapplied", "serverReset"]))
    }
  }

  @Test("every event, on a line without white space")
  func everyEvent() throws {
    let error = SessionError(.refused, stage: .server, "no")
    let all: [SessionEvent] = [
      .applied, .routeChanged(.override, previous: Route(), current: Route()), .devicesChanged,
      .drift([.category]), .reapplied(.seconds(1)), .reapplyFailed(error),
      .pending([Unmet(property: .category, verdict: .pending, reason: "away")]), .serverLost,
      .serverReset(.seconds(2)), .interruptionBegan(.call(by: "phone")),
      .interruptionBegan(.corkRequest), .interruptionBegan(.deviceSuspended("mic")),
      .interruptionBegan(.takenOver(by: "watch")), .interruptionEnded(shouldResume: true),
      .conflict("volume", opponents: ["mixer"], until: nil),
      .deviceStalled("mic", attempts: 2, isRevived: true), .stopped,
    ]
    #expect(Set(all.map(\.name)) == Set(Self.events.keys))
    for event in all {
      let timed = TimedEvent(time: "2026-11-21T17:35:26.358Z", event: event)
      let line = try JSONText.encode(timed, isOneLine: true)
      #expect(line.hasPrefix("{\"time\":\"2026-11-21T17:35:26.358Z\",\"event\":\"\(event.name)\""))
      #expect(line.hasSuffix("}\n") && line.count { $0.isWhitespace } == 1)
      expectEvent(OrderedJSON(line))
      #expect(try JSONSchema("event").problems(of: JSONValue(line)) == [], "\(line)")
    }
  }

  @Test("the error of an event has all of its keys with Foundation's encoder, too")
  func foreignEncoder() throws {
    let event = SessionEvent.reapplyFailed(SessionError(.refused, stage: .server, "no"))
    let text = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
    for key in ["property", "value", "restored"] {
      #expect(text.contains("\"\(key)\":null"), "\(text)")
    }
  }

  @Test("what works on the sound, and pins of both kinds")
  func parts() throws {
    let processing = SessionState.Processing(
      kind: "echo-cancel", method: "webrtc", inUse: true, keepsRunning: [])
    #expect(
      OrderedJSON(try JSONText.encode(processing)).keys == [
        "kind", "method", "inUse", "keepsRunning",
      ])
    let pin = SessionState.Pin(
      device: "mic", kind: "rate", latency: nil, sampleRate: 48000, held: true)
    let text = try JSONText.encode(pin)
    #expect(
      OrderedJSON(text).keys == ["device", "kind", "latency", "sampleRate", "held", "running"])
    #expect(OrderedJSON(text)["latency"].text == "null")
  }
}
