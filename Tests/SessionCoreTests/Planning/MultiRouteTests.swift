import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// The category `multi-route`: combined outputs are the link nearest to the hardware.
@Suite struct MultiRouteTests {
  private static func machine() -> SimulatedServer {
    Server.machine {
      $0.addLaptop()
      $0.addLoose(.output, "monitors")
    }
  }

  private static func both(_ change: (inout AudioMode) -> Void = { _ in }) -> AudioMode {
    preferring {
      $0.category = .multiRoute
      $0.preferredOutput = [.name(Server.speakers), "monitors"]
      change(&$0)
    }
  }

  @Test func `the preferred outputs are combined, and the default is written once`() throws {
    let plan = try Self.machine().plan(Self.both())
    #expect(
      plan.lines == [
        "6 audiosession.combined outputs: none → \(Server.speakers) and monitors",
        "6 server default sink: \(Server.speakers) → audiosession.combined",
      ])
    #expect(plan.unmet == [])
  }

  @Test func `the channel map is over them, the canceller over that`() throws {
    let plan = try Self.machine().plan(
      preferring {
        $0.category = .playAndRecord
        $0.mode = .voiceChat
        $0.outputChannelMap = .swap
      })
    #expect(!plan.lines.contains { $0.contains("combined") })
    let chain = try Self.machine().plan(
      Self.both {
        $0.outputChannelMap = .swap
      })
    #expect(
      chain.lines == [
        "6 audiosession.combined outputs: none → \(Server.speakers) and monitors",
        "6 audiosession.output channel map: none → "
          + "front-right,front-left of audiosession.combined",
        "6 server default sink: \(Server.speakers) → audiosession.output",
      ])
  }

  @Test func `with one output it is an error with the others, and nothing is planned`() throws {
    for prefer: [DeviceMatcher] in [["monitors"], ["monitors", "none.*"], ["default"]] {
      let failure = try #require(Self.machine().failure(Self.both { $0.preferredOutput = prefer }))
      #expect(failure.code == .categoryNotSupported && failure.property == "category")
      let advice = prefer.count > 1 ? "connect another" : "name two or more in output.prefer"
      #expect(failure.message.hasSuffix(advice), "\(failure)")
      #expect(
        failure.alternatives.contains { $0.contains("connected, but not asked for") }, "\(failure)")
    }
    #expect(
      Server.laptop().failure(AudioMode(category: .multiRoute))?.code == .categoryNotSupported)
    let tolerant = try Self.machine().plan(
      Self.both {
        $0.preferredOutput = ["monitors"]
        $0.onFailure = .bestEffort
      })
    #expect(tolerant.unmet.map(\.property) == [.category])
    #expect(!tolerant.lines.contains { $0.contains("combined") })
  }

  @Test func `without a list it is all that are plugged in`() throws {
    let plan = try Self.machine().plan(AudioMode(category: .multiRoute))
    #expect(plan.lines.first?.hasSuffix("\(Server.speakers) and monitors") == true, "\(plan.lines)")
  }

  @Test func `an output that goes, comes back, or is taken out of it`() throws {
    var run = Run(
      Self.machine(),
      PlanInput(mode: Self.both { $0.outputChannelMap = .swap }, snapshot: Server().snapshot))
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    let mode = run.input.mode
    #expect(run.server.reports(mode)[.category]?.verdict == .applied)
    #expect(run.server.snapshot.route.outputs.map(\.name) == [Server.speakers, "monitors"])
    #expect(
      run.server.snapshot.route.outputs.first?.via
        == ["audiosession.combined", "audiosession.output"])
    let link = try #require(
      run.server.snapshot.sinkInputs.last { $0.ownerModule != nil && $0.channelMap == .stereo })
    run.server.removeStreams(.output) { $0.index == link.index }
    #expect(run.server.reports(mode)[.category]?.verdict == .overridden)
    var again = Run(run.server, run.input)
    again.run()
    #expect(again.failure == nil, "\(again.trace)")
    #expect(again.server.reports(mode)[.category]?.verdict == .applied)
  }

  @Test func `the second output, without ports, keeps a mute that a person gave it`() throws {
    let mode = Self.both { ($0.outputMuted, $0.outputPort) = (false, [.name("*")]) }
    var run = Run(Self.machine(), PlanInput(mode: mode, snapshot: Server().snapshot))
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    var server = run.server
    var charges = Charges()
    charges.take(
      [Server.speakers, "monitors"].map { .mute(.output, device: $0) }, in: server.snapshot)
    try server.edit(.output, "monitors") { $0.isMuted = true }
    charges.follow(server.snapshot)
    var input = PlanInput(mode: mode, snapshot: server.snapshot)
    (input.baseline, input.occasion, input.charges) = (run.stored, .upkeep, charges)
    #expect(try Plan.make(input).lines == [])
  }

  @Test func `an output that flaps is combined with no others`() throws {
    let server = Server.machine {
      $0.addLaptop()
      $0.addLoose(.output, "monitors")
      $0.addLoose(.output, "third")
    }
    var input = PlanInput(
      mode: Self.both { $0.preferredOutput = [.name(Server.speakers), "monitors", "third"] },
      snapshot: server.snapshot)
    input.unsteady = [.device("third")]
    #expect(
      try Plan.make(input).lines.first
        == "6 audiosession.combined outputs: none → \(Server.speakers) and monitors")
  }

  @Test func `while one of two is away the category waits for it`() throws {
    var run = Run(Self.machine(), PlanInput(mode: Self.both(), snapshot: Server().snapshot))
    run.run()
    var server = run.server
    server.remove(try #require(server.snapshot.device(.output, named: "monitors")))
    func kept(_ mode: AudioMode) -> PropertyReport? {
      var input = PlanInput(mode: mode, snapshot: server.snapshot)
      (input.baseline, input.occasion) = (run.stored, .upkeep)
      input.mode.onFailure = .bestEffort
      var upkeep = Run(server, input)
      upkeep.run()
      return upkeep.server.reports(mode) { $0.baseline = upkeep.stored }[.category]
    }
    let report = kept(run.input.mode)
    #expect(report?.verdict == .pending && report?.waitingFor == .device, "\(report as Any)")
    #expect(report?.reason?.hasSuffix("connect another") == true)
    let one = kept(Self.both { $0.preferredOutput = [.name(Server.speakers)] })
    #expect(one?.verdict == .unreachable, "\(one as Any)")
  }

  @Test func `where the server loads no modules the rest is applied`() throws {
    var server = Self.machine()
    server.deniesModules = true
    var run = Run(
      server,
      PlanInput(
        mode: Self.both { $0.outputVolume = Volume(fraction: 0.5) }, snapshot: server.snapshot)
    )
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    let reports = run.server.reports(run.input.mode) { $0.capabilities = run.input.capabilities }
    #expect(reports[.category]?.verdict == .refused)
    #expect(reports[.outputVolume]?.verdict == .applied)
  }

  @Test func `combined outputs that the server refused are reported with its reason`() {
    let report = Self.machine().reports(Self.both()) { $0.refusals = [.combination: "no memory"] }
    #expect(report[.category]?.verdict == .refused && report[.category]?.reason == "no memory")
  }

  @Test func `the preferred one of combined outputs that another program took out is put back`()
    throws
  {
    var run = Run(Self.machine(), PlanInput(mode: Self.both(), snapshot: Server().snapshot))
    run.run()
    let mode = run.input.mode
    let speakers = try #require(run.server.snapshot.device(.output, named: Server.speakers))
    run.server.removeStreams(.output) { $0.ownerModule != nil && $0.device == speakers.index }
    #expect(run.server.reports(mode)[.category]?.verdict == .overridden)
    // What programs play is still heard on the other one.
    #expect(run.server.snapshot.route.outputs.map(\.name) == ["monitors"])
    var again = Run(run.server, run.input)
    again.run()
    #expect(again.failure == nil, "\(again.trace)")
    #expect(again.server.reports(mode)[.category]?.verdict == .applied)
  }
}
