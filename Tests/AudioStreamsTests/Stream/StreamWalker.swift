import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport

@testable import AudioStreams

/// Who acts while a stream runs: a user, other programs and the server.
struct StreamWalker {
  private let rig: Rig
  private let direction: Direction
  var random: SeededRandom
  var trace: [String] = []
  private var outside: PulseClient
  private var streams: [PulseStream] = []
  private var isPlugged = true
  private var suspended: (name: String, since: ContinuousClock.Instant)?
  /// How long the server was frozen, and devices were suspended.
  private(set) var stopped = Duration.zero
  private(set) var restarts = 0

  init(_ rig: Rig, _ direction: Direction, _ random: SeededRandom) async throws {
    (self.rig, self.direction, self.random) = (rig, direction, random)
    outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
  }

  mutating func setMode() async throws {
    var mode = AudioMode(category: direction == .input ? .record : .playback)
    let devices: [DeviceMatcher] =
      direction == .input
      ? ["alsa_input.usb-*", "alsa_input.pci-*"] : ["alsa_output.usb-*", "alsa_output.pci-*"]
    let preferred = random.one(in: 2) ? devices : devices.reversed()
    if direction == .input {
      mode.preferredInput = preferred
    } else {
      mode.preferredOutput = preferred
    }
    mode.sampleRate = random.maybe([16000, 44100, 48000, 96000], in: 2)
    mode.ioBufferDuration = random.maybe(
      [.milliseconds(10), .milliseconds(20)], in: 2)
    trace.append(
      "mode \(preferred) \(mode.sampleRate ?? 0) \(mode.ioBufferDuration as Any)")
    try await rig.session.setAudioMode(mode)
  }

  mutating func act() async throws {
    do {
      try await actOnce()
    } catch let error as SessionError {
      trace.append("… \(error)")
    } catch let error as PulseError {
      trace.append("… \(error)")
    }
  }

  private mutating func actOnce() async throws {
    let devices = try await outside.snapshot().devices(direction).filter { !$0.isMonitor }
    switch random.int(in: 1...8) {
    case 1, 2: try await setMode()
    case 3:
      trace.append(isPlugged ? "unplug the card" : "plug in the card")
      try await isPlugged ? rig.sandbox.unplug(usb) : rig.sandbox.plug(usb)
      isPlugged.toggle()
    case 4:
      guard let device = random.maybe(devices, in: 1) else { return }
      trace.append("default \(device.name)")
      try await direction == .input
        ? outside.setDefaultSource(device.name) : outside.setDefaultSink(device.name)
    case 5:
      guard let device = random.maybe(devices, in: 1) else { return }
      let rate = random.pick([44100, 48000] as [UInt32])
      trace.append("stream \(rate) on \(device.name)")
      streams.append(
        try await outside.openStream(
          StreamOptions(
            direction: direction, name: "another", device: device.name,
            spec: SampleSpec(format: .s16le, rate: rate, channels: 2),
            latency: random.maybe([.milliseconds(5), .milliseconds(60)]), startCorked: false)))
    case 6:
      let pause = random.int(in: 50...longestFreeze)
      trace.append("the server is frozen for \(pause) ms")
      stopped += .milliseconds(pause)
      try await rig.sandbox.freeze()
      try await Task.sleep(for: .milliseconds(pause))
      try await rig.sandbox.thaw()
    case 7:
      trace.append("the server is started again")
      restarts += 1
      await forget()
      try await rig.sandbox.restart()
      outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
    default:
      // pipewire-pulse suspends the simulated card, which is silent then, for everyone.
      guard rig.sandbox.configuration.server == .pulseaudio else { return try await setMode() }
      guard suspended == nil, let device = random.maybe(devices, in: 1) else {
        return try await resume()
      }
      trace.append("suspend \(device.name)")
      suspended = (device.name, .now)
      try await outside.suspend(direction, device: device.name, true)
    }
  }

  private var usb: String {
    "alsa_card.usb-Example_USB_" + (direction == .input ? "Microphone-00" : "Headset-00")
  }

  /// PipeWire's simulated card makes up for a longer one with zeros, for everyone.
  private var longestFreeze: Int {
    rig.sandbox.configuration.server == .pulseaudio ? 1500 : 200
  }

  private mutating func resume() async throws {
    guard let (name, since) = suspended else { return }
    trace.append("resume \(name)")
    suspended = nil
    defer { stopped += ContinuousClock.now - since }
    try await outside.suspend(direction, device: name, false)
  }

  private mutating func forget() async {
    for stream in streams { await stream.close() }
    await outside.close()
    (streams, suspended, isPlugged) = ([], nil, true)
  }

  /// Leaves the server so that it can record.
  mutating func calm() async throws {
    try? await resume()
    if !isPlugged {
      trace.append("plug in the card")
      try await rig.sandbox.plug(usb)
      isPlugged = true
    }
  }

  mutating func end() async { await forget() }
}
