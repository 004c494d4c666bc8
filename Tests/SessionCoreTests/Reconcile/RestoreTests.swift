import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// The baseline: what the former mode changed and the new one does not name goes back; what somebody
/// changed since is left and listed.
@Suite struct RestoreTests {
  static let mic = Server.microphone

  static func laptop() throws -> SimulatedServer {
    var server = Server.laptop(jacks: ["analog-input-linein": .yes])
    server.addUSB()
    try server.setDefault(.input, mic)
    for (direction, name) in [(Direction.input, mic), (.output, Server.speakers)] {
      try server.edit(direction, name) { $0.volume = ChannelVolumes(.norm, channels: 2) }
    }
    return server
  }

  /// The server after a mode, and the baseline that the store then has.
  static func applied(
    _ mode: AudioMode
  ) throws -> (server: SimulatedServer, baseline: Baseline) {
    let server = try laptop()
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    return (run.server, run.stored)
  }

  private static let full = preferring {
    $0.preferredInput = [.name(Server.usb)]
    $0.inputGain = Volume(fraction: 0.3)
    $0.inputMuted = true
    $0.outputVolume = Volume(fraction: 0.4)
    $0.channelMap = .swap
  }

  @Test func `a revert goes back to before, in the order of the phases`() throws {
    let (server, baseline) = try Self.applied(Self.full)
    let was = try #require(baseline[.volume(.input, device: Server.usb)]?.before)
    let plan = try server.plan(AudioMode()) { $0.baseline = baseline }
    #expect(plan.steps.map(\.phase) == plan.steps.map(\.phase).sorted())
    #expect(
      Set(plan.lines) == [
        "4 server default source: audiosession.input → \(Self.mic)",
        "6 audiosession.input channel map: front-right,front-left of \(Server.usb) → none",
        "7 \(Server.speakers) volume: 40 % → 100 %",
        "7 \(Server.usb) volume: 30 % → \(was)",
        "7 \(Server.usb) mute: on → off",
      ])
    #expect(plan.steps.allSatisfy { !$0.why.isEmpty })
    #expect(plan.left == [])
    var back = Run(server, PlanInput(mode: AudioMode(), snapshot: server.snapshot))
    back.input.baseline = baseline
    back.run()
    #expect(back.failure == nil)
    #expect(try back.server.snapshot.fingerprint == Self.laptop().snapshot.fingerprint)
  }

  @Test func `a device that goes with its card's profile has its levels back before`() throws {
    let server = Server.machine { $0.addBluetooth() }
    let mode = preferring {
      $0.category = .playAndRecord
      $0.options = [.allowBluetoothHFP]
      $0.preferredInput = ["bluez_source.*"]
      $0.inputGain = Volume(fraction: 0.33)
      $0.inputMuted = true
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    let gain = Setting.volume(.input, device: Server.headset)
    let before = try #require(run.stored[gain]?.before, "\(run.trace)")
    var back = Run(run.server, PlanInput(mode: AudioMode(), snapshot: run.server.snapshot))
    back.input.baseline = run.stored
    back.run()
    #expect(back.failure == nil, "\(back.trace)")
    #expect(
      Set(back.plans.first?.lines.prefix(2) ?? []) == [
        "1 \(Server.headset) volume: 33 % → \(before)", "1 \(Server.headset) mute: on → off",
      ], "\(back.trace)")
    #expect(back.server.snapshot.cards.first?.activeProfile == "a2dp_sink")
    let kept = back.server.remembered["\(Server.headset):headset-input"]
    #expect(kept.map(SettingValue.volume) == before)
  }

  @Test func `what the new mode does not name goes back, and what it names stays`() throws {
    let (server, baseline) = try Self.applied(Self.full)
    var next = Self.full
    next.outputVolume = nil
    let plan = try server.plan(next) { $0.baseline = baseline }
    #expect(plan.lines == ["7 \(Server.speakers) volume: 40 % → 100 %"])
    #expect(plan.steps.first?.property == .outputVolume)
    #expect(plan.steps.first?.why == "restored: its value before the session")
  }

  @Test func `the level of the session's own device goes with it`() throws {
    let mode = preferring {
      $0.channelMap = .swap
      $0.inputGain = Volume(fraction: 0.3)
    }
    let (applied, baseline) = try Self.applied(mode)
    var server = applied
    try server.edit(.input, "audiosession.input") {
      $0.volume = ChannelVolumes(Volume(fraction: 0.5), channels: 2)
    }
    var again = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    again.input.baseline = baseline
    again.run()
    #expect(again.plans.first?.lines == ["7 audiosession.input volume: 50 % → 100 %"])
    let own = Setting.volume(.input, device: "audiosession.input")
    #expect(again.stored[own] == nil)
    // A run that was cut short may have stored it.
    var stored = again.stored
    stored.record(
      own, before: .volume(ChannelVolumes(Volume(fraction: 0.5), channels: 2)),
      ours: .volume(ChannelVolumes(.norm, channels: 2)))
    var input = PlanInput(mode: AudioMode(), snapshot: again.server.snapshot)
    input.baseline = stored
    let change = ModeChange(input, to: .ended(forgets: false), wasInEffect: true)
    var back = Run(again.server, input)
    back.run()
    var ended = change
    ended.run = back.loop
    #expect(back.failure == nil && back.plans.first?.left == [], "\(back.trace)")
    #expect(ended.outcome.entries == [])
  }

  @Test func `what the server refuses to restore is kept, and the rest is restored`() throws {
    let (applied, baseline) = try Self.applied(Self.full)
    var server = applied
    let level = Setting.volume(.input, device: Server.usb)
    server.refuses = [level]
    var input = PlanInput(mode: AudioMode(), snapshot: server.snapshot)
    input.baseline = baseline
    var change = ModeChange(input, to: .ended(forgets: false), wasInEffect: true)
    var isDone = false
    while !isDone {
      switch try change.run.next(isStopped: false, isLate: false) {
      case .read: try change.run.didRead(server.snapshot)
      case .save: try change.run.didSave(.success(()))
      case .check: change.run.didCheck(server.snapshot)
      case .run(let step):
        do throws(SimulatedServer.Refusal) {
          try server.run(step)
          change.run.didRun(.done(granted: nil), server.snapshot)
        } catch {
          try change.run.didFail(SessionError(.refused, stage: .server, "no"))
        }
      case .finish: isDone = true
      }
    }
    #expect(change.outcome.entries.map(\.setting) == [level])
    #expect(change.refused.count == 1 && change.refused[0].contains("(no)"), "\(change.refused)")
    #expect(server.snapshot.device(.output, named: Server.speakers)?.volume.loudest == .norm)
    // The next revert restores it.
    server.refuses = []
    var next = PlanInput(mode: AudioMode(), snapshot: server.snapshot)
    next.baseline = change.outcome
    var back = Run(server, next)
    back.run()
    #expect(try back.server.snapshot.fingerprint == Self.laptop().snapshot.fingerprint)
  }

  @Test func `a mode takes effect although the server refuses to restore the one before`() throws {
    var (server, baseline) = try Self.applied(Self.full)
    let level = Setting.volume(.input, device: Server.usb)
    let own = Setting.volume(.output, device: Server.speakers)
    let mode = preferring { $0.outputVolume = Volume(fraction: 0.65) }
    // The second time the server restores it.
    for refused in [[level], []] as [Set<Setting>] {
      server.refuses = refused
      var input = PlanInput(mode: mode, snapshot: server.snapshot)
      input.baseline = baseline
      var run = Run(server, input)
      run.run()
      #expect(run.failure == nil, "\(run.trace)")
      var change = ModeChange(input, to: .inEffect, wasInEffect: true)
      change.run = run.loop
      (server, baseline) = (run.server, change.outcome)
      #expect(change.refused.count == refused.count, "\(change.refused)")
      #expect((baseline[level]?.isChange == true) == !refused.isEmpty)
      #expect(
        server.snapshot.value(of: own)
          == .volume(ChannelVolumes(Volume(fraction: 0.65), channels: 2)))
      #expect(server.snapshot.server.defaultSourceName == Self.mic)
    }
    // What the mode names must be set.
    server.refuses = [own]
    var next = Run(
      server,
      PlanInput(
        mode: preferring { $0.outputVolume = Volume(fraction: 0.2) }, snapshot: server.snapshot))
    next.input.baseline = baseline
    next.run()
    #expect(next.failure != nil)
  }

  @Test func `what somebody changed since is left and listed`() throws {
    let (applied, baseline) = try Self.applied(Self.full)
    var server = applied
    try server.edit(.output, Server.speakers) {
      $0.volume = ChannelVolumes(Volume(fraction: 0.7), channels: 2)
    }
    let plan = try server.plan(AudioMode()) { $0.baseline = baseline }
    #expect(!plan.steps.contains { $0.property == .outputVolume })
    #expect(
      plan.left == [
        "volume of \(Server.speakers) is 70 %, not the 40 % that was set; left as it is"
      ])
  }

  @Test func `a default that somebody chose since stays when the link is removed`() throws {
    let (applied, baseline) = try Self.applied(Self.full)
    var server = applied
    try server.setDefault(.input, Server.usb)
    var back = Run(server, PlanInput(mode: AudioMode(), snapshot: server.snapshot))
    back.input.baseline = baseline
    back.run()
    #expect(back.server.snapshot.chain.ownedDevices(.input).isEmpty)
    #expect(back.server.snapshot.server.defaultSourceName == Server.usb, "\(back.trace)")
    #expect(back.plans.first?.left.count == 1)
  }

  @Test func `a default whose device is unplugged does not return with it`() throws {
    let (applied, baseline) = try Self.applied(
      preferring { $0.preferredInput = [.name(Server.usb)] })
    var server = applied
    server.unplug("alsa_card.usb")
    #expect(server.snapshot.server.defaultSourceName == Self.mic)
    var back = Run(server, PlanInput(mode: AudioMode(), snapshot: server.snapshot))
    back.input.baseline = baseline
    back.run()
    #expect(back.failure == nil, "\(back.trace)")
    #expect(back.stored[.defaultDevice(.input)] == nil)
    back.server.plug("alsa_card.usb")
    #expect(back.server.snapshot.server.defaultSourceName == Self.mic, "\(back.trace)")
  }

  @Test func `a default that a person chose after the session's was unplugged stays`() throws {
    let (applied, baseline) = try Self.applied(
      preferring { $0.preferredInput = [.name(Server.usb)] })
    var server = applied
    server.addLoose(.input, "webcam")
    server.unplug("alsa_card.usb")
    try server.setDefault(.input, "webcam")
    let plan = try server.plan(AudioMode()) { $0.baseline = baseline }
    #expect(plan.lines == [])
    #expect(plan.left.contains { $0.contains("webcam") }, "\(plan.left)")
  }

  @Test func `only who asks now gets a microphone opened`() throws {
    let (server, baseline) = try Self.applied(preferring { $0.inputMuted = true })
    for isExplicit in [true, false] {
      let plan = try server.plan(AudioMode()) {
        $0.baseline = baseline
        $0.isExplicit = isExplicit
      }
      #expect(plan.lines == (isExplicit ? ["7 \(Self.mic) mute: on → off"] : []))
    }
    // A mode that was applied before is not asked for.
    let plan = try server.plan(AudioMode()) {
      $0.baseline = baseline
      $0.mayUnmute = false
    }
    #expect(plan.lines == [])
  }

  @Test func `a device or value that is gone is passed over`() throws {
    let baseline = Baseline(
      entries: [
        .init(setting: .defaultDevice(.input), before: .name("gone"), ours: .name(Self.mic)),
        .init(setting: .defaultDevice(.output), before: .absent, ours: .name(Server.speakers)),
        .init(
          setting: .volume(.input, device: "gone"), before: .volume(ChannelVolumes([])), ours: nil),
        .init(
          setting: .volume(.input, device: Self.mic),
          before: .volume(ChannelVolumes(.norm, channels: 6)),
          ours: .volume(ChannelVolumes(.norm, channels: 2))),
        .init(
          setting: .port(.input, device: Self.mic), before: .name("gone"),
          ours: .name("analog-input-internal-mic")),
        .init(
          setting: .cardProfile(card: "alsa_card.pci"), before: .name("gone"),
          ours: .name(Server.duplex)),
        .init(setting: .cardProfile(card: "gone"), before: .name("a"), ours: .name("b")),
        .init(setting: .mute(.input, device: "gone"), before: .flag(false), ours: .flag(true)),
        .init(
          setting: .chain(.input),
          before: .remap(
            RemapSpec(direction: .input, master: "gone", masterMap: .mono, map: .mono)),
          ours: .absent),
        .init(setting: .stream(.input, Index(9)), before: .name(Self.mic), ours: nil),
      ], serverCookie: 77)
    let plan = try Self.laptop().plan(AudioMode()) { $0.baseline = baseline }
    #expect(plan.lines == [])
    #expect(
      plan.left == [
        "gone is unplugged: it is the default source again when it returns, or by 'revert' then",
        "gone is unplugged: its profile and gain are restored when it returns, or by 'revert' then",
        "gone is unplugged: its mute is restored by 'revert' when it returns",
      ])
    // Nobody asked.
    #expect(
      try Self.laptop().plan(AudioMode()) {
        $0.baseline = baseline
        $0.occasion = .upkeep
      }.left == [])
  }

  @Test func `what is left of a revert is what is away`() throws {
    let (applied, baseline) = try Self.applied(Self.full)
    var server = applied
    server.remove(try #require(server.snapshot.device(.input, named: Server.usb)))
    server.snapshot.cards.removeAll { $0.name == "alsa_card.usb" }
    let pending = baseline.pending(in: server.snapshot)
    #expect(
      Set(pending.entries.map(\.setting)) == [
        .volume(.input, device: Server.usb), .mute(.input, device: Server.usb),
      ])
    // It is back with what the session had set: that is undone, but nothing unmutes an input unasked.
    let plan = try applied.plan(AudioMode()) {
      $0.baseline = pending
      $0.occasion = .upkeep
    }
    #expect(plan.steps.contains { $0.setting == .volume(.input, device: Server.usb) })
    #expect(!plan.steps.contains { $0.setting == .mute(.input, device: Server.usb) })
    var back = applied
    try back.edit(.input, Server.usb) {
      if case .volume(let volume)? = pending.entries.first?.before { $0.volume = volume }
    }
    let rest = pending.unrestored(in: back.snapshot)
    #expect(rest.entries.map(\.setting) == [.mute(.input, device: Server.usb)])
  }

  @Test func `what the mode names is known as it was, whether or not it needs a step`() throws {
    let server = try Self.laptop()
    let mode = preferring {
      $0.preferredInput = [.name(Self.mic)]
      $0.inputGain = .norm
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.plans.first?.steps == [])
    #expect(
      Set(run.stored.entries.map(\.setting)).isSuperset(of: [
        .defaultDevice(.input), .volume(.input, device: Self.mic),
      ]))
    // A rival changes both; they are healed, and what it made of them is no value of before.
    try run.server.setDefault(.input, Server.usb)
    try run.server.edit(.input, Self.mic) {
      $0.volume = ChannelVolumes(Volume(fraction: 0.2), channels: 2)
    }
    var input = PlanInput(mode: mode, snapshot: run.server.snapshot)
    (input.baseline, input.occasion, input.mode.gainLock) = (run.stored, .upkeep, true)
    var heal = Run(run.server, input)
    heal.run()
    #expect(heal.plans.first?.steps.count == 2)
    #expect(heal.stored.isSameInStore(as: run.stored))
    #expect(heal.stored.entries.allSatisfy { $0.ours == $0.before })
  }

  @Test func `a rate of before that is blocked is left with its reason, not asked for ever`() throws
  {
    let (applied, baseline) = try Self.applied(preferring { $0.sampleRate = 48000 })
    var server = applied
    server.add(stream: "mumble", .input, on: Self.mic)
    let plan = try server.plan(AudioMode()) { $0.baseline = baseline }
    #expect(plan.lines == [])
    #expect(plan.left == ["\(Self.mic) stays at 48000 Hz until mumble stops"])
  }

  @Test func `a rate that was blocked is kept, and restored when its stream has ended`() throws {
    let (applied, baseline) = try Self.applied(preferring { $0.sampleRate = 48000 })
    var server = applied
    let rate = Setting.rate(.input, device: Self.mic)
    let before = try #require(baseline[rate]?.before)
    server.add(stream: "mumble", .input, on: Self.mic)
    server.updateStates()
    var input = PlanInput(mode: AudioMode(), snapshot: server.snapshot)
    input.baseline = baseline
    let change = ModeChange(input, to: .ended(forgets: false), wasInEffect: true)
    var back = Run(server, input)
    back.run()
    var ended = change
    ended.run = back.loop
    #expect(ended.outcome[rate]?.before == before)
    back.server.removeStreams(.input) { $0.properties["application.name"] == "mumble" }
    back.server.updateStates()
    var later = PlanInput(mode: AudioMode(), snapshot: back.server.snapshot)
    later.baseline = ended.outcome
    ended = ModeChange(later, to: .ended(forgets: false), wasInEffect: true)
    var last = Run(back.server, later)
    last.run()
    ended.run = last.loop
    #expect(last.server.snapshot.value(of: rate) == before, "\(last.trace)")
    #expect(ended.outcome.entries == [])
  }

  @Test func `a stream's place means nothing on another run of the server`() throws {
    var server = try Self.laptop()
    let stream = server.add(stream: "mumble", .input, on: Server.usb)
    let entry = Baseline.Entry(
      setting: .stream(.input, stream), before: .name(Self.mic), ours: .name(Server.usb))
    let same = Baseline(entries: [entry], serverCookie: 77)
    let other = Baseline(entries: [entry], serverCookie: 76)
    #expect(try server.plan(AudioMode()) { $0.baseline = same }.steps.count == 1)
    #expect(try server.plan(AudioMode()) { $0.baseline = other }.steps == [])
  }

  @Test func `the first value before us stays through every later change`() {
    var baseline = Baseline()
    let setting = Setting.mute(.input, device: "a")
    baseline.record(setting, before: .flag(false), ours: .flag(true))
    baseline.record(setting, before: .flag(true), ours: .flag(false))
    #expect(
      baseline.entries == [.init(setting: setting, before: .flag(false), ours: .flag(false))])
  }

  @Test func `what is as it was before is no change at all`() throws {
    let server = try Self.laptop()
    var baseline = Baseline()
    baseline.record(
      .mute(.input, device: Self.mic), before: .flag(false), ours: .flag(false))
    baseline.record(.volume(.input, device: Self.mic), before: .absent, ours: nil)
    baseline.settle(in: server.snapshot)
    #expect(
      baseline.entries.map(\.ours) == [.volume(ChannelVolumes(.norm, channels: 2))])
    #expect(baseline.serverCookie == 77)
  }

  @Test func `what followed from a change goes back with it and not before`() throws {
    // The headphones have a volume of their own: it follows from the port.
    var server = Server.laptop(jacks: ["analog-output-headphones": .yes])
    try server.edit(.output, Server.speakers) {
      $0.activePort = "analog-output-speaker"
      $0.volume = ChannelVolumes(.norm, channels: 2)
    }
    let mode = preferring { $0.outputPort = [.type(.headphones)] }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    let volume = run.stored[.volume(.output, device: Server.speakers)]
    #expect(volume?.isConsequence == true)
    #expect(try run.server.plan(mode) { $0.baseline = run.stored }.isEmpty)
    #expect(
      try run.server.plan(AudioMode()) { $0.baseline = run.stored }.lines.first
        == "5 \(Server.speakers) port: analog-output-headphones → analog-output-speaker")
  }

  @Test func `a leftover of a crashed run was not there before the session`() throws {
    var server = try Self.laptop()
    server.addRemap(of: Self.mic, taking: .mono, as: .mono)
    var run = Run(
      server, PlanInput(mode: preferring { $0.channelMap = .swap }, snapshot: server.snapshot))
    run.run()
    var back = Run(run.server, PlanInput(mode: AudioMode(), snapshot: run.server.snapshot))
    back.input.baseline = run.stored
    back.run()
    #expect(back.failure == nil)
    #expect(back.server.snapshot.modules == [])
    #expect(back.server.snapshot.server.defaultSourceName == Self.mic)
  }

  // MARK: Best effort
}
