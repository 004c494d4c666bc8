import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// The levels of a device that arrives: the mode's when it is first used, a person's after that.
@Suite struct ArrivalTests {
  private static let level = Volume(fraction: 0.3)

  private static let mode = preferring {
    $0.preferredInput = [.name(Server.usb), .name(Server.microphone)]
    $0.inputGain = level
    $0.inputMuted = true
  }

  private func server(_ volume: Double = 1, isMuted: Bool = false) throws -> Server {
    var server = Server.laptop()
    server.addUSB()
    try server.setDefault(.input, Server.microphone)
    try server.edit(.input, Server.usb) {
      $0.volume = ChannelVolumes(Volume(fraction: volume), channels: 2)
      $0.isMuted = isMuted
    }
    return server
  }

  private func plan(_ server: Server, _ charges: Charges?) throws -> [String] {
    try server.plan(Self.mode) {
      $0.occasion = .upkeep
      $0.charges = charges
    }.lines
  }

  /// The charges after the device was used, was changed by a person, was unplugged, and is back.
  private func charges(_ volume: Double, isMuted: Bool, isBack: Bool) throws -> Charges {
    var charges = Charges()
    var server = try server(0.3, isMuted: true)
    let settings: [Setting] = [
      .volume(.input, device: Server.usb), .mute(.input, device: Server.usb),
    ]
    charges.take(settings, in: server.snapshot)
    try server.edit(.input, Server.usb) {
      $0.volume = ChannelVolumes(Volume(fraction: volume), channels: 2)
      $0.isMuted = isMuted
    }
    charges.follow(server.snapshot)
    if isBack {
      server.remove(try #require(server.snapshot.device(.input, named: Server.usb)))
      charges.follow(server.snapshot)
    }
    return charges
  }

  @Test func `a mute that the server lifts after the arrival belongs to it`() throws {
    var server = try server(0.3, isMuted: true)
    server.snapshot.server.name = "PulseAudio (on PipeWire 1.4.2)"
    var life = SessionLife<Int, AudioMode>()
    life.take(1, since: "now")
    life.held = Held(baseline: Baseline(), memory: HintMemory(), generation: 1)
    let mute = Setting.mute(.input, device: Server.usb)
    life.held?.charges.take([mute], in: server.snapshot, arrival: .zero)
    var rules = UpkeepRules()
    rules.noteLevels(&life, in: server.snapshot, at: .seconds(1))
    #expect(rules.news == [])
    try server.edit(.input, Server.usb) { $0.isMuted = false }
    rules.noteLevels(&life, in: server.snapshot, at: .seconds(2))
    #expect(rules.news == .otherDevices)
  }

  @Test func `levels come before the default`() throws {
    #expect(
      try plan(server(), Charges()) == [
        "4 \(Server.usb) volume: 100 % → 30 %", "4 \(Server.usb) mute: off → on",
        "4 server default source: \(Server.microphone) → \(Server.usb)",
      ])
  }

  @Test func `a device that the server itself made the default gets them first of all`() throws {
    var server = try server()
    try server.setDefault(.input, Server.usb)
    #expect(
      try plan(server, Charges()) == [
        "4 \(Server.usb) volume: 100 % → 30 %", "4 \(Server.usb) mute: off → on",
      ])
    // Where it is not known what was given, levels are left to people.
    #expect(try plan(server, nil) == [])
  }

  @Test func `what a person changed stands, and is restored after a replug`() throws {
    var server = try server(0.6)
    try server.setDefault(.input, Server.usb)
    #expect(try plan(server, charges(0.6, isMuted: false, isBack: false)) == [])
    #expect(try plan(server, charges(0.6, isMuted: false, isBack: true)) == [])
    #expect(
      try plan(server, charges(0.4, isMuted: true, isBack: true)) == [
        "4 \(Server.usb) volume: 60 % → 40 %", "4 \(Server.usb) mute: off → on",
      ])
    // Nothing but an apply unmutes an input.
    try server.edit(.input, Server.usb) { $0.isMuted = true }
    #expect(try plan(server, charges(0.6, isMuted: false, isBack: true)) == [])
  }

  @Test func `what a failed change left is no person's change`() throws {
    var server = try server(0.6)
    try server.setDefault(.input, Server.usb)
    var charges = try charges(0.6, isMuted: false, isBack: false)
    #expect(try plan(server, charges) == [])
    charges.forget([.volume(.input, device: Server.usb)])
    #expect(try plan(server, charges) == ["4 \(Server.usb) volume: 60 % → 30 %"])
  }

  /// A look of a holder at a server, which it changes.
  private func look(
    _ server: inout Server, _ mode: AudioMode, _ charges: inout Charges, _ baseline: inout Baseline,
    after event: (Step, inout Server) -> Void = { _, _ in }
  ) throws {
    var input = PlanInput(mode: mode, snapshot: server.snapshot)
    input.baseline = baseline
    var look = Reapply(
      input, .upkeep, onDisk: baseline, charges: charges, seen: ForeignChanges(),
      conflicts: ConflictDetector(), at: .zero)
    loop: while true {
      switch try look.run.next(isStopped: false, isLate: false) {
      case .read: try look.run.didRead(server.snapshot)
      case .save: try look.run.didSave(.success(()))
      case .check: look.run.didCheck(server.snapshot)
      case .run(let step):
        try server.run(step)
        look.run.didRun(.done(granted: nil), server.snapshot)
        event(step, &server)
      case .finish: break loop
      }
    }
    baseline = look.end().baseline
    charges = look.charges
  }

  /// WirePlumber shows the device at full volume first, and then restores what the session had set.
  @Test func `a level that is refused while a device arrives: the former one stays known`() throws {
    let level = Setting.volume(.input, device: Server.microphone)
    func value(_ fraction: Double) -> SettingValue {
      .volume(ChannelVolumes(Volume(fraction: fraction), channels: 2))
    }
    var server = Server.laptop(kind: .pipewire)
    let baseline = Baseline(
      entries: [.init(setting: level, before: value(0.8), ours: value(0.5), in: server.snapshot)],
      serverCookie: server.snapshot.server.cookie)
    try server.edit(.input, Server.microphone) { $0.volume = ChannelVolumes(.norm, channels: 2) }
    var input = PlanInput(
      mode: preferring { $0.inputGain = Self.level }, snapshot: server.snapshot)
    input.baseline = baseline
    var look = Reapply(
      input, .upkeep, onDisk: baseline, charges: Charges(), seen: ForeignChanges(),
      conflicts: ConflictDetector(), at: .zero)
    var refused = 0
    loop: while true {
      switch try look.run.next(isStopped: false, isLate: false) {
      case .read: try look.run.didRead(server.snapshot)
      case .save: try look.run.didSave(.success(()))
      case .check: look.run.didCheck(server.snapshot)
      case .run:
        refused += 1
        try look.run.didFail(SessionError(.refused, stage: .server, "refused"))
      case .finish: break loop
      }
    }
    #expect(refused == 1)
    #expect(look.end().baseline[level]?.isOurs(value(0.5)) == true)
  }

  @Test(arguments: [false, true])
  func `a device that is left and used again has the mode's levels again`(
    _ isWithinOneLook: Bool
  ) throws {
    let mode = preferring {
      $0.preferredInput = [.name(Server.usb), .name(Server.microphone)]
      $0.inputGain = Self.level
    }
    let level = Setting.volume(.input, device: Server.microphone)
    var server = Server.machine {
      $0.addLaptop()
      $0.addUSB()
    }
    server.unplug("alsa_card.usb")
    let before = server.snapshot.value(of: level)
    var (charges, baseline) = (Charges(), Baseline())
    try look(&server, mode, &charges, &baseline)
    let given = server.snapshot.value(of: level)
    #expect(given != before)
    server.plug("alsa_card.usb")
    var isRestored = false
    try look(&server, mode, &charges, &baseline) { step, server in
      guard step.setting == level, !isRestored else { return }
      isRestored = server.snapshot.value(of: level) == before
      if isWithinOneLook { server.unplug("alsa_card.usb") }
    }
    #expect(isRestored)
    if !isWithinOneLook {
      #expect(server.snapshot.value(of: level) == before)
      server.unplug("alsa_card.usb")
      try look(&server, mode, &charges, &baseline)
    }
    #expect(server.snapshot.value(of: level) == given)
  }

  @Test(arguments: [ServerKind.pulseaudio, .pipewire])
  func `what PipeWire restores a moment later is no person's change, once`(
    _ kind: ServerKind
  ) throws {
    var server = Server.laptop(kind: kind)
    let (mic, isGraph) = (Server.microphone, kind == .pipewire)
    let volume = Setting.volume(.input, device: mic)
    func set(_ fraction: Double) throws {
      try server.edit(.input, mic) {
        $0.volume = ChannelVolumes(Volume(fraction: fraction), channels: 2)
      }
    }
    var charges = Charges()
    try set(0.3)
    charges.take([volume], in: server.snapshot, arrival: .seconds(10))
    let mode = preferring { $0.inputGain = Self.level }
    for (time, fraction, isUndone) in [(11, 0.4, isGraph), (12, 0.5, false), (20, 0.6, false)] {
      try set(fraction)
      charges.follow(server.snapshot, at: .seconds(time))
      let steps = try server.plan(mode) {
        $0.occasion = .upkeep
        $0.charges = charges
      }.steps
      #expect(!steps.isEmpty == isUndone, "\(time)")
      if isUndone { try set(0.3) }
      charges.take([volume], in: server.snapshot, arrival: .seconds(time))
    }
  }

  /// The profile of a card that is added while it is off, after the session set it and was reverted.
  private func reverted(_ kind: ServerKind, after time: Duration) throws -> String? {
    var server = Server.laptop(kind: kind)
    var watch = ArrivalWatch()
    watch.note(server.snapshot, at: .zero)
    server.addUSB("off")
    if time > .zero {
      watch.note(server.snapshot, at: .seconds(1))
      watch.note(server.snapshot, at: .seconds(1) + time)
    }
    var input = PlanInput(mode: Self.mode, snapshot: server.snapshot)
    input.decidedCards = watch.decided
    input.occasion = .upkeep
    var look = Run(server, input)
    look.run()
    #expect(look.server.snapshot.device(.input, named: Server.usb) != nil, "\(look.trace)")
    var back = PlanInput(mode: AudioMode(), snapshot: look.server.snapshot)
    back.baseline = look.stored
    var reverting = Run(look.server, back)
    reverting.run()
    return reverting.server.snapshot.card(named: "alsa_card.usb")?.activeProfile
  }

  @Test func `a card that PipeWire shows while it is off is reverted to off only if it stays off`()
    throws
  {
    #expect(try reverted(.pipewire, after: .zero) == "input:analog-stereo")
    #expect(try reverted(.pipewire, after: .seconds(2)) == "input:analog-stereo")
    #expect(try reverted(.pipewire, after: Charges.settling) == "off")
    #expect(try reverted(.pulseaudio, after: .seconds(2)) == "off")
  }

  @Test func `each port is given them once`() throws {
    var server = Server.laptop(jacks: ["analog-output-headphones": .yes])
    let volume = Setting.volume(.output, device: Server.speakers)
    let mode = preferring { $0.outputVolume = Self.level }
    var charges = Charges()
    for port in ["analog-output-speaker", "analog-output-headphones"] {
      try server.edit(.output, Server.speakers) {
        $0.activePort = port
        $0.volume = ChannelVolumes(.norm, channels: 2)
      }
      for isFirst in [true, false] {
        let plan = try server.plan(mode) {
          $0.occasion = .upkeep
          $0.charges = charges
        }
        #expect(plan.lines == (isFirst ? ["4 \(Server.speakers) volume: 100 % → 30 %"] : []))
        charges.take([volume], in: server.snapshot)
      }
    }
  }

  @Test func `a port and its levels are taken one after the other`() throws {
    var server = Server.laptop(jacks: ["analog-input-linein": .yes])
    server.addUSB()
    try server.setDefault(.input, Server.usb)
    let mode = preferring {
      $0.preferredInput = [.name(Server.microphone)]
      $0.inputPort = [.type(.lineIn)]
      $0.inputGain = Self.level
    }
    let plan = try server.plan(mode)
    #expect(plan.lines.first?.hasPrefix("4 ") == true)
    #expect(plan.batch.map { $0.setting } == [.port(.input, device: Server.microphone)])
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil)
    // What each port had is known, and goes back before the port does.
    var back = Run(run.server, PlanInput(mode: AudioMode(), snapshot: run.server.snapshot))
    back.input.baseline = run.stored
    back.run()
    #expect(back.failure == nil)
    #expect(back.server.snapshot.fingerprint == server.snapshot.fingerprint, "\(back.trace)")
    #expect(back.server.remembered == server.remembered.merging(run.server.remembered) { $1 })
  }

  @Test func `after a jack event no port is put back`() throws {
    let speaker = SettingValue.name("analog-output-speaker")
    let port = Setting.port(.output, device: Server.speakers)
    let mode = preferring { $0.outputPort = [.name("analog-output-headphones"), .name("*")] }
    var server = Server.laptop(jacks: ["analog-output-headphones": .yes])
    try server.edit(.output, Server.speakers) { $0.activePort = "analog-output-speaker" }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.stored[port]?.before == speaker)
    #expect(
      try run.server.plan(AudioMode()) { $0.baseline = run.stored }.lines.contains {
        $0.contains("→ analog-output-speaker")
      })
    try run.server.edit(.output, Server.speakers) { device in
      for at in device.ports.indices where device.ports[at].name == "analog-output-headphones" {
        device.ports[at].availability = .no
      }
    }
    #expect(
      try !run.server.plan(AudioMode()) { $0.baseline = run.stored }.lines.contains {
        $0.contains("→ analog-output-speaker")
      })
  }

  @Test func `what a port was before is not read while the server has yet to follow a jack`() throws
  {
    let mode = preferring { $0.outputPort = [.name("analog-output-headphones"), .name("*")] }
    var server = Server.laptop(jacks: ["analog-output-headphones": .no])
    try server.edit(.output, Server.speakers) { $0.activePort = "analog-output-speaker" }
    var first = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    first.run()
    try first.server.edit(.output, Server.speakers) { device in
      for at in device.ports.indices where device.ports[at].name == "analog-output-headphones" {
        device.ports[at].availability = .yes
      }
    }
    var input = PlanInput(mode: mode, snapshot: first.server.snapshot)
    (input.baseline, input.occasion) = (first.stored, .upkeep)
    var second = Run(first.server, input)
    second.run()
    let device = second.server.snapshot.device(.output, named: Server.speakers)
    #expect(device?.activePort == "analog-output-headphones")
    #expect(
      try !second.server.plan(AudioMode()) { $0.baseline = second.stored }.lines.contains {
        $0.contains("→ analog-output-speaker")
      })
  }

  /// Nothing that belongs to a device may be loud, live or late for a moment.
  @Test func `every level of a device is set before the device is used`() throws {
    var properties: Set<Property> = []
    for seed in 0..<400 {
      var random = SeededRandom(seed: UInt64(seed))
      let server = random.machine()
      var mode = random.mode()
      mode.onFailure = .bestEffort
      for step in try server.plan(mode).steps {
        let setting = step.setting
        if setting.isLevel || setting.is(.ofPort) { properties.insert(step.property) }
      }
    }
    #expect(properties == Set(allAspects.filter(\.isSetBeforeUse).map(\.property)))
  }
}
