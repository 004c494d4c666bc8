import PulseTypes
import Testing

/// The machines that every built-in profile must fit.
enum Machine: String, Sendable, CustomTestStringConvertible {
  /// Internal microphone and speakers, jacks with nothing in them, and a USB microphone.
  case laptop
  /// One null sink and one null source, without ports and properties.
  case server

  var testDescription: String { rawValue }

  var snapshot: ServerSnapshot {
    switch self {
    case .laptop: Self.laptopSnapshot
    case .server: Self.serverSnapshot
    }
  }

  private static let stereo = SampleSpec(format: .s16le, rate: 44100, channels: 2)

  private static func info(sink: String, source: String) -> ServerInfo {
    ServerInfo(
      name: "pulseaudio", version: "16.1", sampleSpec: stereo, channelMap: .stereo,
      defaultSinkName: sink, defaultSourceName: source, cookie: 1)
  }

  private static func monitor(of sink: Device) -> Device {
    Device(
      direction: .input, index: Index(90), name: sink.name + ".monitor", sampleSpec: stereo,
      channelMap: .stereo, monitor: sink.name)
  }

  private static let serverSnapshot: ServerSnapshot = {
    let sink = Device(
      direction: .output, index: Index(0), name: "null_sink", sampleSpec: stereo,
      channelMap: .stereo)
    let source = Device(
      direction: .input, index: Index(1), name: "null_source", sampleSpec: stereo,
      channelMap: .stereo)
    return ServerSnapshot(
      server: info(sink: "null_sink", source: "null_source"), sinks: [sink],
      sources: [monitor(of: sink), source])
  }()

  private static let laptopSnapshot: ServerSnapshot = {
    let duplex = CardProfile(
      name: "output:analog-stereo+input:analog-stereo", sinkCount: 1, sourceCount: 1,
      priority: 6565)
    func port(
      _ name: String, _ direction: Direction, _ kind: PortKind, _ availability: PortAvailability,
      in profile: String
    ) -> DevicePort {
      DevicePort(
        name: name, direction: direction, priority: 8000, availability: availability, kind: kind,
        profiles: [profile])
    }
    let inputs = [
      port("analog-input-internal-mic", .input, .mic, .unknown, in: duplex.name),
      port("analog-input-headset-mic", .input, .headset, .no, in: duplex.name),
    ]
    let outputs = [
      port("analog-output-speaker", .output, .speaker, .unknown, in: duplex.name),
      port("analog-output-headphones", .output, .headphones, .no, in: duplex.name),
    ]
    let card = Card(
      index: Index(0), name: "alsa_card.pci-0000_00_1f.3", profiles: [duplex],
      activeProfile: duplex.name, ports: inputs + outputs)
    let mono = CardProfile(
      name: "input:mono-fallback", sinkCount: 0, sourceCount: 1, priority: 1)
    let usbPort = port("analog-input-mic", .input, .mic, .unknown, in: mono.name)
    let usb = Card(
      index: Index(1), name: "alsa_card.usb-Blue_Yeti-00", profiles: [mono],
      activeProfile: mono.name, ports: [usbPort])
    return snapshot(card: card, inputs: inputs, outputs: outputs, usb: usb)
  }()

  private static func snapshot(
    card: Card, inputs: [DevicePort], outputs: [DevicePort], usb: Card
  ) -> ServerSnapshot {
    let pci = ["device.bus": "pci", "device.form_factor": "internal"]
    let sink = Device(
      direction: .output, index: Index(0), name: "alsa_output.pci-0000_00_1f.3.analog-stereo",
      sampleSpec: stereo, channelMap: .stereo, card: card.index, ports: outputs,
      activePort: outputs[0].name, properties: pci)
    let source = Device(
      direction: .input, index: Index(1), name: "alsa_input.pci-0000_00_1f.3.analog-stereo",
      sampleSpec: stereo, channelMap: .stereo, card: card.index, ports: inputs,
      activePort: inputs[0].name,
      properties: pci.merging(["device.profile.name": "analog-stereo"]) { $1 })
    let microphone = Device(
      direction: .input, index: Index(2), name: "alsa_input.usb-Blue_Yeti-00.mono-fallback",
      sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 1), channelMap: .mono,
      card: usb.index, ports: usb.ports, activePort: usb.ports[0].name,
      properties: ["device.bus": "usb", "device.profile.name": "mono-fallback"])
    return ServerSnapshot(
      server: info(sink: sink.name, source: source.name), cards: [card, usb], sinks: [sink],
      sources: [monitor(of: sink), source, microphone])
  }
}
