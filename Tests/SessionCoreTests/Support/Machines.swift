import PulseTypes

@testable import SessionCore

/// The machines of the tests, by the names that real ones have, shortened.
extension SimulatedServer {
  static let duplex = "output:analog-stereo+input:analog-stereo"
  static let speakers = "alsa_output.pci.analog-stereo"
  static let hdmi = "alsa_output.pci.hdmi-stereo"
  static let microphone = "alsa_input.pci.analog-stereo"
  static let usb = "alsa_input.usb.analog-stereo"
  static let webcam = "alsa_input.cam.mono-fallback"
  static let quad = "array"
  static let a2dp = "bluez_sink.AA.a2dp_sink"
  static let handsFree = "bluez_sink.AA.headset_head_unit"
  static let headset = "bluez_source.AA.headset_head_unit"

  /// A server with some cards and devices.
  static func machine(
    kind: ServerKind = .pulseaudio, _ build: (inout SimulatedServer) -> Void
  ) -> SimulatedServer {
    var server = SimulatedServer(kind: kind)
    build(&server)
    server.updateDefaults()
    server.updateStates()
    return server
  }

  /// The laptop alone.
  static func laptop(
    _ profile: String = duplex, jacks: [String: PortAvailability] = [:],
    kind: ServerKind = .pulseaudio
  ) -> SimulatedServer {
    machine(kind: kind) { $0.addLaptop(profile, jacks: jacks) }
  }

  /// Speakers, headphone jack, internal, headset and line-in microphones, HDMI.
  mutating func addLaptop(
    _ profile: String = duplex, jacks: [String: PortAvailability] = [:]
  ) {
    let inputs = [Self.duplex, "input:analog-stereo", "output:hdmi-stereo+input:analog-stereo"]
    let outputs = [Self.duplex, "output:analog-stereo"]
    let hdmi = ["output:hdmi-stereo", "output:hdmi-stereo+input:analog-stereo"]
    func port(
      _ name: String, _ direction: Direction, _ kind: PortKind, _ priority: UInt32,
      _ availability: PortAvailability, _ profiles: [String]
    ) -> DevicePort {
      DevicePort(
        name: name, description: name, direction: direction, priority: priority,
        availability: jacks[name] ?? availability, kind: kind, profiles: profiles)
    }
    let ports = [
      port("analog-input-internal-mic", .input, .mic, 8900, .unknown, inputs),
      port("analog-input-headset-mic", .input, .headset, 8800, .no, inputs),
      port("analog-input-linein", .input, .line, 8100, .no, inputs),
      port("analog-output-speaker", .output, .speaker, 10000, .unknown, outputs),
      port("analog-output-headphones", .output, .headphones, 9900, .no, outputs),
      port("hdmi-output-0", .output, .hdmi, 5900, .no, hdmi),
    ]
    let source = Make(
      direction: .input, name: Self.microphone, ports: ports.prefix(3).map(\.name))
    let sink = Make(
      direction: .output, name: Self.speakers, ports: ports[3...4].map(\.name))
    let screen = Make(
      direction: .output, name: Self.hdmi, ports: ["hdmi-output-0"], priority: 5900)
    addCard(
      Card(
        index: Index(1), name: "alsa_card.pci", driver: "module-alsa-card.c",
        profiles: [
          CardProfile(name: Self.duplex, sinkCount: 1, sourceCount: 1, priority: 6565),
          CardProfile(
            name: "output:analog-stereo", sinkCount: 1, sourceCount: 0, priority: 6500),
          CardProfile(
            name: "output:hdmi-stereo+input:analog-stereo", sinkCount: 1, sourceCount: 1,
            priority: 5965, isAvailable: jacks["hdmi-output-0"]?.isUsable ?? false),
          CardProfile(
            name: "output:hdmi-stereo", sinkCount: 1, sourceCount: 0, priority: 5900,
            isAvailable: jacks["hdmi-output-0"]?.isUsable ?? false),
          CardProfile(name: "input:analog-stereo", sinkCount: 0, sourceCount: 1, priority: 65),
          CardProfile(name: "pro-audio", sinkCount: 2, sourceCount: 1, priority: 1),
          CardProfile(name: "off", sinkCount: 0, sourceCount: 0, priority: 0),
        ], activeProfile: profile, ports: ports,
        properties: ["device.bus": "pci", "device.form_factor": "internal", "device.api": "alsa"]),
      makes: [
        Self.duplex: [sink, source], "output:analog-stereo": [sink],
        "input:analog-stereo": [source], "output:hdmi-stereo": [screen],
        "output:hdmi-stereo+input:analog-stereo": [screen, source],
        "pro-audio": [
          Make(direction: .output, name: "alsa_output.pci.pro-output-0"),
          Make(direction: .output, name: "alsa_output.pci.pro-output-3"),
          Make(direction: .input, name: "alsa_input.pci.pro-input-0"),
        ],
      ])
  }

  /// A USB microphone in stereo.
  mutating func addUSB(_ profile: String = "input:analog-stereo") {
    let port = DevicePort(
      name: "analog-input-mic", direction: .input, priority: 8700, kind: .mic,
      profiles: ["input:analog-stereo"])
    addCard(
      Card(
        index: Index(2), name: "alsa_card.usb", driver: "module-alsa-card.c",
        profiles: [
          CardProfile(name: "input:analog-stereo", sinkCount: 0, sourceCount: 1, priority: 65),
          CardProfile(name: "off", sinkCount: 0, sourceCount: 0, priority: 0),
        ], activeProfile: profile, ports: [port], properties: ["device.bus": "usb"]),
      makes: [
        "input:analog-stereo": [
          Make(direction: .input, name: Self.usb, ports: [port.name], priority: 9050)
        ]
      ])
  }

  /// A webcam: one channel, no ports.
  mutating func addWebcam(_ profile: String = "input:mono-fallback") {
    addCard(
      Card(
        index: Index(4), name: "alsa_card.cam", driver: "module-alsa-card.c",
        profiles: [
          CardProfile(name: "input:mono-fallback", sinkCount: 0, sourceCount: 1, priority: 1),
          CardProfile(name: "off", sinkCount: 0, sourceCount: 0, priority: 0),
        ], activeProfile: profile,
        properties: ["device.bus": "usb", "device.form_factor": "webcam"]),
      makes: [
        "input:mono-fallback": [
          Make(direction: .input, name: Self.webcam, map: .mono, priority: 8000)
        ]
      ])
  }

  /// A Bluetooth headset.
  mutating func addBluetooth(_ profile: String = "a2dp_sink") {
    let both = ["a2dp_sink", "headset_head_unit"]
    let ports = [
      DevicePort(
        name: "headset-output", direction: .output, availability: .yes, kind: .headset,
        profiles: both),
      DevicePort(
        name: "headset-input", direction: .input, availability: .yes, kind: .headset,
        profiles: ["headset_head_unit"]),
    ]
    func make(_ direction: Direction, _ name: String, _ map: ChannelMap, _ port: String) -> Make {
      Make(
        direction: direction, name: name, map: map, ports: [port], rates: [16000], priority: 9200,
        driver: "module-bluez5-device.c")
    }
    addCard(
      Card(
        index: Index(3), name: "bluez_card.AA", driver: "module-bluez5-device.c",
        profiles: [
          CardProfile(name: "a2dp_sink", sinkCount: 1, sourceCount: 0, priority: 40),
          CardProfile(name: "headset_head_unit", sinkCount: 1, sourceCount: 1, priority: 30),
          CardProfile(name: "off", sinkCount: 0, sourceCount: 0, priority: 0),
        ], activeProfile: profile, ports: ports,
        properties: ["device.bus": "bluetooth", "device.api": "bluez"]),
      makes: [
        "a2dp_sink": [make(.output, Self.a2dp, .stereo, "headset-output")],
        "headset_head_unit": [
          make(.output, Self.handsFree, .mono, "headset-output"),
          make(.input, Self.headset, .mono, "headset-input"),
        ],
      ])
  }

  /// A device without a card, such as a null sink, a null source or a microphone array.
  mutating func addLoose(
    _ direction: Direction, _ name: String, _ map: ChannelMap = .stereo,
    rates: [UInt32] = [44100, 48000], priority: Int = 100
  ) {
    let driver = direction == .input ? "module-null-source.c" : "module-null-sink.c"
    create(
      Make(
        direction: direction, name: name, map: map, rates: rates, priority: priority,
        driver: map == .quad ? "module-alsa-source.c" : driver),
      on: nil)
  }

  /// Our remap, as an earlier run left it.
  mutating func addRemap(
    _ direction: Direction = .input, of master: String, taking masterMap: ChannelMap,
    as map: ChannelMap = .stereo
  ) {
    try? loadRemap(
      RemapSpec(direction: direction, master: master, masterMap: masterMap, map: map))
    try? setDefault(direction, Owned.name(direction))
    updateStates()
  }
}
