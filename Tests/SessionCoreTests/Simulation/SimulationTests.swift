import Foundation
import Testing

/// The shipped lock, its state machines and the shipped store, on a model of the system's calls.
///
/// A failure names its seed: `Simulation(seed:).run()` does the same again.
@Suite("Many lives on one disk")
struct SimulationTests {
  @Test("10,000 lives: one writer, nothing lost, whose turn it is goes on, nobody spins")
  func lives() throws {
    // A million by hand: AUDIOSESSION_LIVES=1000000.
    let most = ProcessInfo.processInfo.environment["AUDIOSESSION_LIVES"].flatMap { Int($0) }
    var (lives, seed) = (0, UInt64(1))
    while lives < most ?? 10_000 {
      let simulation = Simulation(seed: seed)
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

  @Test("what is not synced is missed after a power cut", arguments: Mutant.unsynced)
  func powerCuts(_ fault: Mutant.Fault) {
    var broken: String?
    for seed in UInt64(1)...3000 where broken == nil {
      do throws(Simulation.Broken) {
        try Simulation(seed: seed, seesDisk: false) { Mutant(base: $0, fault: fault) }.run()
      } catch {
        broken = error.rule
      }
    }
    #expect(
      broken?.hasPrefix("the power went") == true || broken?.hasPrefix("nothing leads") == true)
  }
}
