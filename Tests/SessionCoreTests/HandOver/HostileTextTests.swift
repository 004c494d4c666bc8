import JSONCoding
import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

/// A line of a trace and a file of the store may hold any number: it is refused, or it survives all that is
/// done with it. A test that fails here ends the process: the seed is in its last line of output.
@Suite struct HostileTextTests {
  /// A plan's input on a random machine, with what a run left in it.
  private static func input(_ seed: UInt64) -> PlanInput {
    var random = SeededRandom(seed: seed)
    var server = random.machine(kind: random.pick([.pulseaudio, .pipewire]))
    random.addLeftover(to: &server)
    let mode = random.mode()
    var input = PlanInput(mode: mode, snapshot: server.snapshot)
    input.beginRun()
    var run = Run(server, input)
    run.run(batches: 1)
    input = run.input
    input.baseline = run.stored
    input.grants = run.server.grants
    for direction in Direction.allCases {
      for device in server.snapshot.hardware(direction) {
        input.grants[.latency(direction, device: device.name)] = .milliseconds(10)
      }
    }
    return input
  }

  private static func planning(_ seed: UInt64) -> TraceEntry {
    let input = input(seed)
    return TraceEntry(input, Result { () throws(SessionError) in try Plan.make(input) })
  }

  /// All that a session, a view or a diagnosis does with an input.
  private static func use(_ input: PlanInput) throws {
    try? input.mode.validate()
    var journal = input.journal
    let snapshot = input.snapshot
    if let plan = try? Plan.make(input) {
      for step in plan.steps {
        _ = "\(step.from.map(\.description) ?? "")\(step.to)\(step.setting.object)"
        journal.record(step, in: snapshot)
        journal.follow(step, in: snapshot)
      }
    }
    journal.settle(in: snapshot)
    var way = input
    way.mode = AudioMode()
    way.baseline = journal
    way.occasion = .asked
    _ = try? Plan.make(way)
    let state = SessionState(
      input: input, mode: input.mode, server: nil, profile: nil, active: true)
    // A level may have any number of microseconds, but none is infinite.
    let text = try JSON.encode(state)
    _ = try JSON.decode(SessionState.self, from: text)
    try use(state)
    var facts = MachineFacts()
    facts.snapshot = snapshot
    facts.state = state
    facts.baseline = input.baseline
    _ = Diagnosis(facts)
    for (property, report) in state.properties { _ = Explanation(property, report, facts) }
    _ = CapturedSetup(of: snapshot, current: input.mode, baseline: input.baseline)
    var charges = input.charges ?? Charges()
    charges.follow(snapshot)
    _ = input.baseline.pending(in: snapshot)
    _ = input.baseline.unrestored(in: snapshot)
  }

  /// What a command shows of a state that another process wrote.
  private static func use(_ state: SessionState) throws {
    for (property, report) in state.properties {
      for case .number(let number)? in [report.preferred, report.actual] {
        _ = property.row.unit.text(number)
      }
    }
  }

  private static func use(_ line: TraceLine) throws {
    _ = try JSON.encode(TraceLine(time: "", entry: line.entry.remade))
    switch line.entry {
    case .planned(let input, _), .unplannable(let input, _): try use(input)
    case .told, .ran, .event: break
    }
  }

  /// - Returns: how many of the texts were read.
  private static func read<Value: Decodable>(
    _ type: Value.Type, _ count: Int, _ base: (UInt64) throws -> [UInt8],
    _ use: (Value) throws -> Void
  ) throws -> Int {
    var read = 0
    for seed in 0..<UInt64(HostileTexts.count(count) / 25) {
      var texts = HostileTexts(try base(seed), seed: seed)
      for _ in 0..<25 {
        guard let value = try? JSON.decode(type, from: texts.next()) else { continue }
        read += 1
        try use(value)
      }
    }
    return read
  }

  /// What can be written for a number or a duration, and once ended the process.
  private static let absurd = [
    "[9223372036854775807,18446744073709551615]", "[-9223372036854775808,0]",
    "[500000000000,0]", "[-500000000000,7]", "9223372036854775807", "-9223372036854775808",
  ]

  @Test(arguments: ["latencyOffset", "configuredLatency", "_0", "sinkCount", "priority", "rate"])
  func `a value at the limits is refused, or survives what is done with it`(_ key: String) throws {
    var replaced = 0
    for seed in UInt64(0)..<6 {
      let line = TraceLine(time: "", entry: Self.planning(seed))
      let text = String(decoding: try JSON.encode(line), as: UTF8.self)
      for value in Self.absurd {
        let number = value.hasPrefix("[") ? #"\[-?[0-9]+,[0-9]+\]"# : "-?[0-9]+"
        let hostile = text.replacing(try Regex("\"\(key)\":\(number)"), with: "\"\(key)\":\(value)")
        if hostile != text { replaced += 1 }
        guard let line = try? JSON.decode(TraceLine.self, from: hostile.utf8) else { continue }
        try Self.use(line)
      }
    }
    #expect(replaced > 0, "'\(key)' is nowhere")
  }

  @Test func `no line of a trace ends a replay`() throws {
    let read = try Self.read(TraceLine.self, 300) { seed in
      try JSON.encode(TraceLine(time: "2026-11-22T10:00:00", entry: Self.planning(seed)))
    } _: { line in
      try Self.use(line)
    }
    #expect(read > 100)
  }

  @Test func `no baseline ends a plan`() throws {
    let read = try Self.read(Baseline.self, 600) { seed in
      try JSON.encode(Self.input(seed).baseline)
    } _: { baseline in
      var input = Self.input(3)
      input.baseline = baseline
      _ = try? Plan.make(input)
      _ = baseline.pending(in: input.snapshot)
      _ = baseline.unrestored(in: input.snapshot)
      _ = try JSON.encode(baseline)
    }
    #expect(read > 200)
  }

  @Test func `no status of a holder ends a command`() throws {
    let read = try Self.read(SessionState.self, 500) { seed in
      let input = Self.input(seed)
      var state = SessionState(
        input: input, mode: input.mode, server: nil, profile: "p", active: true)
      state.resets = 2
      state.reapplies = 3
      state.events = Self.events(state.route).map { TimedEvent(time: "t", event: $0) }
      return try JSON.encode(state)
    } _: { state in
      try Self.use(state)
      _ = try JSON.encode(state)
    }
    #expect(read > 100)
  }

  private static func events(_ route: Route) -> [SessionEvent] {
    [
      .applied, .routeChanged(.override, previous: route, current: route), .devicesChanged,
      .drift([.inputGain, .sampleRate]), .reapplied(.milliseconds(500)),
      .reapplyFailed(SessionError(.refused, stage: .server, "m", alternatives: ["a"])),
      .pending([Unmet(property: .inputPort, verdict: .pending, reason: "r")]), .serverLost,
      .serverReset(.milliseconds(250)), .interruptionBegan(.corkRequest),
      .interruptionBegan(.call(by: "phone")), .interruptionBegan(.deviceSuspended("mic")),
      .interruptionBegan(.takenOver(by: "watch")), .interruptionEnded(shouldResume: true),
      .conflict("volume", opponents: ["rival"], until: nil),
      .deviceStalled("mic", attempts: 3, isRevived: false), .stopped,
    ]
  }

  @Test func `an event is read as it was written`() throws {
    for event in Self.events(Self.input(1).snapshot.route) {
      #expect(try JSON.decode(SessionEvent.self, from: JSON.encode(event)) == event, "\(event)")
      let line = TraceLine(time: "t", entry: .event(event))
      #expect(try JSON.decode(TraceLine.self, from: JSON.encode(line)) == line)
    }
  }

  @Test func `no lock file and no mark says more than it can`() {
    var record = LockRecord()
    record = record.taken(
      by: LockRecord.Owner(pid: 4321, name: "audio session", isHolding: true),
      isRunning: { _ in true })
    record = record.released(by: 4321, to: 77)
    let mark = HolderMark(isClaim: false, process: 42, files: "unix%3A%2Frun", name: "watch").text
    var (texts, marks) = (
      HostileTexts(record.bytes, seed: 1), HostileTexts(Array(mark.utf8), seed: 1)
    )
    for _ in 0..<HostileTexts.count(1500) {
      let text = texts.next()
      let read = LockRecord(bytes: text)
      #expect(LockRecord(bytes: read.bytes) == read)
      #expect(read.bytes.count == LockRecord.length)
      let mark = HolderMark(String(decoding: marks.next(), as: UTF8.self))
      #expect((mark?.process ?? 1) > 0)
    }
  }
}
