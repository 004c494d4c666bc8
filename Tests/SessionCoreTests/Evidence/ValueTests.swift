import PulseTypes
import Testing

@testable import SessionCore

/// Volumes, maps, durations and words, in the server's units.
@Suite struct ValueTests {
  @Test(arguments: [
    (0.0, 65536), (-6.0, 52057), (-60.0, 6554), (6.0, 82505), (-120.0, 655),
  ])
  func `decibels as PulseAudio counts them`(_ decibels: Double, _ raw: UInt32) {
    #expect(Volume(decibels: decibels).rawValue == raw)
  }

  @Test func `a volume read back equals the one written`() {
    for raw in stride(from: UInt32(1), through: 200_000, by: 37) {
      let volume = Volume(rawValue: raw)
      #expect(Volume(fraction: volume.fraction) == volume)
      #expect(Volume(decibels: volume.decibels) == volume)
    }
  }

  @Test func `the ends of the scale`() {
    #expect(Volume(decibels: -.infinity) == .muted)
    #expect(Volume.muted.decibels == -.infinity)
    #expect(Volume(fraction: -1) == .muted)
    #expect(Volume(fraction: .nan) == .muted)
    #expect(Volume(fraction: .infinity) == .maximum)
    #expect(Volume(decibels: 10_000) == .maximum)
    #expect(Volume.norm.decibels == 0)
    #expect(Volume.muted < .norm)
    #expect("\(Volume(fraction: 0.336))" == "33.6 %")
    #expect("\(Volume(fraction: 0.8))" == "80 %")
    #expect("\(Volume.maximum)" == "3276800 %")
  }

  @Test func `volumes of channels`() {
    #expect(ChannelVolumes([]).loudest == .muted)
    #expect(ChannelVolumes([.muted, .norm]).loudest == .norm)
    #expect(ChannelVolumes(.norm, channels: 3).isUniformly(.norm))
    #expect(!ChannelVolumes([.muted, .norm]).isUniformly(.norm))
    #expect(Words.volume(ChannelVolumes([])) == "none")
    #expect(Words.volume(ChannelVolumes([.norm, .muted])) == "100 % / 0 %")
  }

  @Test func `maps`() {
    #expect("\(ChannelMap.quad)" == "front-left,front-right,rear-left,rear-right")
    #expect(
      (0...32).filter { ChannelMap.standard(channels: $0) != nil } == [1, 2, 4, 6, 8])
    for count in [1, 2, 4, 6, 8] {
      let map = ChannelMap.standard(channels: count)
      #expect(map?.count == count)
      #expect(Set(map?.positions ?? []).count == count)
    }
    #expect(Set(ChannelPosition.allCases.map(\.rawValue)).count == 51)
    #expect(ChannelPosition(rawValue: "front-left-of-center") == .frontLeftOfCenter)
  }

  @Test(arguments: [
    (Duration.milliseconds(10), "10 ms"), (.microseconds(5_805), "5.8 ms"),
    (.microseconds(-5_000), "-5 ms"), (.zero, "0 ms"), (.microseconds(49), "0 ms"),
    (.microseconds(50), "0.1 ms"), (.microseconds(9_960), "10 ms"), (.seconds(2), "2000 ms"),
    (.seconds(Int64.max), "9223372036854775.8 ms"),
    (.seconds(Int64.min), "-9223372036854775.8 ms"),
  ])
  func `milliseconds for people`(_ duration: Duration, _ words: String) {
    #expect(Words.milliseconds(duration) == words)
  }

  @Test func `lists for people`() {
    #expect(Words.list([]) == "")
    #expect(Words.list(["a"]) == "a")
    #expect(Words.list(["a", "b"]) == "a and b")
    #expect(Words.list(["a", "b", "c"], last: "or") == "a, b or c")
  }

  @Test func `durations, frames and bytes`() {
    let spec = SampleSpec(format: .float32le, rate: 48000, channels: 2)
    #expect(spec.frameBytes == 8)
    #expect(spec.frames(for: .milliseconds(10)) == 480)
    #expect(spec.bytes(for: .milliseconds(10)) == 3840)
    #expect(spec.bytes(for: .zero) == 8)
    #expect(spec.duration(ofBytes: 3840) == .milliseconds(10))
    #expect(SampleSpec(format: nil, rate: 0, channels: 0).duration(ofBytes: 100) == .zero)
    #expect(BufferDuration.frames(480).duration(atRate: 48000) == .milliseconds(10))
    #expect(BufferDuration.frames(1).duration(atRate: 0) == .seconds(1))
    #expect(Duration.seconds(Int64.max).microseconds == .max)
    #expect(Duration.milliseconds(-3).microseconds == -3000)
  }

  @Test func `values of settings for people`() {
    let remap = RemapSpec(direction: .input, master: "mic", masterMap: .stereo, map: .stereo)
    let mix = RemapSpec(direction: .input, master: "mic", masterMap: .mono, map: .mono)
    let values: [(SettingValue, String)] = [
      (.absent, "none"), (.name("x"), "x"), (.rate(48000), "48000 Hz"),
      (.duration(.milliseconds(10)), "10 ms"), (.flag(true), "on"), (.flag(false), "off"),
      (.volume(ChannelVolumes(.norm, channels: 2)), "100 %"),
      (.remap(remap), "front-left,front-right of mic"), (.remap(mix), "all channels mixed of mic"),
    ]
    for (value, words) in values { #expect("\(value)" == words) }
  }

  // MARK: Port types

  struct Jack: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let direction: Direction
    var kind: PortKind = .unknown
    var port: String?
    var properties: [String: String] = [:]
    var device = "alsa"
    let types: [PortType]
  }

  static let jacks = [
    Jack(
      testDescription: "internal microphone", direction: .input, kind: .mic,
      port: "analog-input-internal-mic", types: [.builtInMic, .mic]),
    Jack(
      testDescription: "headset microphone", direction: .input, kind: .headset,
      port: "analog-input-headset-mic", types: [.headsetMic, .mic]),
    Jack(
      testDescription: "line in", direction: .input, kind: .line, port: "analog-input-linein",
      types: [.lineIn]),
    Jack(
      testDescription: "USB microphone", direction: .input, kind: .mic, port: "analog-input-mic",
      properties: ["device.bus": "usb"], types: [.usbAudio, .mic]),
    Jack(
      testDescription: "webcam without ports", direction: .input,
      properties: ["device.bus": "usb", "device.form_factor": "webcam"], types: [.usbAudio, .mic]),
    Jack(
      testDescription: "by its name alone", direction: .input, port: "analog-input-headset-mic",
      types: [.headsetMic, .mic]),
    Jack(testDescription: "null source", direction: .input, types: []),
    Jack(
      testDescription: "headphones", direction: .output, kind: .headphones,
      port: "analog-output-headphones", types: [.headphones]),
    Jack(
      testDescription: "speaker", direction: .output, kind: .speaker, port: "analog-output-speaker",
      types: [.speaker]),
    Jack(
      testDescription: "speaker by its name", direction: .output, port: "analog-output-speaker",
      types: [.speaker]),
    Jack(
      testDescription: "HDMI", direction: .output, kind: .hdmi, port: "hdmi-output-0",
      types: [.hdmi]),
    Jack(
      testDescription: "digital", direction: .output, kind: .spdif, port: "iec958-stereo-output",
      types: [.lineOut]),
    Jack(
      testDescription: "an internal card's input without ports", direction: .input,
      properties: ["device.bus": "pci", "device.form_factor": "internal"], types: []),
    Jack(
      testDescription: "an internal card's output without ports", direction: .output,
      properties: ["device.bus": "pci", "device.form_factor": "internal"], types: []),
    Jack(
      testDescription: "TV without ports", direction: .output,
      properties: ["device.form_factor": "tv"], types: [.hdmi]),
    Jack(
      testDescription: "Bluetooth playback", direction: .output, port: "headset-output",
      properties: ["device.bus": "bluetooth"], device: "bluez_sink.AA.a2dp_sink",
      types: [.bluetoothA2DP]),
    Jack(
      testDescription: "Bluetooth call", direction: .output, port: "headset-output",
      device: "bluez_sink.AA.headset_head_unit", types: [.bluetoothHFP]),
    Jack(
      testDescription: "Bluetooth microphone", direction: .input, port: "headset-input",
      device: "bluez_source.AA.headset_head_unit", types: [.bluetoothHFP]),
  ]

  @Test(arguments: ["mic", "front-mic", "rear-mic", "dock-mic"])
  func `an internal card's other microphones are jacks`(_ name: String) {
    let port = DevicePort(name: "analog-input-\(name)", direction: .input, kind: .mic)
    let properties = ["device.bus": "pci", "device.form_factor": "internal"]
    #expect(
      PortType.types(of: port, direction: .input, properties: properties, name: "alsa") == [.mic])
  }

  @Test(arguments: ["aux", "video", "linein"], [PortKind.unknown, .video, .analog])
  func `inputs of AC97 without a type of their own are lines`(_ name: String, _ kind: PortKind) {
    let port = DevicePort(name: "analog-input-\(name)", direction: .input, kind: kind)
    let types = PortType.types(
      of: port, direction: .input, properties: ["device.bus": "pci"], name: "alsa")
    #expect(types == [.lineIn])
  }

  @Test(arguments: jacks) func `what a port is to a person`(_ jack: Jack) {
    let port = jack.port.map { DevicePort(name: $0, direction: jack.direction, kind: jack.kind) }
    #expect(
      PortType.types(
        of: port, direction: jack.direction, properties: jack.properties, name: jack.device)
        == jack.types)
  }

  @Test func `a number that overflows is shown as one that does not`() {
    #expect(PropertyUnit.hertz.text(.infinity) == "0 Hz" && PropertyUnit.hertz.text(.nan) == "0 Hz")
    #expect(PropertyUnit.hertz.text(48000) == "48000 Hz")
    #expect(PropertyUnit.seconds.text(0.01) == "10 ms")
  }

  @Test func `polar patterns are an input's`() {
    let array = Device(
      direction: .input, index: Index(1), name: "array",
      sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 4), channelMap: .quad)
    #expect(!array.polarPatterns.isEmpty)
    var speakers = array
    speakers.direction = .output
    #expect(speakers.polarPatterns == [])
  }
}
