import Foundation
import PulseTypes
import Testing

/// The shipped lock, its state machines and the shipped store, on a model of the system's calls.
///
/// A failure names its seed: `Simulation(seed:).run()` does the same again.
@Suite("Many lives on one disk")
struct SimulationTests {
  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment["AUDIOSESSION_" + name].flatMap { Int($0) }
  }

  @Test("10,000 lives: one writer, nothing lost, whose turn it is goes on, nobody spins")
  func lives() throws {
    // A million by hand: AUDIOSESSION_LIVES=1000000.
    var (lives, seed) = (0, UInt64(1))
    while lives < Self.number("LIVES") ?? 10_000 {
      let simulation = Simulation(seed: seed)
      try simulation.run()
      lives += simulation.sessions.count
      seed += 1
    }
  }

  @Test(
    "lives on a model server: whatever happens to it, all converges and everything leads back",
    arguments: [ServerKind.pulseaudio, .pipewire], [false, true])
  func modelLives(_ kind: ServerKind, hasMoreFaults: Bool) throws {
    // A hundred thousand by hand: AUDIOSESSION_LIVES=100000; from a seed: AUDIOSESSION_SEED=17.
    var (lives, seed) = (0, Self.number("SEED").map(UInt64.init) ?? 1)
    while lives < Self.number("LIVES") ?? 60 {
      let simulation = Simulation(seed: seed, on: kind, hasMoreFaults: hasMoreFaults)
      try simulation.run()
      lives += simulation.sessions.count
      seed += 1
    }
  }

  @Test("the same seed gives the same history")
  func reproducible() throws {
    for seed in UInt64(1)...20 {
      let (first, second) = (Simulation(seed: seed), Simulation(seed: seed))
      try first.run()
      try second.run()
      #expect(first.history == second.history)
      #expect(first.history.count > 10)
    }
  }

  @Test("the sequential model refuses what cannot be one after the other")
  func sequence() {
    typealias Model = SequentialModel
    func broken(_ events: (inout Model) -> Void...) -> String? {
      var model = Model()
      for event in events { event(&model) }
      return model.broken
    }
    let take = { (process: Int32) in { (model: inout Model) in model.take(process) { _ in true } } }
    let give = { (to: Int32?) in { (model: inout Model) in model.release(1, to: to) } }
    let order = { (model: inout Model) in model.order(1, from: 2, to: 1, mode: 2) }
    let apply = { (mode: Int) in { (model: inout Model) in model.apply(mode, by: 1, for: 1) } }
    let answer = { (process: Int32) in { (model: inout Model) in model.answer(1, by: process) } }
    let learn = { (model: inout Model) in model.learn(1, 2) }
    #expect(broken(take(1), order, apply(2), answer(1), learn, give(nil), take(3)) == nil)
    #expect(broken(take(1), order, give(2), take(2), answer(1), learn) == nil)
    #expect(broken(take(1), take(2)) == "2 takes the lock of 1")
    #expect(broken(take(1), give(2), take(3)) == "3 takes the lock that was given to 2")
    #expect(broken(give(nil)) == "1 gives a lock that it has not")
    #expect(broken(take(1), order, order) == "2 gives order 1 after 1")
    #expect(broken(take(1), apply(2)) == "nobody gave order 1")
    #expect(broken(take(1), order, apply(3)) == "order 1 asks for 2, and 3 is applied")
    #expect(broken(take(1), order, give(nil), apply(2)) == "1 applies 2 without the lock")
    #expect(broken(take(1), order, answer(1), apply(2)) == "order 1 is carried out twice")
    #expect(broken(take(1), order, answer(1), answer(1)) == "order 1 is answered twice")
    #expect(broken(take(1), order, answer(3)) == "3 answers another's order 1")
    #expect(broken(order, answer(1)) == "1 answers order 1 and never had the lock")
    #expect(broken(take(1), order, learn) == "2 takes order 1 as answered, and nobody did")
  }

  @Test("what was wrong once, or could be, is found", arguments: Mutant.Fault.allCases)
  func mutants(_ fault: Mutant.Fault) {
    var broken: String?
    for seed in UInt64(1)...200 where broken == nil {
      do throws(Simulation.Broken) {
        try Simulation(seed: seed) { Mutant(base: $0, fault: fault) }.run()
      } catch {
        broken = error.rule
      }
    }
    #expect(broken != nil)
  }

  /// Where the search begins, for those that a search from 1 finds late.
  private static let late: [ModelMutant: UInt64] = [
    .undoesNothing: 1330, .forgetsUnplugged: 14, .seesNoRestart: 38, .leavesArrivals: 44,
    .blamesTimeOuts: 44,
  ]

  @Test("a session made wrongly is found on a model server", arguments: ModelMutant.allCases)
  func modelMutants(_ mutant: ModelMutant) {
    var broken: String?
    let first = Self.number("SEED").map(UInt64.init) ?? Self.late[mutant] ?? 1
    for seed in first...(first + 400) where broken == nil {
      do throws(Simulation.Broken) {
        try Simulation(seed: seed, on: .pulseaudio, mutant: mutant).run()
      } catch {
        broken = error.rule
        // It is the mutant's fault.
        #expect(throws: Never.self) { try Simulation(seed: seed, on: .pulseaudio).run() }
      }
    }
    #expect(broken != nil)
  }

  @Test("the same seed gives the same history on a model server")
  func modelReproducible() throws {
    for seed in UInt64(1)...4 {
      let kind = seed % 2 == 0 ? ServerKind.pulseaudio : .pipewire
      let (first, second) = (Simulation(seed: seed, on: kind), Simulation(seed: seed, on: kind))
      try first.run()
      try second.run()
      #expect(first.history == second.history)
    }
  }

  @Test("what is not synced is missed after a power cut", arguments: Mutant.unsynced)
  func powerCuts(_ fault: Mutant.Fault) {
    var broken: String?
    for seed in UInt64(1)...3000 where broken == nil {
      do throws(Simulation.Broken) {
        try Simulation(seed: seed, seesDisk: false) { Mutant(base: $0, fault: fault) }.run()
      } catch {
        broken = error.rule
        #expect(throws: Never.self) { try Simulation(seed: seed, seesDisk: false).run() }
      }
    }
    #expect(
      broken?.hasPrefix("the power went") == true || broken?.hasPrefix("nothing leads") == true)
  }
}
