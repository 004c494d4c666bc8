import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

/// Idempotence as a property: for any mode and any machine, the plan after the plan is empty.
@Suite struct ConvergenceTests {
  static let blocks = SeedBlock.all(300)

  private static func kind(_ seed: UInt64) -> ServerKind { seed % 3 == 0 ? .pipewire : .pulseaudio }

  /// - Parameter body: returns whether the case changed a server.
  private func forEachCase(
    of block: SeedBlock, _ body: (UInt64, inout SeededRandom) -> Bool
  ) {
    var changes = 0
    for seed in block.seeds {
      var random = SeededRandom(seed: seed)
      if body(seed, &random) { changes += 1 }
    }
    // A planner that refuses everything would pass otherwise.
    #expect(changes > 0, "no case of \(block) changed anything")
  }

  @Test(arguments: blocks) func `any mode converges on any machine`(_ block: SeedBlock) {
    forEachCase(of: block) { seed, random in
      var server = random.machine(kind: Self.kind(seed))
      if random.one(in: 3) { random.addLeftover(to: &server) }
      server.deniesModules = random.one(in: 10)
      var run = Run(server, PlanInput(mode: random.mode(), snapshot: server.snapshot))
      run.input.isExplicit = !random.one(in: 4)
      run.run()
      #expect(run.failure == nil, "seed \(seed)\n\(run.trace)")
      if run.plans.count > 1 {
        #expect(run.refusal == nil, "seed \(seed): failed after the first write\n\(run.trace)")
      }
      // Without a microphone as the default, a mode that names no input means any there is: a profile
      // may bring a better one.
      let isVague =
        server.snapshot.defaultDevice(.input)?.isMonitor == true
        && run.input.mode.preferredInput == nil
      // A canceller that is loaded only while somebody records comes when a step brings a recorder.
      let isLoadedLater = run.input.mode.unloadsIdleEchoCanceller == true
      #expect(
        isVague || isLoadedLater || server.deniesModules
          || run.surprises(since: server.snapshot) == [],
        "seed \(seed)\n\(run.trace)")
      for plan in run.plans {
        #expect(
          plan.steps.map(\.phase) == plan.steps.map(\.phase).sorted(),
          "seed \(seed): out of order\n\(run.trace)")
      }
      guard run.refusal == nil else { return false }
      // The same mode once more, now with the baseline of the first time.
      var again = Run(run.server, run.input)
      again.input.baseline = run.stored
      again.run()
      #expect(again.plans.first?.lines == [], "seed \(seed)\n\(run.trace)\nagain\n\(again.trace)")
      // The state agrees with the plan: nothing is called overridden that the plan would not touch.
      let reports = run.server.reports(run.input.mode) { input in
        let snapshot = input.snapshot
        input = run.input
        input.snapshot = snapshot
      }
      for (property, report) in reports {
        let isFine = report.verdict == .applied || report.verdict == .unset
        #expect((report.reason == nil) == isFine, "seed \(seed): \(property) \(report)")
        // The plan asks only the properties that the mode sets for what it cannot meet.
        let isSet = property.row.isSet(run.input.mode)
        #expect(isSet || report.verdict == .unset, "seed \(seed): \(property) \(report)")
        let isProven = !report.readings.isEmpty || report.nothingToRead != nil
        #expect(
          report.verdict != .applied || isProven, "seed \(seed): \(property) \(report)")
      }
      expectReadings(of: run, seed)
      return run.plans.contains { !$0.isEmpty }
    }
  }

  /// Each step that counts as applied was read with its value, in the server's grain.
  private func expectReadings(of run: Run, _ seed: UInt64) {
    for result in run.loop.report where [.applied, .alreadySo].contains(result.outcome) {
      let (step, reading) = (result.step, result.reading)
      #expect(reading?.object == step.setting.object, "seed \(seed): \(result)\n\(run.trace)")
      guard case .number(let value)? = reading?.value,
        case .number(let asked)? = step.to.stateValue,
        let near = Self.near(asked, step.setting, run.server)
      else {
        #expect(reading?.value == step.to.stateValue, "seed \(seed): \(result)\n\(run.trace)")
        continue
      }
      #expect(near.contains(value), "seed \(seed): \(result)\n\(run.trace)")
    }
  }

  /// What counts as a value; nil if only itself does.
  private static func near(
    _ asked: Double, _ setting: Setting, _ server: SimulatedServer
  ) -> ClosedRange<Double>? {
    switch setting {
    case .latency where server.snapshot.has(.graphBuffer):
      // The nearest power of two, in frames.
      return asked / 1.5...asked * 4 / 3
    case .latency, .rate:
      // A frame.
      return asked - 1.0 / 44100...asked + 1.0 / 44100
    case .volume(_, let device):
      guard let count = server.volumeCounts[device] else { return nil }
      let most = min(asked, 1)
      let half = 0.5 / Double(count - 1)
      return most - half...most + half
    default: return nil
    }
  }

  @Test(arguments: blocks) func `a failed run is rolled back to what was`(_ block: SeedBlock) {
    forEachCase(of: block) { seed, random in
      let server = random.machine(kind: Self.kind(seed))
      let before = server.snapshot
      var run = Run(server, PlanInput(mode: random.mode(), snapshot: before))
      run.run(batches: random.int(in: 1...4))
      guard run.refusal == nil || run.plans.count > 0 else { return false }
      var back = Run(run.server, PlanInput(mode: AudioMode(), snapshot: run.server.snapshot))
      back.input.baseline = run.journal
      back.input.baseline.serverCookie = before.server.cookie
      back.input.memory = run.input.memory
      back.run()
      #expect(
        back.failure == nil && back.refusal == nil, "seed \(seed)\n\(run.trace)\n\(back.trace)")
      let differences = back.server.snapshot.fingerprint.difference(from: before.fingerprint)
      #expect(
        differences.isEmpty, "seed \(seed)\n\(differences)\nforth\n\(run.trace)\n\(back.trace)")
      // A device that the run chose does not become the default later.
      for direction in Direction.allCases {
        // No server can go back to none.
        guard let former = before.server.defaultName(direction) else { continue }
        let choice = back.server.configured[direction]
        let isOld = choice == former || choice == server.configured[direction]
        // A device that lost its port beside a monitor is the default with or without a choice.
        let isNone = choice.map { back.server.snapshot.device(direction, named: $0)?.canBeDefault }
        #expect(
          isOld || isNone == false || choice.map(Owned.isName) == true,
          "seed \(seed): \(choice ?? "none")\n\(run.trace)\n\(back.trace)")
      }
      return run.server.snapshot.fingerprint != before.fingerprint
    }
  }

  @Test(arguments: blocks)
  func `two modes, one after the other, and a revert restore what was`(_ block: SeedBlock) {
    forEachCase(of: block) { seed, random in
      let server = random.machine(kind: Self.kind(seed))
      let before = server.snapshot
      var first = Run(server, PlanInput(mode: random.mode(), snapshot: before))
      first.run()
      var second = Run(
        first.server, PlanInput(mode: random.mode(), snapshot: first.server.snapshot))
      second.input.baseline = first.stored
      second.input.memory = first.input.memory
      second.run()
      // A mode that cannot be applied leaves the first in effect.
      let last = second.refusal == nil ? second : first
      guard last.refusal == nil else { return false }
      var back = Run(last.server, PlanInput(mode: AudioMode(), snapshot: last.server.snapshot))
      back.input.baseline = last.stored
      back.input.memory = last.input.memory
      back.run()
      let traces = "\(first.trace)\n\(second.trace)\n\(back.trace)"
      #expect(second.failure == nil && back.failure == nil, "seed \(seed)\n\(traces)")
      #expect(back.refusal == nil, "seed \(seed)\n\(traces)")
      let differences = back.server.snapshot.fingerprint.difference(from: before.fingerprint)
      #expect(differences.isEmpty, "seed \(seed)\n\(differences)\n\(traces)")
      return last.server.snapshot.fingerprint != before.fingerprint
    }
  }
}
