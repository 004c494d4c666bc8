import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Gain, mute, volume: of the hardware; no upkeep ever unmutes an input.
@Suite struct LevelTests {
  private static let mic = Server.microphone

  private func laptop(_ change: (inout Device) -> Void) throws -> Server {
    var server = Server.laptop()
    try server.edit(.input, Self.mic, change)
    return server
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let direction: Direction
    let isMuted: Bool
    let mode: Bool
    let occasion: Occasion
    var isLocked = false
    let lines: Int
    var testDescription: String {
      "\(direction) muted \(isMuted), preferred \(mode), \(occasion)\(isLocked ? ", locked" : "")"
    }
  }

  static let mutes = [
    Row(direction: .input, isMuted: false, mode: true, occasion: .asked, lines: 1),
    Row(direction: .input, isMuted: false, mode: true, occasion: .reset, lines: 1),
    // People turn levels: only a lock says that they may not.
    Row(direction: .input, isMuted: false, mode: true, occasion: .upkeep, lines: 0),
    Row(direction: .input, isMuted: false, mode: true, occasion: .upkeep, isLocked: true, lines: 1),
    Row(direction: .input, isMuted: true, mode: false, occasion: .asked, lines: 1),
    // The ones that matter.
    Row(direction: .input, isMuted: true, mode: false, occasion: .reset, lines: 0),
    Row(direction: .input, isMuted: true, mode: false, occasion: .upkeep, lines: 0),
    Row(direction: .input, isMuted: true, mode: false, occasion: .upkeep, isLocked: true, lines: 0),
    Row(direction: .output, isMuted: true, mode: false, occasion: .reset, lines: 1),
    Row(direction: .output, isMuted: true, mode: false, occasion: .upkeep, lines: 0),
  ]

  @Test(arguments: mutes) func `mute`(_ row: Row) throws {
    var server = Server.laptop()
    for (direction, name) in [(Direction.input, Self.mic), (.output, Server.speakers)] {
      try server.edit(direction, name) { $0.isMuted = row.isMuted }
    }
    let mode = preferring {
      $0.gainLock = row.isLocked
      if row.direction == .input { $0.inputMuted = row.mode } else { $0.outputMuted = row.mode }
    }
    #expect(try server.plan(mode) { $0.occasion = row.occasion }.lines.count == row.lines)
  }

  @Test func `a device becomes the default once the levels of its new port are known`() throws {
    var server = Server.machine {
      $0.addLaptop(jacks: ["analog-input-headset-mic": .yes])
      $0.addUSB()
    }
    try server.setDefault(.input, Server.usb)
    // The port in use happens to be as the mode asks; the other one may not be.
    try server.edit(.input, Self.mic) { $0.isMuted = true }
    let mode = preferring {
      $0.preferredInput = [.name(Self.mic)]
      $0.inputPort = [.type(.headsetMic)]
      $0.inputMuted = true
    }
    let plan = try server.plan(mode)
    #expect(plan.steps.count == 2, "\(plan.lines)")
    #expect(plan.batch.map(\.setting) == [.port(.input, device: Self.mic)], "\(plan.lines)")
  }

  @Test func `somebody's mute of an input is reported and left`() throws {
    let server = try laptop { $0.isMuted = true }
    let report = server.reports(preferring { $0.inputMuted = false })[.inputMuted]
    #expect(report?.verdict == .overridden)
    #expect(
      report?.reason
        == "\(Self.mic) is muted; the session unmutes it only when the profile is applied again")
    #expect(report?.actual == .flag(true))
  }

  @Test func `a muted remap mutes the input, and an explicit apply unmutes both`() throws {
    var server = try laptop { $0.isMuted = true }
    server.addRemap(of: Self.mic, taking: .mono, as: .mono)
    try server.edit(.input, "audiosession.input") { $0.isMuted = true }
    let mode = preferring {
      $0.channelMap = .mono
      $0.inputMuted = false
    }
    #expect(
      try server.plan(mode).lines == [
        "7 \(Self.mic) mute: on → off", "7 audiosession.input mute: on → off",
      ])
    #expect(try server.plan(mode) { $0.isExplicit = false }.isEmpty)
    try server.edit(.input, Self.mic) { $0.isMuted = false }
    #expect(server.reports(AudioMode())[.inputMuted]?.actual == .flag(true))
  }

  @Test func `a change of the route alone leaves levels, and gives a new port its own`() throws {
    let (speaker, headphones) = ("analog-output-speaker", "analog-output-headphones")
    let volume = Setting.volume(.output, device: Server.speakers)
    var server = Server.laptop(jacks: [headphones: .yes])
    try server.edit(.input, Self.mic) { $0.isMuted = true }
    try server.edit(.output, Server.speakers) {
      $0.activePort = headphones
      $0.volume = ChannelVolumes(Volume(fraction: 0.3), channels: 2)
    }
    let theirs = try #require(server.snapshot.value(of: volume))
    var mode = preferring {
      $0.inputMuted = false
      $0.outputPort = [.name(headphones)]
      $0.outputVolume = Volume(fraction: 0.5)
    }
    var charges = Charges()
    charges.take([.mute(.input, device: Self.mic), volume], in: server.snapshot)
    var input = PlanInput(mode: mode, snapshot: server.snapshot)
    (input.charges, input.mayUnmute) = (charges, false)
    #expect(try Plan.make(input).lines == [])
    // An apply sets them all.
    #expect(
      try Set(server.plan(mode).steps.map(\.setting)) == [volume, .mute(.input, device: Self.mic)])
    mode.outputPort = [.name(speaker)]
    input.mode = mode
    let steps = try Plan.make(input).steps
    #expect(steps.map(\.setting) == [.port(.output, device: Server.speakers), volume])
    // What is known of the other port stays known.
    var run = Run(server, input)
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    var change = ModeChange(input, to: .inEffect, wasInEffect: true)
    change.run = run.loop
    var life = SessionLife<Int, AudioMode>()
    life.take(1, since: "now")
    var rules = UpkeepRules()
    rules.end(
      change, mode, isInEffect: true, change.outcome, &life, generation: 1, at: .zero)
    #expect(life.held?.charges.charge(of: volume, port: headphones)?.value == theirs)
    #expect(
      life.held?.charges.charge(of: volume, port: speaker)?.value
        == .volume(ChannelVolumes(Volume(fraction: 0.5), channels: 2)))
    #expect(run.server.snapshot.device(.input, named: Self.mic)?.isMuted == true)
  }

  @Test func `the actual gain is the product over the chain`() throws {
    var server = try laptop { $0.volume = ChannelVolumes(Volume(fraction: 0.5), channels: 2) }
    server.addRemap(of: Self.mic, taking: .mono, as: .mono)
    let mode = preferring {
      $0.channelMap = .mono
      $0.inputGain = Volume(fraction: 0.5)
    }
    #expect(server.reports(mode)[.inputGain]?.verdict == .applied)
    try server.edit(.input, "audiosession.input") {
      $0.volume = ChannelVolumes(Volume(fraction: 0.5), channels: 1)
    }
    let report = server.reports(mode)[.inputGain]
    #expect(report?.actual == .number(0.25))
    #expect(report?.verdict == .overridden)
    #expect(report?.reason?.hasPrefix("the session's input before \(Self.mic)") == true)
    // Who applies again gets the level; a holder leaves it to the person who moved the slider.
    #expect(try server.plan(mode).lines == ["7 audiosession.input volume: 50 % → 100 %"])
    var input = PlanInput(mode: mode, snapshot: server.snapshot)
    input.occasion = .upkeep
    #expect(try Plan.make(input).steps == [])
    // Nor when the hardware is given its level again, as after a jack event.
    input.charges = Charges()
    #expect(try Plan.make(input).steps == [])
    input.mode.gainLock = true
    #expect(try Plan.make(input).steps.count == 1)
  }

  @Test func `a gain is set on every channel, and compared on every channel`() throws {
    let server = try laptop {
      $0.volume = ChannelVolumes([Volume(fraction: 0.8), Volume(fraction: 0.4)])
    }
    let mode = preferring { $0.inputGain = Volume(fraction: 0.8) }
    #expect(try server.plan(mode).lines == ["7 \(Self.mic) volume: 80 % / 40 % → 80 %"])
    #expect(
      server.reports(mode)[.inputGain]?.reason
        == "\(Self.mic) is at 80 % / 40 %")
  }

  @Test func `hardware with steps does not amplify: its last one is the nearest`() throws {
    var server = SimulatedServer.laptop(SimulatedServer.duplex, kind: .pipewire)
    let device = SimulatedServer.microphone
    server.volumeCounts[device] = 11
    try server.edit(.input, device) { $0.volumeSteps = SimulatedServer.volumeSteps(11) }
    let mode = preferring { $0.inputGain = Volume(fraction: 1.5) }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    let report = run.server.reports(mode) { $0 = run.input }[.inputGain]
    #expect(report?.verdict == .applied && report?.actual == .number(1), "\(report as Any)")
  }

  @Test(arguments: [43, 45, 40])
  func `the nearest volume that the hardware has is applied, kept and restored`(
    percent: Int
  ) throws {
    var server = SimulatedServer.laptop(SimulatedServer.duplex, kind: .pipewire)
    let device = SimulatedServer.microphone
    server.volumeCounts[device] = 11
    try server.edit(.input, device) {
      $0.volumeSteps = SimulatedServer.volumeSteps(11)
      $0.volume = ChannelVolumes(Volume(fraction: 0.7), channels: 2)
    }
    let before = server.snapshot
    let mode = preferring {
      $0.inputGain = Volume(fraction: Double(percent) / 100)
      $0.gainLock = true
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: before))
    run.run()
    #expect(run.failure == nil && run.plans.count == 2, "\(run.trace)")
    let report = run.server.reports(mode) { $0 = run.input }[.inputGain]
    #expect(report?.verdict == .applied && report?.actual == .number(0.4), "\(report as Any)")
    #expect(run.stored[.volume(.input, device: device)]?.ours?.description == "40 %")
    // What a killed process leaves on the disk has the volume that was asked for.
    let undone = try run.server.plan(AudioMode()) { $0.baseline = run.loop.onDisk }
    #expect(undone.left == [] && undone.lines.count == 1, "\(undone.left)")
    // Another one is not.
    try run.server.edit(.input, device) {
      $0.volume = ChannelVolumes(Volume(fraction: 0.6), channels: 2)
    }
    #expect(try run.server.plan(mode) { $0.occasion = .upkeep }.steps.count == 1)
    try run.server.edit(.input, device) {
      $0.volume = ChannelVolumes(Volume(fraction: 0.4), channels: 2)
    }
    var back = Run(run.server, PlanInput(mode: AudioMode(), snapshot: run.server.snapshot))
    back.input.baseline = run.stored
    back.run()
    #expect(back.plans.first?.left == [] && back.failure == nil, "\(back.trace)")
    #expect(back.server.snapshot.fingerprint == before.fingerprint)
  }

  @Test func `a latency offset needs a port of a card`() throws {
    let server = Server.machine { $0.addLoose(.input, "array") }
    let plan = try server.plan(preferring { $0.inputLatencyOffset = .milliseconds(5) })
    #expect(plan.steps == [])
    #expect(
      plan.unmetLines == [
        "inputLatencyOffset unreachable: the input has no port of a card to set it on"
      ])
  }

  @Test func `a port's latency offset is restored under the property of its direction`() throws {
    let server = Server.laptop()
    let card = try #require(server.snapshot.cards.first)
    for port in card.ports {
      let setting = Setting.latencyOffset(card: card.name, port: port.name)
      var run = Run(server, PlanInput(mode: AudioMode(), snapshot: server.snapshot))
      run.input.baseline = Baseline(
        entries: [
          .init(setting: setting, before: .duration(.milliseconds(9)), ours: .duration(.zero))
        ], serverCookie: server.snapshot.server.cookie)
      run.run()
      #expect(
        run.plans.first?.steps.map(\.property)
          == [.latencyOffset(port.direction)])
    }
    #expect(Set(card.ports.map(\.direction)) == [.input, .output])
  }

  @Test func `measurement wants nothing to touch the signal`() throws {
    let mode = preferring {
      $0.category = .record
      $0.mode = .measurement
    }
    let loud = try laptop { $0.volume = ChannelVolumes(.norm, channels: 2) }
    #expect(try loud.plan(mode).unmet == [])
    let quiet = try laptop { $0.volume = ChannelVolumes(Volume(fraction: 0.5), channels: 2) }
    #expect(
      try quiet.plan(mode).unmetLines == [
        "mode unreachable: the gain of \(Self.mic) is 50 %, not 100 %; "
          + "set input.gain = \"100 %\""
      ])
    let filtered = try laptop { $0.driver = "module-echo-cancel.c" }
    #expect(try filtered.plan(mode).unmet.first?.verdict == .unreachable)
  }

  @Test func `measurement is about the input, not about what is made of another one`() throws {
    let mode = preferring {
      $0.preferredInput = [.name(Self.mic)]
      $0.mode = .measurement
    }
    for origin in [Self.mic, Server.usb] {
      var server = Server.laptop()
      server.addUSB()
      try server.edit(.input, Self.mic) { $0.volume = ChannelVolumes(.norm, channels: 2) }
      try server.setDefault(.input, Self.mic)
      let from = try #require(server.snapshot.device(.input, named: origin))
      server.addLoose(.input, "clean")
      let at = try #require(server.snapshot.sources.firstIndex { $0.name == "clean" })
      server.snapshot.sources[at].ownerModule = Index(99)
      server.snapshot.modules.append(Module(index: Index(99), name: "module-virtual-source"))
      server.snapshot.sourceOutputs.append(
        Stream(
          direction: .input, index: Index(900), ownerModule: Index(99), device: from.index,
          sampleSpec: from.sampleSpec, channelMap: .stereo))
      let recorder = server.add(stream: "obs", .input, on: "clean")
      server.editStreams(.input) { if $0.index == recorder { $0.client = Index(5) } }
      #expect(
        try server.plan(mode).unmetLines
          == (origin == Self.mic
            ? [
              "mode unreachable: obs records clean, which is made by module-virtual-source"
            ] : []))
    }
  }

  @Test(arguments: [
    (Mode.gameChat, "game"), (.spokenAudio, "speech"), (.moviePlayback, "video"),
    (.videoRecording, "production"),
  ])
  func `a mode that is a role of the program's streams is never called applied`(
    _ mode: Mode, _ role: String
  ) throws {
    let plan = try Server.laptop().plan(AudioMode(category: .playAndRecord, mode: mode))
    #expect(plan.unmet.map(\.property) == [.mode])
    #expect(plan.unmet.first?.verdict == .unreachable)
    #expect(plan.unmet.first?.reason.contains("media.role = \"\(role)\"") == true)
  }
}
