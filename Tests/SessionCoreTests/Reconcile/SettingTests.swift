import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Each setting by itself, with the values that a damaged or hostile file may give it, and without its
/// object.
@Suite struct SettingTests {
  private static let values: [SettingValue] = [
    .absent, .name("x"), .rate(48000), .duration(.milliseconds(10)),
    .volume(ChannelVolumes(.norm, channels: 2)), .flag(true),
    .channels(.stereo),
    .remap(RemapSpec(direction: .input, master: "x", masterMap: .mono, map: .mono)),
    .combination(CombineSpec(outputs: ["x", "y"], primary: "x", map: .stereo)),
    .echoCanceller(
      EchoCancellerSpec(method: "webrtc", input: "x", output: "y", map: .mono, rate: 48000)),
  ]

  /// The settings of the server's own values, with one that each can have.
  static func plain(card: String, input: String, stream: UInt32) -> [(
    Setting, SettingValue
  )] {
    [
      (.cardProfile(card: card), .name("off")), (.codec(card: card), .name("sbc")),
      (.defaultDevice(.input), .name(Server.usb)),
      (.port(.input, device: input), .name("analog-input-linein")),
      (.stream(.output, Index(stream)), .name(Server.hdmi)),
      (.volume(.input, device: input), .volume(ChannelVolumes(.muted, channels: 2))),
      (.othersVolume(Index(stream)), .volume(ChannelVolumes(.muted, channels: 2))),
      (.mute(.input, device: input), .flag(true)), (.othersMute(Index(stream)), .flag(true)),
      (
        .latencyOffset(card: card, port: "analog-input-internal-mic"),
        .duration(.milliseconds(5))
      ),
    ]
  }

  private static func isOfKind(_ value: SettingValue, _ other: SettingValue) -> Bool {
    switch (value, other) {
    case (.name, .name), (.duration, .duration), (.volume, .volume), (.flag, .flag): true
    default: false
    }
  }

  private func machine() throws -> (snapshot: ServerSnapshot, stream: UInt32) {
    var server = Server.machine {
      $0.addLaptop()
      $0.addUSB()
    }
    server.add(stream: "music", .output, on: Server.speakers)
    server.snapshot.cards[0].codecs = [Codec(name: "sbc", description: "SBC")]
    return (server.snapshot, try #require(server.snapshot.sinkInputs.last).index.rawValue)
  }

  private func planner(_ snapshot: ServerSnapshot) -> Planner {
    let input = PlanInput(mode: AudioMode(), snapshot: snapshot)
    return Planner(input, Resolution.tolerant(input), restore: [])
  }

  @Test func `a value of another kind is neither requested nor predicted, and never in effect`()
    throws
  {
    let (snapshot, stream) = try machine()
    for (setting, good) in Self.plain(
      card: "alsa_card.pci", input: Server.microphone, stream: stream)
    {
      #expect(setting.requests(for: good, in: snapshot)?.count == 1, "\(setting)")
      for value in Self.values where !Self.isOfKind(value, good) {
        #expect(setting.requests(for: value, in: snapshot) == nil, "\(setting) \(value)")
        var server = PredictedServer(snapshot)
        setting.kind.predict(value, in: &server)
        #expect(server.snapshot == snapshot, "\(setting) \(value)")
        #expect(!setting.kind.isDeferred(to: value, in: server), "\(setting) \(value)")
        #expect(!setting.kind.isMet(value, in: snapshot) || value == .absent, "\(setting) \(value)")
        let devices = setting.kind.devices(under: value)
        #expect(devices.allSatisfy { $0.name == setting.object }, "\(setting) \(value)")
      }
    }
  }

  @Test func `a value that the object cannot have is not restored`() throws {
    let (snapshot, stream) = try machine()
    let planner = planner(snapshot)
    for (setting, good) in Self.plain(
      card: "alsa_card.pci", input: Server.microphone, stream: stream)
    {
      if setting.is(.ofPort) { continue }
      if case .mute = setting { continue }
      if setting.isOfOthers { continue }
      let isThere = setting.kind.restorable(good, in: planner) == good
      if case .stream = setting { #expect(!isThere) } else { #expect(isThere, "\(setting)") }
      for value in Self.values + [.name("no such one")] where value != good {
        if case .volume = value, case .volume = good { continue }
        #expect(setting.kind.restorable(value, in: planner) == nil, "\(setting) \(value)")
      }
    }
  }

  @Test func `each level of a device or port is given to a device once`() throws {
    let (snapshot, stream) = try machine()
    for (setting, _) in Self.plain(
      card: "alsa_card.pci", input: Server.microphone, stream: stream)
    {
      let isLevel = setting.phase == .levels && !setting.isOfOthers
      #expect((setting.isLevel || setting.is(.ofPort)) == isLevel, "\(setting)")
      let device = setting.kind.charged(in: snapshot)
      let names = isLevel ? [Server.microphone, Server.speakers] : [nil]
      #expect(names.contains(device?.name), "\(setting)")
      let property = setting.kind.property(in: snapshot)
      let isOfDevice = Direction.allCases.flatMap(Property.levels).contains(property)
      #expect(setting.isLevel == isOfDevice, "Property.levels and \(property)")
    }
  }

  @Test func `what a step changes besides, it names; so does each of two settings of one value`()
    throws
  {
    let (snapshot, stream) = try machine()
    let plain = Self.plain(card: "alsa_card.pci", input: Server.microphone, stream: stream)
    let others = (snapshot.sources + snapshot.sinks).flatMap(Setting.all) + plain.map(\.0)
    for (setting, value) in plain {
      var server = PredictedServer(snapshot)
      setting.kind.predict(value, in: &server)
      for other in Set(others) where other != setting {
        let (was, now) = (snapshot.value(of: other), server.snapshot.value(of: other))
        guard let now, now != was else { continue }
        expect(setting, names: other, snapshot)
        if now == value { expect(other, names: setting, snapshot) }
      }
    }
  }

  private func expect(_ one: Setting, names other: Setting, _ snapshot: ServerSnapshot) {
    #expect(one.kind.dependents(in: snapshot).contains(other), "\(one): \(other)")
    #expect(one.kind.canChange(other, in: snapshot), "\(one): \(other)")
  }

  @Test func `a setting without its object has no value, and predicting it changes nothing`() throws
  {
    let (snapshot, _) = try machine()
    let gone = Self.plain(card: "gone", input: "gone", stream: 4711)
    let hints: [(Setting, SettingValue)] = [
      (.rate(.input, device: "gone"), .rate(48000)), (.rate(.input, device: "gone"), .absent),
      (.latency(.input, device: "gone"), .duration(.milliseconds(10))),
    ]
    for kind in [ServerKind.pulseaudio, .pipewire] {
      var snapshot = snapshot
      snapshot.server = Server(kind: kind).snapshot.server
      for (setting, value) in gone + hints {
        if case .defaultDevice = setting { continue }
        #expect(snapshot.value(of: setting) == nil, "\(setting)")
        var server = PredictedServer(snapshot)
        setting.kind.predict(value, in: &server)
        #expect(server.snapshot == snapshot, "\(setting)")
        let isOfStream = setting.is(.stream)
        #expect(setting.written(in: snapshot).isEmpty != isOfStream, "\(setting)")
        #expect(setting.kind.isMet(value, in: snapshot) == isOfStream, "\(setting)")
        #expect(setting.kind.dependents(in: snapshot).isEmpty, "\(setting)")
        #expect(!setting.kind.canChange(.combination, in: snapshot), "\(setting)")
        var planner = planner(snapshot)
        setting.kind.bracket(Target(.sampleRate, setting, value, why: ""), from: nil, in: &planner)
        #expect(planner.plan.steps.isEmpty, "\(setting)")
      }
    }
  }

  @Test func `links stand on what is there, and are no other links`() throws {
    let (snapshot, _) = try machine()
    let canceller = SettingValue.echoCanceller(
      EchoCancellerSpec(
        method: "webrtc", input: Server.microphone, output: Server.speakers, map: .mono,
        rate: 48000))
    let combination = SettingValue.combination(
      CombineSpec(outputs: [Server.speakers], primary: Server.speakers, map: .stereo))
    let remap = SettingValue.remap(
      RemapSpec(direction: .input, master: Server.microphone, masterMap: .mono, map: .mono))
    let planner = planner(snapshot)
    for (setting, good) in [
      (Setting.echoCanceller, canceller), (.combination, combination), (.chain(.input), remap),
    ] {
      #expect(setting.kind.restorable(good, in: planner) == good)
      #expect(setting.requests(for: good, in: snapshot)?.count == 1)
      var server = PredictedServer(snapshot)
      setting.kind.predict(good, in: &server)
      #expect(server.value(of: setting) == good, "\(setting)")
      for value in Self.values {
        #expect(setting.kind.restorable(value, in: planner) == .absent, "\(setting) \(value)")
        #expect(!setting.kind.isDeferred(to: value, in: server))
      }
      // Without its masters it is not there either.
      var bare = PredictedServer(ServerSnapshot(server: snapshot.server))
      setting.kind.predict(good, in: &bare)
      #expect(bare.value(of: setting) != good, "\(setting)")
    }
  }

  @Test func `a free index is found where the highest are taken`() {
    #expect(PredictedServer.free([]) == 1)
    #expect(PredictedServer.free([7, .max]) == 8)
    #expect(PredictedServer.free([.max - 2, .max - 1, 1, 2]) == 3)
  }

  @Test func `a step says what is set`() {
    let step = Step(
      phase: .port, property: .inputPort, setting: .port(.input, device: "mic"), from: nil,
      to: .name("line-in"), why: "")
    #expect(step.description == "port of mic: line-in")
  }

  @Test func `a device that stores no offset is waited for shortly`() {
    let setting = Setting.latencyOffset(card: "x", port: "y")
    #expect(setting.patience(isLazy: true) == .seconds(2))
    #expect(setting.patience(isLazy: false) == .milliseconds(250))
  }

  @Test func `a refusal that is tried again soon has an end, one that is not has none`() {
    var refusals = RefusalBackoff()
    refusals.note([.combination], at: .zero)
    #expect(refusals.nextEnd(after: .zero) != nil)
    #expect(refusals.nextEnd(after: .seconds(100_000)) == nil)
  }

  @Test(arguments: [
    ("surround-21", 3), ("surround-40", 4), ("surround-41", 5), ("surround-50", 5),
    ("surround-51", 6), ("surround-71", 8), ("hdmi-surround", 6), ("hdmi-surround71-extra1", 8),
    ("stereo", 2), ("mono-fallback", 1), ("multichannel-output", 2),
  ])
  func `a device of a profile is predicted with the profile's channels`(
    _ name: String, _ channels: Int
  ) throws {
    let card = try machine().snapshot.cards[0]
    let profile = try #require(card.profile(named: Server.duplex))
    let device = card.predictedDevice(
      .output, named: "alsa_output.head-mono.analog-\(name)", profile: profile)
    #expect(device.channelMap.count == channels)
  }
}
