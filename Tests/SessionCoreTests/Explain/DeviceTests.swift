import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Which device and port a mode means, and what the error says where it means none.
@Suite struct DeviceTests {
  /// The laptop, a USB microphone, a webcam and a null sink; the laptop's microphone is the default.
  private static func desk(
    _ profile: String = Server.duplex, jacks: [String: PortAvailability] = [:]
  ) -> Server {
    var server = Server.machine {
      $0.addLaptop(profile, jacks: jacks)
      $0.addUSB()
      $0.addWebcam()
      $0.addLoose(.output, "null")
    }
    try? server.setDefault(.input, Server.microphone)
    return server
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let matchers: [DeviceMatcher]
    let device: String?
    init(_ name: String, _ matchers: [DeviceMatcher], _ device: String?) {
      testDescription = name
      self.matchers = matchers
      self.device = device
    }
  }

  static let rows = [
    Row("a name", [.name(Server.usb)], Server.usb),
    Row("a glob", ["alsa_input.u*"], Server.usb),
    Row("ranked", ["alsa_input.none", .name(Server.webcam), "*"], Server.webcam),
    Row("of several the default", ["*"], Server.microphone),
    Row("default", ["default"], Server.microphone),
    Row("a property", [.properties(["device.bus": "usb"])], Server.usb),
    Row("a property's glob", [.properties(["device.form_factor": "web*"])], Server.webcam),
    Row("all of several", [.all([.properties(["device.bus": "usb"]), "*mono*"])], Server.webcam),
    Row("a form", [.formFactor("webcam")], Server.webcam),
    Row("a port type", [.portType(.usbAudio)], Server.usb),
    Row("a port type by the form", [.all([.portType(.mic), "*.cam.*"])], Server.webcam),
    Row("a monitor by its name", ["null.monitor"], "null.monitor"),
    Row("a monitor by a pattern for monitors", ["nul*.monitor"], "null.monitor"),
    Row("a monitor by all of several", [.all(["nul*.monitor", "*null*"])], "null.monitor"),
    Row("no monitor by a pattern for anything", ["null*"], nil),
    Row("ours never", ["audiosession*"], nil),
    Row("case counts", ["ALSA_INPUT.*"], nil),
  ]

  @Test(arguments: rows) func `what a matcher means`(_ row: Row) throws {
    let mode = preferring { $0.preferredInput = row.matchers }
    guard let device = row.device else {
      #expect(Self.desk().failure(mode)?.code == .inputNotAvailable)
      return
    }
    let to = try Self.desk().plan(mode).steps.first { $0.setting == .defaultDevice(.input) }?.to
    #expect(to == (device == Server.microphone ? nil : .name(device)))
  }

  @Test func `no such input lists each candidate and why not, and what else is there`() throws {
    let mode = preferring {
      $0.preferredInput = ["alsa_input.nothing", .name(Server.microphone)]
      $0.inputPort = ["analog-input-mic2", .type(.headsetMic)]
    }
    let failure = try #require(Self.desk().failure(mode))
    #expect(failure.code == .portNotAvailable)
    #expect(failure.stage == .device)
    #expect(failure.property == "inputPort")
    #expect(
      failure.alternatives == [
        "alsa_input.nothing: no such input",
        "\(Server.microphone): no usable port 'analog-input-mic2' or 'type:headset-mic'; it has: "
          + "analog-input-internal-mic (available), analog-input-headset-mic (not plugged in), "
          + "analog-input-linein (not plugged in)",
        "\(Server.usb): connected, but not asked for",
        "\(Server.webcam): connected, but not asked for",
      ])
  }

  // MARK: Ports

  @Test func `an unknown availability counts as available, and no does not`() throws {
    let mode = preferring {
      $0.inputPort = ["analog-input-headset-mic", "analog-input-internal-mic"]
    }
    let server = Self.desk(jacks: ["analog-input-headset-mic": .no])
    #expect(try server.plan(mode).lines == [])
    let plugged = Self.desk(jacks: ["analog-input-headset-mic": .yes])
    #expect(
      try plugged.plan(mode).lines == [
        "5 \(Server.microphone) port: analog-input-internal-mic → analog-input-headset-mic"
      ])
  }

  @Test func `a candidate without a usable port is passed over for the next`() throws {
    let mode = preferring {
      $0.preferredInput = [.name(Server.microphone), .name(Server.usb)]
      $0.inputPort = [.type(.headsetMic), "analog-input-mic"]
    }
    #expect(
      try Self.desk().plan(mode).lines == [
        "4 server default source: \(Server.microphone) → \(Server.usb)"
      ])
  }

  @Test func `a port that is unplugged goes before the default, which it would block`() throws {
    var server = Self.desk()
    try server.setDefault(.input, Server.usb)
    try server.edit(.input, Server.microphone) { $0.activePort = "analog-input-headset-mic" }
    let mode = preferring { $0.preferredInput = [.name(Server.microphone)] }
    #expect(
      try server.plan(mode).lines == [
        "4 \(Server.microphone) port: analog-input-headset-mic → analog-input-internal-mic",
        "4 server default source: \(Server.usb) → \(Server.microphone)",
      ])
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil)
    #expect(run.server.snapshot.server.defaultSourceName == Server.microphone)
    #expect(try run.server.plan(mode) { $0.baseline = run.stored }.isEmpty)
  }

  @Test func `a device whose ports are all unplugged is passed over`() throws {
    let jacks: [String: PortAvailability] = [
      "analog-input-internal-mic": .no, "analog-input-headset-mic": .no,
    ]
    let failure = Self.desk(jacks: jacks).failure(
      preferring { $0.preferredInput = [.name(Server.microphone)] })
    #expect(failure?.alternatives.first == "\(Server.microphone): nothing is plugged in")
  }

  @Test func `an input without ports satisfies any port`() throws {
    let mode = preferring {
      $0.preferredInput = [.name(Server.webcam)]
      $0.inputPort = ["analog-input-headset-mic"]
    }
    #expect(
      try Self.desk().plan(mode).lines == [
        "4 server default source: \(Server.microphone) → \(Server.webcam)"
      ])
  }

  @Test func `a device matched by a port type is used by such a port`() throws {
    let server = Self.desk(jacks: ["analog-input-headset-mic": .yes])
    #expect(
      try server.plan(preferring { $0.preferredInput = [.portType(.headsetMic)] }).lines == [
        "5 \(Server.microphone) port: analog-input-internal-mic → analog-input-headset-mic"
      ])
    let unplugged = Self.desk()
    #expect(
      unplugged.failure(preferring { $0.preferredInput = [.portType(.headsetMic)] })?.code
        == .portNotAvailable)
  }

  /// Cards of a use case manager have several devices with names of their own in one profile.
  @Test func `no device is expected of a profile that is in use`() throws {
    var server = Server.laptop()
    func name(_ port: String) -> String { "alsa_input.pci.HiFi__\(port)__source" }
    let ports = [("[In] Mic1", PortAvailability.unknown), ("[In] Mic2", .yes)].map {
      DevicePort(name: $0.0, direction: .input, availability: $0.1, profiles: ["HiFi"])
    }
    server.snapshot.cards[0].profiles = [
      CardProfile(name: "HiFi", sinkCount: 1, sourceCount: 2, priority: 8000)
    ]
    server.snapshot.cards[0].activeProfile = "HiFi"
    server.snapshot.cards[0].ports = ports
    let at = try #require(server.snapshot.sources.firstIndex { $0.name == Server.microphone })
    var headset = server.snapshot.sources[at]
    headset.index = Index(server.newIndex())
    (headset.name, headset.ports, headset.activePort) = (name("Mic2"), [ports[1]], ports[1].name)
    server.snapshot.sources[at].name = name("Mic1")
    server.snapshot.sources[at].ports = [ports[0]]
    server.snapshot.sources[at].activePort = ports[0].name
    server.snapshot.sources.append(headset)
    server.snapshot.server.defaultSourceName = name("Mic1")
    let mode = preferring { $0.inputPort = [.name("[In] Mic2")] }
    #expect(server.failure(mode)?.code == .portNotAvailable)
    var named = mode
    named.preferredInput = [.name(name("Mic2"))]
    #expect(
      try server.plan(named).lines == [
        "4 server default source: \(name("Mic1")) → \(name("Mic2"))"
      ])
  }

  @Test func `an HDMI port changes the profile, and keeps the microphone`() throws {
    let server = Server.laptop(jacks: ["hdmi-output-0": .yes])
    #expect(
      try server.plan(preferring { $0.outputPort = [.type(.hdmi)] }).lines.first
        == "1 alsa_card.pci profile: \(Server.duplex) → output:hdmi-stereo+input:analog-stereo")
    #expect(
      Server.laptop().failure(preferring { $0.outputPort = [.type(.hdmi)] })?.code
        == .portNotAvailable)
  }

  @Test func `speaker and microphone that no profile has together are one clear error`() throws {
    let server = Server.laptop(jacks: ["hdmi-output-0": .yes])
    var blind = server
    blind.snapshot.cards[0].profiles.removeAll {
      $0.name == "output:hdmi-stereo+input:analog-stereo"
    }
    let failure = blind.failure(
      preferring {
        $0.category = .playAndRecord
        $0.outputPort = [.type(.hdmi)]
      })
    #expect(failure?.code == .categoryNotSupported)
    #expect(failure?.alternatives.contains("off: does not give all of it") == true)
  }

  // MARK: The default before us

  @Test func `default is the default before us, as long as the present one is ours`() throws {
    var server = Self.desk()
    try server.setDefault(.input, Server.usb)
    let baseline = Baseline(
      entries: [
        Baseline.Entry(
          setting: .defaultDevice(.input), before: .name(Server.webcam), ours: .name(Server.usb))
      ], serverCookie: 77)
    let mode = preferring { $0.preferredInput = ["default"] }
    #expect(
      try server.plan(mode) { $0.baseline = baseline }.lines == [
        "4 server default source: \(Server.usb) → \(Server.webcam)"
      ])
    // Somebody chose another one since: that is the default now.
    try server.setDefault(.input, Server.microphone)
    #expect(try server.plan(mode) { $0.baseline = baseline }.lines == [])
  }

  @Test func `default is never our own, but what it stands on`() throws {
    var server = Self.desk()
    server.addRemap(of: Server.usb, taking: .mono, as: .mono)
    #expect(
      try server.plan(preferring { $0.preferredInput = ["default"] }).lines.first
        == "4 server default source: audiosession.input → \(Server.usb)")
  }

  @Test func `default is never a monitor`() throws {
    var server = Self.desk()
    try server.setDefault(.input, "null.monitor")
    #expect(
      try server.plan(preferring { $0.preferredInput = ["default"] }).lines == [
        "4 server default source: null.monitor → \(Server.microphone)"
      ])
  }

  // MARK: No microphone at all

  static let onlyMonitor = Server.machine { $0.addLoose(.output, "null") }

  @Test(arguments: [
    preferring { $0.category = .record }, preferring { $0.preferredInput = ["default"] },
    preferring { $0.inputGain = .norm }, preferring { $0.preferredInput = ["*"] },
  ])
  func `the only source is a monitor`(_ mode: AudioMode) throws {
    let failure = try #require(Self.onlyMonitor.failure(mode))
    #expect(failure.code == .inputNotAvailable)
    #expect(failure.message.hasSuffix("the only source is a monitor; name it to use it"))
    #expect(failure.alternatives.contains("null.monitor: is a monitor; name it to use it"))
    #expect(
      try Self.onlyMonitor.plan(preferring { $0.preferredInput = ["null.monitor"] }).lines == [])
  }

  @Test func `nothing at all`() throws {
    let failure = try #require(SimulatedServer().failure(AudioMode(category: .playAndRecord)))
    #expect(failure.message == "the server has no input")
    let output = try #require(SimulatedServer().failure(AudioMode(category: .playback)))
    #expect(output.code == .outputNotAvailable)
    #expect(output.message == "the server has no output")
  }

  @Test func `the dummy that a server invents is no device`() throws {
    let server = Server.machine { $0.addLoose(.output, "auto_null") }
    #expect(server.failure(AudioMode(category: .playback))?.code == .outputNotAvailable)
    #expect(server.failure(preferring { $0.preferredOutput = ["*"] })?.code == .outputNotAvailable)
    #expect(server.snapshot.route == Route())
  }

  @Test func `an input that is not required is waited for`() throws {
    let mode = preferring {
      $0.preferredInput = ["alsa_input.later"]
      $0.inputRequired = false
      $0.inputGain = .norm
      $0.outputVolume = Volume(fraction: 0.5)
    }
    let plan = try Self.desk().plan(mode)
    #expect(plan.steps.map(\.property) == [.outputVolume])
    #expect(
      plan.unmetLines == [
        "preferredInput pending: no usable input for 'alsa_input.later'",
        "inputGain pending: no usable input for 'alsa_input.later'",
      ])
    #expect(Self.desk().reports(mode)[.preferredInput]?.waitingFor == .device)
  }

  // MARK: Streams

  @Test func `streams of others are moved, but for monitors and level meters`() throws {
    var server = Self.desk()
    let elsewhere = server.add(stream: "mumble", .input, on: Server.usb)
    server.add(stream: "obs", .input, on: "null.monitor")
    server.add(stream: "firefox", .input, on: Server.microphone)
    let meter = server.add(stream: "pavucontrol", .input, on: Server.usb)
    server.editStreams(.input) { if $0.index == meter { $0.resampleMethod = "peaks" } }
    // A module's, and a filter's of PipeWire.
    let module = server.add(stream: "module", .input, on: Server.usb)
    server.editStreams(.input) {
      if $0.index == module { ($0.ownerModule, $0.driver) = (Index(99), "module-remap-source.c") }
    }
    server.add(
      stream: "filter", .input, on: Server.usb, properties: [Device.groupKey: "filter-chain-1"])
    let plan = try server.plan(preferring { $0.moveInputStreams = true })
    #expect(
      plan.lines == [
        "6 source output \(elsewhere) device: \(Server.usb) → \(Server.microphone)"
      ])
    #expect(plan.steps.first?.why == "mumble is moved")
  }

  @Test func `a stream that its program does not let move is listed, and the rest is applied`()
    throws
  {
    var server = Self.desk()
    let fixed = server.add(stream: "obs", .input, on: Server.usb, properties: ["stays": "yes"])
    let other = server.add(stream: "mumble", .input, on: Server.usb)
    let gain = ChannelVolumes(Volume(fraction: 0.35), channels: 2)
    let mode = preferring {
      $0.moveInputStreams = true
      $0.inputGain = gain.loudest
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    let refused = run.loop.report.filter {
      if case .refused = $0.outcome { true } else { false }
    }
    #expect(refused.map(\.step.setting) == [.stream(.input, fixed)])
    let applied = run.server.snapshot
    #expect(applied.value(of: .stream(.input, other)) == .name(Server.microphone))
    #expect(applied.value(of: .volume(.input, device: Server.microphone)) == .volume(gain))
    var back = Run(run.server, PlanInput(mode: AudioMode(), snapshot: applied))
    back.input.baseline = run.stored
    back.run()
    #expect(back.failure == nil, "\(back.trace)")
    #expect(back.server.snapshot.value(of: .stream(.input, other)) == .name(Server.usb))
  }
}
