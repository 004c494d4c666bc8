import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// The echo canceller is a link of both chains: under the input's remap, over the output's.
@Suite struct EchoTests {
  private static let swap = ChannelMap([.frontRight, .frontLeft])

  private func call(_ change: (inout AudioMode) -> Void = { _ in }) -> AudioMode {
    preferring {
      $0.category = .playAndRecord
      $0.mode = .voiceChat
      change(&$0)
    }
  }

  private static let canceller =
    "webrtc between \(Server.microphone) and \(Server.speakers)"

  @Test func `a call puts the canceller between the devices and the defaults at its ends`() throws {
    let plan = try Server.laptop().plan(call())
    #expect(
      plan.lines == [
        "6 audiosession.echo.input echo canceller: none → \(Self.canceller)",
        "6 server default source: \(Server.microphone) → audiosession.echo.input",
        "6 server default sink: \(Server.speakers) → audiosession.echo.output",
      ])
    #expect(plan.unmet == [])
  }

  @Test func `the output's remap is under it, the input's over it`() throws {
    let plan = try Server.laptop().plan(
      call {
        $0.channelMap = .swap
        $0.outputChannelMap = .swap
      })
    #expect(
      plan.lines == [
        "6 audiosession.output channel map: none → front-right,front-left of \(Server.speakers)",
        "6 audiosession.echo.input echo canceller: none → "
          + "webrtc between \(Server.microphone) and audiosession.output",
        "6 audiosession.input channel map: none → "
          + "front-right,front-left of audiosession.echo.input",
        "6 server default source: \(Server.microphone) → audiosession.input",
        "6 server default sink: \(Server.speakers) → audiosession.echo.output",
      ])
  }

  @Test func `where the profile is still to be set all of it is deferred`() throws {
    let plan = try Server.laptop("output:analog-stereo").plan(call { $0.channelMap = .swap })
    #expect(
      plan.steps.filter { $0.phase == .channelMap }.map(\.isDeferred) == [true, true, true, false])
  }

  @Test(arguments: [Mode.voiceChat, .videoChat])
  func `the mode is applied once the defaults are at the ends`(_ mode: Mode) throws {
    var run = Run(.laptop(), PlanInput(mode: call { $0.mode = mode }, snapshot: Server().snapshot))
    run.run()
    #expect(run.failure == nil && run.server.reports(run.input.mode)[.mode]?.verdict == .applied)
    try run.server.setDefault(.output, Server.speakers)
    let report = try #require(run.server.reports(run.input.mode)[.mode])
    #expect(report.verdict == .overridden)
    #expect(
      report.reason == "the echo canceller exists, and the default output is not on it")
    run.server.unload(Owned.echoRole, .input)
    #expect(
      run.server.reports(run.input.mode)[.mode]?.reason
        == "there is no echo canceller")
  }

  @Test func `a rate change takes the whole chain away, the farthest link first`() throws {
    var run = Run(
      .laptop(), PlanInput(mode: call { $0.channelMap = .swap }, snapshot: Server().snapshot))
    run.run()
    let plan = try run.server.plan(
      call {
        $0.channelMap = .swap
        $0.sampleRate = 32000
      })
    #expect(
      plan.steps.filter { $0.phase == .sampleRate }.map { "\($0.setting.object) \($0.to)" } == [
        "server \(Server.microphone)", "audiosession.input none", "server \(Server.speakers)",
        "audiosession.echo.input none", "\(Server.microphone) 32000 Hz",
      ])
  }

  @Test func `the canceller goes when the mode does, and a map that stays is built anew`() throws {
    var run = Run(
      .laptop(), PlanInput(mode: call { $0.channelMap = .swap }, snapshot: Server().snapshot))
    run.run()
    let before = run.server.snapshot
    #expect(
      before.chain.links(to: try #require(before.defaultDevice(.input))).map(\.name)
        == ["audiosession.echo.input", "audiosession.input"])
    var next = Run(run.server, run.input)
    next.input.mode = preferring { $0.channelMap = .swap }
    next.input.baseline = run.stored
    next.run()
    let now = next.server.snapshot
    #expect(now.chain.echoCanceller == nil)
    #expect(now.chain.remap(.input)?.master == Server.microphone)
    #expect(now.server.defaultSinkName == Server.speakers)
  }

  @Test func `a server that loads no modules refuses the mode and does the rest`() throws {
    var server = Server.laptop()
    server.deniesModules = true
    var run = Run(
      server, PlanInput(mode: call { $0.inputGain = .norm }, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil)
    let report = run.server.reports(run.input.mode) {
      $0.capabilities = run.input.capabilities
    }[.mode]
    #expect(report?.verdict == .refused)
    #expect(report?.reason == "the server does not let modules be loaded")
  }

  @Test func `a call in one direction is an error that says so`() throws {
    #expect {
      try AudioMode(category: .record, mode: .voiceChat).validate()
    } throws: { error in
      (error as? SessionError)?.message.contains("play-and-record") == true
    }
    #expect {
      try call { $0.echoCanceller = "web rtc" }.validate()
    } throws: { error in
      (error as? SessionError)?.property == "echoCanceller"
    }
  }

  @Test func `a monitor of ours has no root`() throws {
    var run = Run(.laptop(), PlanInput(mode: call(), snapshot: Server().snapshot))
    run.run()
    let monitor = try #require(
      run.server.snapshot.device(.input, named: "audiosession.echo.output.monitor"))
    #expect(run.server.snapshot.isOwned(monitor))
    #expect(run.server.snapshot.chain.root(of: monitor) == nil)
  }
}
