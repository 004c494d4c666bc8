import JSONCoding
import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// What is owed of a device that is away because its card has another profile, which the session did not
/// choose.
@Suite struct ForeignProfileTests {
  private static let card = "alsa_card.usb"
  private static let gain = Setting.volume(.input, device: Server.usb)
  private static let before = level(0.3)
  private static let removed =
    "\(Server.usb) is not there while \(card) has the profile off: the device's gain is restored "
    + "when it returns, or by 'revert' then"

  private static let mode = preferring {
    $0.preferredInput = [.name(Server.usb)]
    $0.inputGain = Volume(fraction: 0.8)
  }

  private static func level(_ fraction: Double) -> SettingValue {
    .volume(ChannelVolumes(Volume(fraction: fraction), channels: 2))
  }

  /// A change that was made, and the server after it.
  private struct Made {
    var server: Server
    var change: ModeChange
    var plans: [Plan]

    /// What the store has then.
    var baseline: Baseline { change.outcome }
    /// What is listed for the user.
    var left: [String] { plans.first?.left ?? [] }

    /// The settings of devices that are kept.
    var owed: [Setting] {
      baseline.entries.map(\.setting).filter { $0.kind.device != nil }
    }
  }

  /// Makes a change: a mode takes effect, or the empty one ends the former.
  private static func make(
    _ mode: AudioMode, on server: Server, _ baseline: Baseline = Baseline(), forgets: Bool = false,
    wasInEffect: Bool = true
  ) -> Made {
    var input = PlanInput(mode: mode, snapshot: server.snapshot)
    input.baseline = baseline
    let goal: ModeChange.Goal = mode == AudioMode() ? .ended(forgets: forgets) : .inEffect
    var change = ModeChange(input, to: goal, wasInEffect: wasInEffect)
    var run = Run(server, change.run.input)
    run.run()
    #expect(run.failure == nil && run.refusal == nil, "\(run.trace)")
    change.run = run.loop
    return Made(server: run.server, change: change, plans: run.plans)
  }

  /// A laptop and a USB microphone, which is the default, at 30 %.
  private static func desk(_ kind: ServerKind = .pulseaudio) throws -> Server {
    var server = Server.machine(kind: kind) {
      $0.addLaptop()
      $0.addUSB()
    }
    try server.edit(.input, Server.usb) {
      $0.volume = ChannelVolumes(Volume(fraction: 0.3), channels: 2)
    }
    return server
  }

  /// The server after the mode, once another program has taken the microphone away, and the baseline.
  private static func taken(
    _ kind: ServerKind = .pulseaudio
  ) throws -> (server: Server, baseline: Baseline) {
    let applied = make(mode, on: try desk(kind), wasInEffect: false)
    var server = applied.server
    #expect(server.snapshot.value(of: gain) == level(0.8))
    try server.choose("off", of: card)
    return (server, applied.baseline)
  }

  @Test(arguments: [ServerKind.pulseaudio, .pipewire])
  func `it is kept and listed by each revert until it is back`(_ kind: ServerKind) throws {
    let (server, baseline) = try Self.taken(kind)
    var ended = Self.make(AudioMode(), on: server, baseline)
    for _ in 1...2 {
      #expect(ended.left.contains(Self.removed), "\(ended.left)")
      #expect(ended.owed == [Self.gain])
      ended = Self.make(AudioMode(), on: ended.server, ended.baseline, wasInEffect: false)
      #expect(ended.plans.first?.lines == [])
    }
    try ended.server.choose("input:analog-stereo", of: Self.card)
    #expect(ended.server.snapshot.value(of: Self.gain) == Self.level(0.8))
    let back = Self.make(AudioMode(), on: ended.server, ended.baseline, wasInEffect: false)
    #expect(back.server.snapshot.value(of: Self.gain) == Self.before)
    #expect(back.baseline.entries == [] && back.left == [], "\(back.left)")
  }

  @Test func `it can be forgotten`() throws {
    let (server, baseline) = try Self.taken()
    let ended = Self.make(AudioMode(), on: server, baseline, forgets: true)
    #expect(ended.change.forgotten == ["forgotten: gain of \(Server.usb)"])
    #expect(ended.baseline.entries == [])
  }

  @Test func `another mode restores it as a step of its plan, and lists it until then`() throws {
    let (server, baseline) = try Self.taken()
    let ended = Self.make(AudioMode(), on: server, baseline)
    let other = preferring { $0.preferredInput = [.name(Server.microphone)] }
    let first = Self.make(other, on: ended.server, ended.baseline, wasInEffect: false)
    #expect(first.left.contains(Self.removed), "\(first.left)")
    #expect(first.baseline[Self.gain]?.before == Self.before)
    var returned = first.server
    try returned.choose("input:analog-stereo", of: Self.card)
    let second = Self.make(other, on: returned, first.baseline)
    let steps = second.plans.first?.steps ?? []
    #expect(steps.contains { $0.setting == Self.gain && $0.to == Self.before })
    #expect(second.server.snapshot.value(of: Self.gain) == Self.before)
  }

  @Test func `a default that another profile has removed is said to be away with it`() throws {
    let mode = preferring { $0.preferredInput = [.name(Server.microphone)] }
    let applied = Self.make(mode, on: try Self.desk(), wasInEffect: false)
    var server = applied.server
    #expect(server.snapshot.server.defaultSourceName == Server.microphone)
    try server.choose("off", of: Self.card)
    let ended = Self.make(AudioMode(), on: server, applied.baseline)
    let note =
      "\(Server.usb) is not there while \(Self.card) has the profile off: the device is the "
      + "default source again when it returns, or by 'revert' then"
    #expect(ended.left.contains(note), "\(ended.left)")
  }

  @Test func `the second of two identical devices is no device of the first one's card`() throws {
    let card = try #require(try Self.desk().snapshot.card(named: Self.card))
    for (name, isItsOwn) in [
      ("alsa_input.usb.HiFi__Mic1__source", true), ("alsa_input.usb.pro-input-0", true),
      ("alsa_input.usb.2.analog-stereo", false), ("alsa_input.usb.analog-stereo.2", false),
      ("alsa_output.usb.pro-input-0", false),
    ] {
      #expect(card.isNamed(in: NamedDevice(direction: .input, name: name)) == isItsOwn, "\(name)")
    }
  }

  @Test func `what an earlier version has stored is as it was`() throws {
    var (server, baseline) = try Self.taken()
    #expect(baseline[Self.gain]?.profile == "input:analog-stereo")
    #expect(try JSON.decode(Baseline.self, from: try JSON.encode(baseline)) == baseline)
    for index in baseline.entries.indices { baseline.entries[index].profile = nil }
    let ended = Self.make(AudioMode(), on: server, baseline)
    #expect(ended.owed == [] && !ended.left.contains(Self.removed))
    // Its device may return before the revert.
    try server.choose("input:analog-stereo", of: Self.card)
    let back = Self.make(AudioMode(), on: server, baseline)
    #expect(back.server.snapshot.value(of: Self.gain) == Self.before)
  }

  // MARK: The session's own profile

  /// A call with a Bluetooth headset that played music.
  private static func call() -> Made {
    let server = Server.machine { $0.addBluetooth() }
    let mode = preferring {
      $0.category = .playAndRecord
      $0.options = [.allowBluetoothHFP]
      $0.preferredInput = ["bluez_source.*"]
      $0.inputGain = Volume(fraction: 0.33)
      $0.inputMuted = true
    }
    return make(mode, on: server, wasInEffect: false)
  }

  @Test func `a device that only the session's profile has goes with it`() {
    let call = Self.call()
    let entry = call.baseline[.volume(.input, device: Server.headset)]
    #expect(entry?.isChange == true && entry?.card == "bluez_card.AA" && entry?.profile == nil)
    let ended = Self.make(AudioMode(), on: call.server, call.baseline)
    #expect(ended.server.snapshot.cards.first?.activeProfile == "a2dp_sink")
    #expect(ended.owed == [])
    #expect(!ended.left.contains { $0.contains("is not there") }, "\(ended.left)")
  }

  @Test(arguments: ["a2dp_sink", "off"])
  func `so it does if another program has ended the profile`(_ profile: String) throws {
    let call = Self.call()
    var server = call.server
    try server.choose(profile, of: "bluez_card.AA")
    let ended = Self.make(AudioMode(), on: server, call.baseline)
    #expect(ended.owed == [])
    #expect(!ended.left.contains { $0.hasPrefix(Server.headset) }, "\(ended.left)")
  }

  @Test func `what both profiles have is kept when another program chooses a third`() throws {
    let former = "output:analog-stereo"
    var server = Server.laptop(former)
    try server.edit(.output, Server.speakers) { $0.volume = ChannelVolumes(.norm, channels: 2) }
    let speakers = Setting.volume(.output, device: Server.speakers)
    let mode = preferring {
      $0.category = .playAndRecord
      $0.preferredInput = [.name(Server.microphone)]
      $0.inputGain = Volume(fraction: 0.33)
      $0.outputVolume = Volume(fraction: 0.44)
    }
    let applied = Self.make(mode, on: server, wasInEffect: false)
    server = applied.server
    #expect(server.snapshot.cards.first?.activeProfile == Server.duplex)
    let own = applied.baseline[.volume(.input, device: Server.microphone)]
    #expect(own != nil && own?.profile == nil)
    #expect(applied.baseline[speakers]?.profile == former)
    try server.choose("off", of: "alsa_card.pci")
    var ended = Self.make(AudioMode(), on: server, applied.baseline)
    #expect(ended.owed == [speakers])
    #expect(
      ended.left.contains(
        "profile of alsa_card.pci is off, not the \(Server.duplex) that was set; left as it is"),
      "\(ended.left)")
    #expect(
      ended.left.contains(
        "\(Server.speakers) is not there while alsa_card.pci has the profile off: the device's "
          + "volume is restored when it returns, or by 'revert' then"),
      "\(ended.left)")
    #expect(!ended.left.contains { $0.hasPrefix("\(Server.microphone) ") }, "\(ended.left)")
    try ended.server.choose(former, of: "alsa_card.pci")
    let back = Self.make(AudioMode(), on: ended.server, ended.baseline, wasInEffect: false)
    #expect(back.server.snapshot.device(.output, named: Server.speakers)?.volume.loudest == .norm)
    #expect(back.owed == [])
  }

  @Test func `a level is kept while the server refuses the profile of its device`() {
    let (former, own) = ("output:analog-stereo", "output:hdmi-stereo")
    let speakers = Setting.volume(.output, device: Server.speakers)
    var server = Server.laptop(own, jacks: ["hdmi-output-0": .yes])
    server.refuses = [.cardProfile(card: "alsa_card.pci")]
    var baseline = Baseline(serverCookie: 77)
    baseline.record(
      Baseline.Entry(
        setting: speakers, before: Self.before, ours: Self.level(0.8),
        in: Server.laptop(former).snapshot))
    baseline.record(
      .cardProfile(card: "alsa_card.pci"), before: .name(former), ours: .name(own))
    var ended = Self.make(AudioMode(), on: server, baseline)
    #expect(ended.server.snapshot.cards.first?.activeProfile == own)
    #expect(ended.owed == [speakers])
    ended.server.refuses = []
    let back = Self.make(AudioMode(), on: ended.server, ended.baseline, wasInEffect: false)
    #expect(back.server.snapshot.cards.first?.activeProfile == former)
    #expect(back.server.snapshot.value(of: speakers) == Self.before)
    #expect(back.owed == [])
  }

  @Test func `a profile of the mode takes nothing away that is listed or kept`() throws {
    var server = Server.laptop(jacks: ["hdmi-output-0": .yes])
    try server.edit(.output, Server.speakers) { $0.volume = ChannelVolumes(.norm, channels: 2) }
    let speakers = Setting.volume(.output, device: Server.speakers)
    let quiet = Self.make(
      preferring { $0.outputVolume = Volume(fraction: 0.4) }, on: server, wasInEffect: false)
    #expect(quiet.server.snapshot.value(of: speakers) == Self.level(0.4))
    let screen = Self.make(
      preferring { $0.preferredOutput = [.name(Server.hdmi)] }, on: quiet.server, quiet.baseline)
    #expect(screen.server.snapshot.device(.output, named: Server.speakers) == nil)
    #expect(screen.baseline[speakers]?.isChange != true)
    let left = screen.plans.flatMap(\.left)
    #expect(!left.contains { $0.contains("is not there") }, "\(left)")
    let ended = Self.make(AudioMode(), on: screen.server, screen.baseline)
    #expect(ended.server.snapshot.value(of: speakers) == .volume(.init(.norm, channels: 2)))
    #expect(ended.owed == [] && !ended.left.contains { $0.contains("is not there") })
  }

  /// A person had left the profile of the microphone, and the session that of the person.
  @Test func `what was away before the session's profile is owed after it`() throws {
    let (former, own) = ("output:analog-stereo", "output:hdmi-stereo")
    let level = Setting.volume(.input, device: Server.microphone)
    let server = Server.laptop(own, jacks: ["hdmi-output-0": .yes])
    var baseline = Baseline(serverCookie: 77)
    baseline.record(
      Baseline.Entry(
        setting: level, before: Self.before, ours: Self.level(0.8), in: Server.laptop().snapshot))
    baseline.record(
      .cardProfile(card: "alsa_card.pci"), before: .name(former), ours: .name(own))
    #expect(baseline.absence(of: baseline.entries[0], in: server.snapshot) == nil)
    let ended = Self.make(AudioMode(), on: server, baseline)
    #expect(ended.server.snapshot.cards.first?.activeProfile == former)
    #expect(
      ended.left == [
        "\(Server.microphone) is not there while alsa_card.pci has the profile \(former): the "
          + "device's gain is restored when it returns, or by 'revert' then"
      ])
    #expect(ended.owed == [level])
  }
}
