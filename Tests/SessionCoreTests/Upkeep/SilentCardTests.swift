import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// A card whose device delivers nothing is switched off, and what that changed is undone.
@Suite struct SilentCardTests {
  private static let card = "alsa_card.pci"
  private static let swap = ChannelMap([.frontRight, .frontLeft])

  private func laptop() throws -> Server {
    var server = Server.laptop(Server.duplex, jacks: ["hdmi-output-0": .yes])
    server.addRemap(of: Server.microphone, taking: Self.swap)
    return server
  }

  private func off(_ server: Server, _ baseline: Baseline = Baseline()) -> Run {
    var input = PlanInput(mode: AudioMode(), snapshot: server.snapshot)
    input.baseline = baseline
    input.silentCards = [Self.card]
    return Run(server, input)
  }

  private func profile(_ server: Server) -> String? {
    server.snapshot.card(named: Self.card)?.activeProfile
  }

  @Test func `what stands on its devices goes first, and nothing else is planned`() throws {
    let plan = try Plan.make(off(laptop()).input)
    #expect(
      plan.lines == [
        "1 server default source: audiosession.input → \(Server.microphone)",
        "1 audiosession.input channel map: front-right,front-left of \(Server.microphone) → none",
        "1 alsa_card.pci profile: \(Server.duplex) → off",
      ])
    #expect(plan.claims == [])
  }

  @Test func `a card that cannot be switched off is left alone`() throws {
    var run = try off(laptop())
    for index in run.input.snapshot.cards.indices {
      run.input.snapshot.cards[index].profiles.removeAll(where: \.hasNoDevices)
    }
    #expect(try Plan.make(run.input).isEmpty)
  }

  /// Whether the session had set the profile itself or not.
  @Test(arguments: [false, true])
  func `a process that dies while it is off leaves what revert needs`(isOurs: Bool) throws {
    var server = try laptop()
    let before = isOurs ? "output:analog-stereo" : Server.duplex
    var baseline = Baseline()
    if isOurs {
      baseline.record(
        .cardProfile(card: Self.card), before: .name(before), ours: .name(Server.duplex))
    }
    var run = off(server, baseline)
    run.run()
    #expect(run.failure == nil && run.refusal == nil)
    server = run.server
    #expect(profile(server) == "off")
    // What is on disk, and another process.
    var input = PlanInput(mode: AudioMode(), snapshot: server.snapshot)
    input.baseline = run.loop.stored
    var revert = Run(server, input)
    revert.run()
    #expect(revert.failure == nil && revert.refusal == nil)
    #expect(profile(revert.server) == before)
  }
}
