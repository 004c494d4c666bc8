import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// What a device cannot give is told from what it granted, whether or not a process holds it.
@Suite struct DeviceLimitTests {
  struct Limit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let latencies: ClosedRange<Duration>?
    let asked: Duration
    /// What the device gives and not as asked; nil where it gives that.
    let given: String?
  }

  static let limits = [
    Limit(testDescription: "none", latencies: nil, asked: .milliseconds(10), given: nil),
    Limit(
      testDescription: "fixed", latencies: .milliseconds(100)...(.milliseconds(100)),
      asked: .milliseconds(10), given: "100 ms"),
    Limit(
      testDescription: "fixed, and as asked", latencies: .milliseconds(100)...(.milliseconds(100)),
      asked: .milliseconds(100), given: nil),
    Limit(
      testDescription: "fixed and shorter", latencies: .milliseconds(20)...(.milliseconds(20)),
      asked: .milliseconds(200), given: "20 ms"),
    Limit(
      testDescription: "a higher minimum", latencies: .milliseconds(50)...(.seconds(2)),
      asked: .milliseconds(10), given: "50 ms"),
    Limit(
      testDescription: "a lower maximum", latencies: .milliseconds(1)...(.milliseconds(40)),
      asked: .milliseconds(90), given: "40 ms"),
  ]

  private func device(_ direction: Direction) -> String {
    direction == .input ? Server.microphone : Server.speakers
  }

  private func mode(_ direction: Direction, _ asked: Duration) -> AudioMode {
    preferring {
      $0.category = direction == .input ? .record : .playback
      $0.ioBufferDuration = .duration(asked)
    }
  }

  /// A run to its end; a command's pins go then.
  private func done(_ server: SimulatedServer, _ mode: AudioMode, holds: Bool) throws -> Run {
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.input.holdsPins = holds
    run.run()
    guard !holds else { return run }
    for direction in Direction.allCases {
      for device in run.server.snapshot.devices(direction) {
        try run.server.pin(direction, device.name, .absent)
      }
    }
    run.server.updateStates()
    return run
  }

  private func buffer(_ run: Run) -> PropertyReport? {
    run.server.reports(run.input.mode) { input in
      input.holdsPins = run.input.holdsPins
      input.memory = run.input.memory
      input.grants = run.server.grants
    }[.ioBufferDuration]
  }

  @Test(arguments: limits, Direction.allCases)
  func `what a device gave decides, held or not`(_ limit: Limit, _ direction: Direction) throws {
    var server = Server.laptop()
    server.latencies[device(direction)] = limit.latencies
    server.updateStates()
    let mode = mode(direction, limit.asked)
    let reason = limit.given.map {
      "\(device(direction)) gives \($0) and not \(Words.milliseconds(limit.asked))"
    }
    for holds in [true, false] {
      let run = try done(server, mode, holds: holds)
      #expect(run.failure == nil, "\(run.trace)")
      let report = try #require(buffer(run))
      #expect(
        report.verdict == (reason != nil ? .unreachable : holds ? .applied : .pending),
        "\(report)")
      if reason == nil, !holds {
        #expect(report.reason?.hasPrefix("granted while applying (") == true, "\(report)")
        #expect(report.reason?.hasSuffix("each stream chooses its own; use --keep") == true)
      } else {
        #expect(report.reason == reason)
      }
      #expect(report.waitingFor == (reason == nil && !holds ? .holder : nil))
      // What is known is not tried again.
      var again = Run(run.server, run.input)
      again.run()
      #expect(again.plans.last?.lines == [], "\(again.trace)")
    }
  }

  @Test(arguments: limits, Direction.allCases)
  func `strict it fails once the device has been asked`(
    _ limit: Limit, _ direction: Direction
  ) throws {
    var server = Server.laptop()
    server.latencies[device(direction)] = limit.latencies
    server.updateStates()
    var mode = mode(direction, limit.asked)
    mode.strict = [.bufferDuration]
    for holds in [true, false] {
      let run = try done(server, mode, holds: holds)
      #expect(run.plans.count == (limit.given == nil ? 2 : 1), "\(run.trace)")
      #expect(run.refusal?.code == (limit.given == nil ? nil : .hintNotGranted))
    }
  }

  @Test func `a holder's word for a shorter buffer is taken as it is`() throws {
    var server = Server.laptop()
    server.latencies[Server.speakers] = .milliseconds(20)...(.milliseconds(20))
    try server.pin(.output, Server.speakers, .duration(.milliseconds(200)))
    server.updateStates()
    let report = server.reports(mode(.output, .milliseconds(200))) {
      $0.grants[.latency(.output, device: Server.speakers)] = .milliseconds(20)
    }[.ioBufferDuration]
    #expect(report?.reason == "\(Server.speakers) gives 20 ms and not 200 ms")
  }

  @Test func `what was never granted is not said to have been`() throws {
    let server = Server.laptop()
    let report = server.reports(mode(.input, .milliseconds(10))) { $0.holdsPins = false }
    #expect(report[.ioBufferDuration]?.verdict == .pending)
    #expect(
      report[.ioBufferDuration]?.reason
        == "no process holds it on \(Server.microphone), which was not asked for it yet")
  }

  @Test func `a shorter buffer that another stream asked for is no limit of the device`() throws {
    var server = Server.laptop()
    server.add(stream: "mumble", .output, on: Server.speakers, latency: .milliseconds(5))
    let run = try done(server, mode(.output, .milliseconds(50)), holds: true)
    #expect(buffer(run)?.verdict == .overridden)
    #expect(
      buffer(run)?.reason
        == "another stream asked for 5 ms; \(Server.speakers) is used by mumble")
  }

  @Test(arguments: SeedBlock.all(200)) func `on any machine`(_ block: SeedBlock) throws {
    for seed in block.seeds {
      var random = SeededRandom(seed: seed)
      var server = random.machine()
      for device in server.snapshot.sources + server.snapshot.sinks {
        let least = random.pick([Duration.microseconds(500), .milliseconds(25), .milliseconds(100)])
        server.latencies[device.name] = least...random.pick([least, max(least, .milliseconds(60))])
      }
      server.updateStates()
      let asked = random.pick([Duration.milliseconds(5), .milliseconds(50), .milliseconds(100)])
      let mode = mode(random.pick(Direction.allCases), asked)
      let run = try done(server, mode, holds: false)
      guard run.refusal == nil, let step = run.plans.flatMap(\.steps).last(where: \.setting.isHint)
      else { continue }
      // What a profile brought has no limit.
      let range = server.latencies[step.setting.object] ?? .microseconds(500)...(.seconds(2))
      let given = min(max(asked, range.lowerBound), range.upperBound)
      let report = try #require(buffer(run))
      #expect(
        report.verdict == (given == asked ? .pending : .unreachable), "seed \(seed): \(report)")
      #expect(
        given == asked || report.reason?.contains("gives \(Words.milliseconds(given)) ") == true,
        "seed \(seed): \(report)")
    }
  }

  @Test func `PipeWire's longest buffer is told without a holder, too`() throws {
    var mode = mode(.input, .seconds(1))
    let server = Server.laptop(kind: .pipewire)
    let run = try done(server, mode, holds: false)
    #expect(buffer(run)?.verdict == .unreachable)
    #expect(buffer(run)?.reason == "\(Server.microphone) gives 170.7 ms at most (8192 frames)")
    mode.strict = [.bufferDuration]
    #expect(try done(server, mode, holds: false).refusal?.code == .hintNotGranted)
  }
}
