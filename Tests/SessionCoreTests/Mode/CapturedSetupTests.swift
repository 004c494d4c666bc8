import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// A machine's setup as a mode.
@Suite struct CapturedSetupTests {
  @Test(arguments: SeedBlock.all(200))
  func `any machine as it is needs no step to be as it is`(_ block: SeedBlock) {
    for seed in block.seeds {
      var random = SeededRandom(seed: seed)
      let machine = random.machine()
      var run = Run(machine, PlanInput(mode: random.mode(), snapshot: machine.snapshot))
      run.run()
      // Half of them as the session left them, half as they were found.
      let isApplied = run.refusal == nil && seed % 2 == 0
      let snapshot = (isApplied ? run.server : machine).snapshot
      let baseline = isApplied ? run.stored : Baseline()
      let setup = CapturedSetup(
        of: snapshot, current: isApplied ? run.input.mode : nil, baseline: baseline)
      do throws(SessionError) {
        try setup.mode.validate()
        var input = PlanInput(mode: setup.mode, snapshot: snapshot)
        input.baseline = baseline
        if isApplied { input.memory = run.input.memory }
        let plan = try Plan.make(input)
        // A mode that named no input meant another one than the monitor that is the default.
        let isVague =
          isApplied && machine.snapshot.defaultDevice(.input)?.isMonitor == true
          && run.input.mode.preferredInput == nil
        #expect(isVague || plan.lines == [], "seed \(seed)\n\(setup.mode)\n\(run.trace)")
      } catch {
        Issue.record("seed \(seed): \(error)\n\(setup.mode)\n\(run.trace)")
      }
    }
  }

  @Test func `an idle device of PipeWire has the rate that is held for it, or none`() throws {
    var server = Server.laptop(kind: .pipewire)
    server.snapshot.server.sampleSpec.rate = 44100
    #expect(
      CapturedSetup(of: server.snapshot, current: nil, baseline: Baseline()).mode.sampleRate == nil)
    server.tendsPins = true
    server.updateStates()
    let mode = preferring { ($0.category, $0.sampleRate) = (.playback, 44100) }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    let setup = CapturedSetup(of: run.server.snapshot, current: mode, baseline: run.stored)
    #expect(setup.mode.sampleRate == 44100)
  }

  private func snapshot(_ cards: [(name: String, properties: [String: String])]) -> ServerSnapshot {
    let spec = SampleSpec(format: .s16le, rate: 44100, channels: 1)
    var result = ServerSnapshot(
      server: ServerInfo(
        name: "pulseaudio", version: "16.1", sampleSpec: spec, channelMap: .mono,
        defaultSinkName: nil, defaultSourceName: nil, cookie: 1))
    for (at, card) in cards.enumerated() {
      let index = Index<Card>(UInt32(at))
      result.cards.append(
        Card(
          index: index, name: "alsa_card.\(card.name)",
          profiles: [
            CardProfile(name: "input:mono-fallback", sinkCount: 0, sourceCount: 1, priority: 1)
          ], activeProfile: "input:mono-fallback", properties: card.properties))
      result.sources.append(
        Device(
          direction: .input, index: Index(UInt32(at)),
          name: "alsa_input.\(card.name).mono-fallback",
          sampleSpec: spec, channelMap: .mono, card: index, properties: card.properties))
    }
    return result
  }

  private func matchers(_ properties: [String: String]...) -> [DeviceMatcher?] {
    let snapshot = snapshot(properties.enumerated().map { ("usb-\($0.offset)", $0.element) })
    return snapshot.sources.map { snapshot.stableMatcher(for: $0) }
  }

  @Test func `a serial number before all else`() {
    let all = [
      "device.serial": "A_1", "device.vendor.id": "1209", "device.product.id": "1",
      "device.bus": "usb", "device.bus_path": "usb-1", "device.form_factor": "webcam",
    ]
    #expect(matchers(all) == [.properties(["device.serial": "A_1"])])
    var rest = all
    rest["device.serial"] = nil
    #expect(
      matchers(rest) == [
        .properties([
          "device.vendor.id": "1209", "device.product.id": "1", "device.bus": "usb",
        ])
      ])
    rest["device.product.id"] = nil
    #expect(matchers(rest) == [.properties(["device.bus_path": "usb-1"])])
    rest["device.bus_path"] = nil
    #expect(
      matchers(rest) == [.properties(["device.bus": "usb", "device.form_factor": "webcam"])])
    rest["device.form_factor"] = nil
    #expect(matchers(rest) == [.name("alsa_input.usb-0.mono-fallback")])
  }

  @Test func `two of a kind are told apart by their places, else by name`() {
    let one = ["device.serial": "same", "device.bus_path": "usb-1"]
    let two = ["device.serial": "same", "device.bus_path": "usb-2"]
    #expect(matchers(one, two) == [.properties(one), .properties(two)])
    #expect(
      matchers(one, one) == [
        .name("alsa_input.usb-0.mono-fallback"), .name("alsa_input.usb-1.mono-fallback"),
      ])
  }

  @Test func `PipeWire spells the place differently`() {
    let one = ["device.serial": "same", "device.bus-path": "usb-1"]
    let two = ["device.serial": "same", "device.bus-path": "usb-2"]
    #expect(matchers(one, two) == [.properties(one), .properties(two)])
  }

  /// The matcher for a device of a card that has another input, too.
  private func matcher(
    _ name: String, _ properties: [String: String]
  ) -> DeviceMatcher? {
    var snapshot = snapshot([("usb", properties)])
    snapshot.cards[0].profiles.append(
      CardProfile(name: "input:analog-stereo", sinkCount: 0, sourceCount: 1, priority: 2))
    snapshot.sources[0].name = name
    return snapshot.stableMatcher(for: snapshot.sources[0])
  }

  @Test func `one of several inputs of a card by its mapping, else by its name`() {
    let serial = ["device.serial": "A"]
    let mapped = ["device.serial": "A", "device.profile.name": "mono-fallback"]
    #expect(matcher("alsa_input.usb.mono-fallback", mapped) == .properties(mapped))
    #expect(
      matcher("alsa_input.usb.mono-fallback", serial)
        == .all([.properties(serial), "*.mono-fallback"]))
  }

  @Test(arguments: [
    ("mic.[1]", DeviceMatcher.name("*.[[]1]")), ("desk", .name("desk")),
    ("default", .name("[d]efault")), ("a\u{1b}.b", nil),
  ])
  func `one of several inputs of a card with a name that a person gave`(
    _ name: String, _ part: DeviceMatcher?
  ) {
    let serial = DeviceMatcher.properties(["device.serial": "A"])
    #expect(matcher(name, ["device.serial": "A"]) == part.map { .all([serial, $0]) } ?? serial)
  }

  @Test func `a Bluetooth device by its address`() {
    let properties = ["device.bus": "bluetooth", "device.string": "00:11", "device.serial": "x"]
    #expect(matchers(properties) == [.properties(["device.string": "00:11"])])
  }

  @Test func `what looks like a pattern means itself`() {
    #expect(
      matchers(["device.serial": "a*[1]?"]) == [.properties(["device.serial": "a[*][[]1][?]"])])
    #expect(Glob(Glob.escaped("a*[1]?")).matches("a*[1]?"))
    #expect(!Glob(Glob.escaped("a*[1]?")).matches("ab[1]c"))
  }

  @Test func `a name that no file can hold is left out, and said`() {
    let spec = SampleSpec(format: .s16le, rate: 44100, channels: 1)
    let name = "mic\u{1b}[2J"
    let snapshot = ServerSnapshot(
      server: ServerInfo(
        name: "pulseaudio", version: "16.1", sampleSpec: spec, channelMap: .mono,
        defaultSinkName: nil, defaultSourceName: name, cookie: 1),
      sources: [
        Device(
          direction: .input, index: Index(0), name: name, sampleSpec: spec, channelMap: .mono)
      ])
    let setup = CapturedSetup(of: snapshot)
    #expect(setup.mode == AudioMode())
    #expect(setup.inputs == [])
    #expect(setup.left.count == 1)
  }

  @Test func `combined outputs are captured with all their devices, the first preferred one first`()
    throws
  {
    let machine = Server.machine {
      $0.addLaptop()
      $0.addLoose(.output, "monitors")
    }
    let mode = preferring {
      $0.category = .multiRoute
      $0.preferredOutput = ["monitors", .name(Server.speakers)]
    }
    var run = Run(machine, PlanInput(mode: mode, snapshot: machine.snapshot))
    run.run()
    let snapshot = run.server.snapshot
    let speakers = try #require(snapshot.device(.output, named: Server.speakers))
    let setup = CapturedSetup(of: snapshot, current: mode, baseline: run.stored)
    #expect(setup.mode.category == .multiRoute)
    #expect(
      setup.mode.preferredOutput == [
        "monitors", try #require(snapshot.stableMatcher(for: speakers)),
      ])
    var input = PlanInput(mode: setup.mode, snapshot: snapshot)
    input.baseline = run.stored
    #expect(try Plan.make(input).lines == [])
    // Without the mode that combined them they are an owned device on one output.
    #expect(
      CapturedSetup(of: snapshot, baseline: run.stored).mode.preferredOutput == ["monitors"])
  }

  @Test func `what a profile cannot have is left out, and said`() throws {
    var server = Server.laptop()
    try server.edit(.input, Server.microphone) {
      $0.volume = ChannelVolumes([Volume(fraction: 0.3), Volume(fraction: 0.6)])
    }
    let setup = CapturedSetup(of: server.snapshot)
    #expect(setup.mode.inputGain == nil)
    #expect(
      setup.left == [
        "\(Server.microphone) has a volume for each channel (30 % / 60 %); a profile has one for all"
      ])
  }

  @Test func `a codec is captured if the session chose it`() {
    var server = Server.machine { $0.addBluetooth() }
    server.snapshot.cards[0].codecs = [Codec(name: "sbc"), Codec(name: "aptx")]
    server.snapshot.cards[0].activeCodec = "aptx"
    #expect(CapturedSetup(of: server.snapshot).mode.outputCodec == nil)
    var baseline = Baseline(serverCookie: server.snapshot.server.cookie)
    baseline.record(
      Baseline.Entry(
        setting: .codec(card: "bluez_card.AA"), before: .name("sbc"), ours: .name("aptx"),
        in: server.snapshot))
    #expect(CapturedSetup(of: server.snapshot, baseline: baseline).mode.outputCodec == "aptx")
  }
}
