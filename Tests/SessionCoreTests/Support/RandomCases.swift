import PulseTypes
import TestSupport

@testable import SessionCore

/// Machines and modes by the seed: the same in every run, and no two alike.
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
    if kind == .pipewire {
      for device in server.snapshot.sources + server.snapshot.sinks
      where device.card != nil && !device.isMonitor && limits.one(in: 4) {
        server.volumeCounts[device.name] = 11
        try? server.edit(device.direction, device.name) {
          $0.volumeSteps = SimulatedServer.volumeSteps(11)
          $0.volume = $0.volume.nearest(of: 11)
        }
      }
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

  mutating func mode() -> AudioMode {
    var mode = AudioMode()
    mode.category = maybe(Category.allCases, in: 2)
    mode.mode = maybe(Mode.allCases)
    if mode.mode == .voiceChat || mode.mode == .videoChat {
      mode.category = maybe([.playAndRecord])
      mode.unloadsIdleEchoCanceller = maybe([true])
    }
    mode.options = maybe([
      [.allowBluetoothHFP], [.mixWithOthers], [.duckOthers, .allowBluetoothHFP], [.silenceOthers],
      [.interruptSpokenAudio, .duckOthers],
    ])
    mode.sampleRate = maybe([16000, 44100, 48000, 96000])
    mode.ioBufferDuration = maybe([.milliseconds(10), .frames(256), .milliseconds(100)])
    mode.onFailure = maybe([.bestEffort])
    mode.preferredInput = maybe([
      ["default"], ["alsa_input.usb.*", "default"], [.portType(.headsetMic), .portType(.mic)],
      [.name(SimulatedServer.quad), "default"], ["bluez_source.*", "default"],
      [.formFactor("internal"), "*"], ["*.monitor"], [.properties(["device.bus": "usb"])],
    ])
    mode.inputRequired = maybe([true, false])
    mode.inputPort = maybe([[.type(.headsetMic), .type(.mic)], ["analog-input-linein", "*"]])
    mode.channelMap = maybe([
      .mono, .left, .right, .swap, .positions([.frontRight, .frontLeft]),
      .positions([.rearLeft, .rearRight]),
    ])
    if mode.channelMap == nil { mode.polarPattern = maybe(PolarPattern.allCases, in: 4) }
    mode.inputOrientation = maybe(Orientation.allCases, in: 4)
    mode.inputGain = maybe([.norm, Volume(fraction: 0.35), .muted])
    mode.inputMuted = maybe([true, false])
    mode.moveInputStreams = maybe([true])
    mode.inputLatencyOffset = maybe([.milliseconds(20)], in: 5)
    mode.preferredOutput = maybe([
      ["default"], ["bluez_sink.*", "default"], ["null"], [.portType(.hdmi), "default"],
      [.portType(.headphones), .portType(.speaker)],
    ])
    mode.outputRequired = maybe([true, false])
    mode.outputPort = maybe([[.type(.headphones), .type(.speaker)], [.type(.hdmi)]], in: 5)
    mode.outputChannelMap = maybe([.mono, .swap], in: 5)
    mode.outputVolume = maybe([Volume(fraction: 0.5)])
    mode.outputMuted = maybe([true, false])
    mode.moveOutputStreams = maybe([true], in: 5)
    // By a copy: what follows is the same as without it.
    var more = self
    mode.outputLatencyOffset = more.maybe([.milliseconds(20)], in: 5)
    for row in Property.rows where row.isSet(mode) { row.excludes?.property.row.clear(&mode) }
    return mode
  }
}
