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
  private static let late: [ModelMutant: UInt64] = [.undoesNothing: 1330, .forgetsUnplugged: 25]

  @Test("a session made wrongly is found on a model server", arguments: ModelMutant.allCases)
  func modelMutants(_ mutant: ModelMutant) {
    var broken: String?
    let first = Self.number("SEED").map(UInt64.init) ?? Self.late[mutant] ?? 1
    for seed in first...(first + 400) where broken == nil {
      do throws(Simulation.Broken) {
        try Simulation(seed: seed, on: .pulseaudio, mutant: mutant).run()
      } catch {
        broken = error.rule
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
      }
    }
    #expect(
      broken?.hasPrefix("the power went") == true || broken?.hasPrefix("nothing leads") == true)
  }
}
