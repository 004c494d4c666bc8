import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// A stream on a remap whose master goes is killed, and a remap keeps its master running. So every
/// profile and rate change takes the remap away first and builds it again after.
@Suite struct BracketTests {
  private static let swap = ChannelMap([.frontRight, .frontLeft])

  private func swapping(_ change: (inout AudioMode) -> Void) -> AudioMode {
    var mode = preferring { $0.channelMap = .swap }
    change(&mode)
    return mode
  }

  private func laptop(_ profile: String = Server.duplex, isMuted: Bool = false) throws -> Server {
    var server = Server.laptop(profile, jacks: ["hdmi-output-0": .yes])
    server.addRemap(of: Server.microphone, taking: Self.swap)
    try server.edit(.input, "audiosession.input") { $0.isMuted = isMuted }
    return server
  }

  @Test func `a rate change takes the remap away and brings it back`() throws {
    let plan = try laptop().plan(swapping { $0.sampleRate = 48000 })
    #expect(
      plan.lines == [
        "2 server default source: audiosession.input → \(Server.microphone)",
        "2 audiosession.input channel map: front-right,front-left of \(Server.microphone) → none",
        "2 \(Server.microphone) sample rate: 44100 Hz → 48000 Hz",
        "6 audiosession.input channel map: none → front-right,front-left of \(Server.microphone)",
        "6 server default source: \(Server.microphone) → audiosession.input",
      ])
  }

  @Test func `a profile change does too, though the master stays`() throws {
    let plan = try laptop("input:analog-stereo").plan(swapping { $0.category = .playAndRecord })
    #expect(
      plan.lines == [
        "1 server default source: audiosession.input → \(Server.microphone)",
        "1 audiosession.input channel map: front-right,front-left of \(Server.microphone) → none",
        "1 alsa_card.pci profile: input:analog-stereo → \(Server.duplex)",
        "4 server default sink: none → \(Server.speakers) (deferred)",
        "6 audiosession.input channel map: none → front-right,front-left of \(Server.microphone)",
        "6 server default source: \(Server.microphone) → audiosession.input",
      ])
  }

  @Test func `a mute that somebody set on the remap is copied, lest the microphone opens`() throws {
    let server = try laptop(isMuted: true)
    let plan = try server.plan(swapping { $0.sampleRate = 48000 }) { $0.isExplicit = false }
    #expect(plan.lines.first == "2 \(Server.microphone) mute: off → on")
    #expect(plan.steps[0].isPermanent)
    var journal = Baseline()
    journal.record(plan.steps[0], in: server.snapshot)
    #expect(journal.entries == [], "a rollback must not unmute")
  }

  @Test func `a revert copies the mute as well`() throws {
    let plan = try laptop(isMuted: true).plan(AudioMode())
    #expect(
      plan.lines == [
        "6 \(Server.microphone) mute: off → on",
        "6 server default source: audiosession.input → \(Server.microphone)",
        "6 audiosession.input channel map: front-right,front-left of \(Server.microphone) → none",
      ])
  }

  @Test(arguments: [AudioMode(), preferring { $0.channelMap = .left }])
  func `a mute that a person set on the remap outlasts its mode`(_ next: AudioMode) throws {
    var (server, baseline) = try RestoreTests.applied(
      preferring {
        $0.channelMap = .swap
        $0.inputMuted = false
      })
    try server.edit(.input, "audiosession.input") { $0.isMuted = true }
    expectMute(true, after: [next, next], &server, &baseline)
  }

  /// Applies modes one after the other, and checks the microphone's mute after each.
  private func expectMute(
    _ isMuted: Bool, after modes: [AudioMode], _ server: inout SimulatedServer,
    _ baseline: inout Baseline
  ) {
    for mode in modes {
      var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
      run.input.baseline = baseline
      run.run()
      #expect(run.failure == nil, "\(run.trace)")
      (server, baseline) = (run.server, run.stored)
      #expect(
        server.snapshot.value(of: .mute(.input, device: Server.microphone)) == .flag(isMuted),
        "\(run.trace)")
    }
  }

  @Test func `a mode that unmutes the remap is reverted to the microphone as it was`() throws {
    var mode = preferring {
      $0.channelMap = .swap
      $0.inputMuted = false
    }
    var (server, baseline) = try RestoreTests.applied(mode)
    try server.edit(.input, "audiosession.input") { $0.isMuted = true }
    mode.channelMap = .left
    expectMute(false, after: [mode, AudioMode()], &server, &baseline)
  }

  @Test(arguments: [nil, false] as [Bool?])
  func `a mute that a holder copied is undone by neither a rollback nor a revert`(
    _ muted: Bool?
  ) throws {
    let server = try laptop("input:analog-stereo", isMuted: true)
    let mode = swapping {
      $0.category = .playAndRecord
      $0.inputMuted = muted
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.input.isExplicit = false
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    #expect(run.server.snapshot.card(named: "alsa_card.pci")?.activeProfile == Server.duplex)
    for baseline in [run.journal, run.stored] {
      var back = Run(run.server, PlanInput(mode: AudioMode(), snapshot: run.server.snapshot))
      back.input.baseline = baseline
      back.input.baseline.serverCookie = run.server.snapshot.server.cookie
      back.run()
      let snapshot = back.server.snapshot
      #expect(back.failure == nil, "\(back.trace)")
      #expect(snapshot.card(named: "alsa_card.pci")?.activeProfile == "input:analog-stereo")
      #expect(
        snapshot.value(of: .mute(.input, device: Server.microphone)) == .flag(true),
        "\(run.trace)\n\(back.trace)")
    }
  }

  @Test func `a default that is not the remap is not touched`() throws {
    var server = try laptop()
    server.addUSB()
    try server.setDefault(.input, Server.usb)
    let plan = try server.plan(AudioMode())
    #expect(
      plan.lines == [
        "6 audiosession.input channel map: front-right,front-left of \(Server.microphone) → none"
      ])
  }

  @Test func `a remap on another card is left alone by a profile change`() throws {
    var server = Server.machine {
      $0.addLaptop("input:analog-stereo")
      $0.addUSB()
    }
    server.addRemap(of: Server.usb, taking: Self.swap)
    let plan = try server.plan(
      swapping {
        $0.category = .playback
        $0.preferredInput = [.name(Server.usb)]
      })
    #expect(
      plan.lines == [
        "1 alsa_card.pci profile: input:analog-stereo → \(Server.duplex)",
        "4 server default sink: none → \(Server.speakers) (deferred)",
      ])
  }

  @Test func `an output remap is bracketed in the same way`() throws {
    var server = Server.laptop()
    server.addRemap(.output, of: Server.speakers, taking: .mono, as: .mono)
    let plan = try server.plan(
      preferring {
        $0.category = .playback
        $0.sampleRate = 48000
        $0.outputChannelMap = .mono
      })
    #expect(
      plan.lines == [
        "2 server default sink: audiosession.output → \(Server.speakers)",
        "2 audiosession.output channel map: all channels mixed of \(Server.speakers) → none",
        "2 \(Server.speakers) sample rate: 44100 Hz → 48000 Hz",
        "6 audiosession.output channel map: none → all channels mixed of \(Server.speakers)",
        "6 server default sink: \(Server.speakers) → audiosession.output",
      ])
  }

  // MARK: Remaps that are not as preferred

  @Test func `a remap of another map is replaced, with one default before and one after`() throws {
    var server = Server.laptop()
    server.addRemap(of: Server.microphone, taking: .mono, as: .mono)
    let plan = try server.plan(preferring { $0.channelMap = .swap })
    #expect(
      plan.lines == [
        "6 server default source: audiosession.input → \(Server.microphone)",
        "6 audiosession.input channel map: all channels mixed of \(Server.microphone) → none",
        "6 audiosession.input channel map: none → front-right,front-left of \(Server.microphone)",
        "6 server default source: \(Server.microphone) → audiosession.input",
      ])
  }

  @Test func `a remap whose stream is gone is nothing that could be preferred`() throws {
    var server = try laptop()
    server.removeStreams(.input) { $0.ownerModule != nil }
    #expect(
      try server.plan(preferring { $0.channelMap = .swap }).lines == [
        "6 server default source: audiosession.input → \(Server.microphone)",
        "6 audiosession.input channel map: audiosession.input → none",
        "6 audiosession.input channel map: none → front-right,front-left of \(Server.microphone)",
        "6 server default source: \(Server.microphone) → audiosession.input",
      ])
    #expect(
      try server.plan(AudioMode()).lines == [
        "6 audiosession.input channel map: audiosession.input → none"
      ])
  }

  @Test func `a remap that floated to another master is where it is, not where it was told`() throws
  {
    var server = try laptop()
    server.addUSB()
    let usb = try #require(server.snapshot.device(.input, named: Server.usb))
    server.editStreams(.input) { if $0.ownerModule != nil { $0.device = usb.index } }
    let plan = try server.plan(
      preferring {
        $0.channelMap = .swap
        $0.preferredInput = [.name(Server.microphone)]
      })
    #expect(
      plan.steps.filter { $0.setting == .chain(.input) }.map(\.to.description) == [
        "none", "front-right,front-left of \(Server.microphone)",
      ])
  }

  @Test func `a remap of an earlier run that is right is adopted`() throws {
    #expect(try laptop().plan(preferring { $0.channelMap = .swap }).isEmpty)
  }

  @Test func `a remap that is there twice is built once`() throws {
    var server = try laptop()
    server.addRemap(of: Server.microphone, taking: Self.swap)
    #expect(server.snapshot.chain.ownedDevices(.input).count == 2)
    var run = Run(
      server, PlanInput(mode: preferring { $0.channelMap = .swap }, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil)
    #expect(run.server.snapshot.chain.ownedDevices(.input).count == 1)
    #expect(run.server.snapshot.modules.count == 1)
  }

  @Test func `the input behind a remap of ours is the hardware, and ours never matches`() throws {
    let server = try laptop()
    #expect(server.snapshot.chain.defaultRoot(.input)?.name == Server.microphone)
    #expect(
      server.failure(preferring { $0.preferredInput = ["audiosession.input"] })?.code
        == .inputNotAvailable)
    #expect(
      try server.plan(
        preferring {
          $0.preferredInput = ["*"]
          $0.channelMap = .swap
        }
      ).isEmpty)
  }
}
