import PulseTypes
import SessionCore

/// Machines and wishes by the seed: the same in every run, and no two alike.
extension SeededRandom {
  mutating func machine(kind: ServerKind = .pulseaudio) -> SimulatedServer {
    var server = SimulatedServer(kind: kind, seed: next())
    server.recreatesKeptDevices = one(in: 2)
    if !one(in: 5) { addLaptop(&server) }
    if one(in: 2) { server.addUSB(pick(["input:analog-stereo", "off"])) }
    if one(in: 3) { server.addWebcam(pick(["input:mono-fallback", "off"])) }
    if one(in: 3) { server.addBluetooth(pick(["a2dp_sink", "headset_head_unit", "off"])) }
    if one(in: 3) { server.addLoose(.output, "null", rates: pick([[44100, 48000], [48000]])) }
    if one(in: 4) { server.addLoose(.input, "silence", rates: [44100]) }
    if one(in: 3) { server.addLoose(.input, SimulatedServer.quad, .quad) }
    server.updateDefaults()
    for direction in Direction.allCases {
      if let device = maybe(server.snapshot.devices(direction), in: 2) {
        try? server.setDefault(direction, device.name)
      }
      for program in ["firefox", "mumble"] {
        guard let device = maybe(server.snapshot.devices(direction)) else { continue }
        server.add(
          stream: program, direction, on: device.name, isCorked: one(in: 2),
          latency: maybe([.milliseconds(5), .milliseconds(50)]))
      }
    }
    // By a copy: what follows is the same as without limits.
    var limits = self
    for device in server.snapshot.sources + server.snapshot.sinks where limits.one(in: 4) {
      let least = limits.pick([Duration.milliseconds(3), .milliseconds(25), .milliseconds(100)])
      server.latencies[device.name] = least...limits.pick([least, .seconds(2)])
    }
    if one(in: 3), let port = maybe(["analog-input-headset-mic", "analog-input-linein"], in: 1) {
      try? server.edit(.input, SimulatedServer.microphone) { $0.activePort = port }
      server.updateDefaults()
    }
    server.updateStates()
    return server
  }

  private mutating func addLaptop(_ server: inout SimulatedServer) {
    let availability: [PortAvailability] = [.yes, .no, .unknown]
    let screen = pick(availability)
    let profiles = [
      SimulatedServer.duplex, "output:analog-stereo", "input:analog-stereo", "off", "pro-audio",
    ]
    server.addLaptop(
      pick(profiles + (screen.isUsable ? ["output:hdmi-stereo"] : [])),
      jacks: [
        "hdmi-output-0": screen, "analog-input-headset-mic": pick(availability),
        "analog-output-headphones": pick(availability), "analog-input-linein": pick(availability),
      ])
  }

  /// A remap of an earlier run: right, stale, or on another device.
  mutating func addLeftover(to server: inout SimulatedServer) {
    if one(in: 3), let input = maybe(server.snapshot.hardware(.input), in: 1),
      let output = maybe(server.snapshot.hardware(.output), in: 1)
    {
      try? server.loadCanceller(
        EchoCancellerSpec(
          method: "webrtc", input: input.name, output: output.name, map: input.channelMap,
          rate: pick([32000, 48000])))
      if one(in: 2) {
        server.addRemap(of: Owned.echoName(.input), taking: .mono, as: .mono)
      }
      return
    }
    let direction = pick(Direction.allCases)
    guard let master = maybe(server.snapshot.hardware(direction), in: 1) else { return }
    server.addRemap(
      direction, of: master.name,
      taking: pick([ChannelMap([.frontRight, .frontLeft]), .mono, ChannelMap([.frontLeft])]),
      as: pick([.stereo, .mono]))
    try? server.edit(direction, Owned.name(direction)) { [muted = one(in: 4)] in
      $0.isMuted = muted
    }
  }

  mutating func wish() -> AudioMode {
    var wish = AudioMode()
    wish.category = maybe(Category.allCases, in: 2)
    wish.mode = maybe(Mode.allCases)
    if wish.mode == .voiceChat || wish.mode == .videoChat {
      wish.category = maybe([.playAndRecord])
      wish.unloadsIdleEchoCanceller = maybe([true])
    }
    wish.options = maybe([
      [.allowBluetoothHFP], [.mixWithOthers], [.duckOthers, .allowBluetoothHFP], [.silenceOthers],
      [.interruptSpokenAudio, .duckOthers],
    ])
    wish.sampleRate = maybe([16000, 44100, 48000, 96000])
    wish.ioBufferDuration = maybe([.milliseconds(10), .frames(256), .milliseconds(100)])
    wish.onFailure = maybe([.bestEffort])
    wish.preferredInput = maybe([
      ["default"], ["alsa_input.usb.*", "default"], [.portType(.headsetMic), .portType(.mic)],
      [.name(SimulatedServer.quad), "default"], ["bluez_source.*", "default"],
      [.formFactor("internal"), "*"], ["*.monitor"], [.properties(["device.bus": "usb"])],
    ])
    wish.inputRequired = maybe([true, false])
    wish.inputPort = maybe([[.type(.headsetMic), .type(.mic)], ["analog-input-linein", "*"]])
    wish.channelMap = maybe([
      .mono, .left, .right, .swap, .positions([.frontRight, .frontLeft]),
      .positions([.rearLeft, .rearRight]),
    ])
    if wish.channelMap == nil { wish.polarPattern = maybe(PolarPattern.allCases, in: 4) }
    wish.inputOrientation = maybe(Orientation.allCases, in: 4)
    wish.inputGain = maybe([.norm, Volume(fraction: 0.35), .muted])
    wish.inputMuted = maybe([true, false])
    wish.moveInputStreams = maybe([true])
    wish.inputLatencyOffset = maybe([.milliseconds(20)], in: 5)
    wish.preferredOutput = maybe([
      ["default"], ["bluez_sink.*", "default"], ["null"], [.portType(.hdmi), "default"],
      [.portType(.headphones), .portType(.speaker)],
    ])
    wish.outputRequired = maybe([true, false])
    wish.outputPort = maybe([[.type(.headphones), .type(.speaker)], [.type(.hdmi)]], in: 5)
    wish.outputChannelMap = maybe([.mono, .swap], in: 5)
    wish.outputVolume = maybe([Volume(fraction: 0.5)])
    wish.outputMuted = maybe([true, false])
    wish.moveOutputStreams = maybe([true], in: 5)
    return wish
  }
}
