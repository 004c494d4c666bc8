import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// The documented order, step by step: phase, object, property, from → to.
@Suite struct PlanOrderTests {
  private static func studio() -> AudioMode {
    preferring {
      $0.category = .record
      $0.sampleRate = 48000
      $0.ioBufferDuration = .milliseconds(10)
      $0.preferredInput = [.name(Server.microphone)]
      $0.inputPort = ["analog-input-linein"]
      $0.channelMap = .swap
      $0.inputGain = Volume(fraction: 0.8)
      $0.inputMuted = true
      $0.inputLatencyOffset = .milliseconds(20)
      $0.moveInputStreams = true
      $0.outputVolume = Volume(fraction: 0.5)
    }
  }

  @Test func `a mode for everything is planned in the order of the phases`() throws {
    var server = Server.machine {
      $0.addLaptop("output:analog-stereo", jacks: ["analog-input-linein": .yes])
      $0.addUSB()
      $0.add(stream: "mumble", .input, on: Server.usb)
      // What measures a device is not moved.
      $0.add(stream: "meter", .input, on: Server.usb, properties: [Owned.fixedKey: "yes"])
    }
    try server.edit(.output, Server.speakers) { $0.volume = ChannelVolumes(.norm, channels: 2) }
    let plan = try server.plan(Self.studio())
    #expect(
      plan.lines == [
        "1 alsa_card.pci profile: output:analog-stereo → \(Server.duplex)",
        "2 \(Server.microphone) sample rate: ? → 48000 Hz (deferred)",
        "3 \(Server.microphone) latency: ? → 10 ms (deferred)",
        // The default is not written in phase 4: a chain is built, and it is written once, at its end.
        "5 \(Server.microphone) port: ? → analog-input-linein (deferred)",
        "6 audiosession.input channel map: none → front-right,front-left of \(Server.microphone)"
          + " (deferred)",
        "6 server default source: \(Server.usb) → audiosession.input (deferred)",
        "6 source output \(server.snapshot.sourceOutputs[0].index) device: \(Server.usb)"
          + " → audiosession.input",
        "7 \(Server.microphone) volume: ? → 80 % (deferred)",
        "7 \(Server.microphone) mute: ? → on (deferred)",
        "7 alsa_card.pci analog-input-linein latency offset: 0 ms → 20 ms",
        "7 \(Server.speakers) volume: 100 % → 50 %",
      ])
    #expect(plan.unmet == [])
  }

  @Test func `each step says which property of the session asks for it, and why`() throws {
    let server = Server.laptop("off", jacks: ["analog-input-linein": .yes])
    let plan = try server.plan(Self.studio())
    #expect(
      plan.steps.map(\.property) == [
        .category, .sampleRate, .ioBufferDuration, .inputPort, .channelMap, .preferredInput,
        .inputGain, .inputMuted, .inputLatencyOffset, .outputVolume,
      ])
    #expect(plan.steps.allSatisfy { !$0.why.isEmpty })
    #expect(Set(plan.steps.map(\.property)).isSubset(of: Property.reported))
  }

  @Test func `what is so already costs nothing`() throws {
    var run = Run(
      Server.laptop("off", jacks: ["analog-input-linein": .yes]),
      PlanInput(mode: Self.studio(), snapshot: Server.laptop().snapshot))
    run.run()
    #expect(run.failure == nil)
    #expect(try run.server.plan(Self.studio()).isEmpty)
  }

  @Test func `an empty mode plans nothing`() throws {
    #expect(try Server.laptop().plan(AudioMode()) == Plan())
    #expect(try SimulatedServer().plan(AudioMode()) == Plan())
  }

  /// What each single preference does to the laptop, whose levels are all 100 % and unmuted.
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let mode: AudioMode
    let lines: [String]
    init(_ name: String, _ lines: [String], _ change: (inout AudioMode) -> Void) {
      testDescription = name
      mode = SessionCoreTests.preferring(change)
      self.lines = lines
    }
  }

  private static let mic = Server.microphone
  private static let out = Server.speakers

  static let rows = [
    Row("mode", []) { $0.mode = .measurement },
    Row("options", []) { $0.options = [.mixWithOthers] },
    Row("sample rate", ["2 \(mic) sample rate: 44100 Hz → 48000 Hz"]) { $0.sampleRate = 48000 },
    Row("sample rate of playback", ["2 \(out) sample rate: 44100 Hz → 48000 Hz"]) {
      $0.category = .playback
      $0.sampleRate = 48000
    },
    Row("buffer", ["3 \(mic) latency: none → 10 ms"]) { $0.ioBufferDuration = .milliseconds(10) },
    Row("buffer in frames", ["3 \(mic) latency: none → 5.8 ms"]) {
      $0.ioBufferDuration = .frames(256)
    },
    Row(
      "frames at the preferred rate",
      ["2 \(mic) sample rate: 44100 Hz → 48000 Hz", "3 \(mic) latency: none → 5.3 ms"]
    ) {
      $0.sampleRate = 48000
      $0.ioBufferDuration = .frames(256)
    },
    Row("input, the default already", []) { $0.preferredInput = [.name(mic)] },
    Row("a monitor that is named", ["4 server default source: \(mic) → \(out).monitor"]) {
      $0.preferredInput = [.name("\(out).monitor")]
    },
    Row("port in use", []) { $0.inputPort = [.type(.builtInMic)] },
    Row("port", ["5 \(mic) port: analog-input-internal-mic → analog-input-linein"]) {
      $0.inputPort = [.type(.lineIn)]
    },
    Row(
      "channel map",
      [
        "6 audiosession.input channel map: none → front-right,front-left of \(mic)",
        "6 server default source: \(mic) → audiosession.input",
      ]
    ) { $0.channelMap = .positions([.frontRight, .frontLeft]) },
    Row(
      "output channel map",
      [
        "6 audiosession.output channel map: none → all channels mixed of \(out)",
        "6 server default sink: \(out) → audiosession.output",
      ]
    ) { $0.outputChannelMap = .mono },
    Row("gain", ["7 \(mic) volume: 100 % → 80 %"]) { $0.inputGain = Volume(fraction: 0.8) },
    Row("gain as it is", []) { $0.inputGain = .norm },
    Row("mute", ["7 \(mic) mute: off → on"]) { $0.inputMuted = true },
    Row("unmuted already", []) { $0.inputMuted = false },
    Row(
      "latency offset", ["7 alsa_card.pci analog-input-internal-mic latency offset: 0 ms → -5 ms"]
    ) {
      $0.inputLatencyOffset = .milliseconds(-5)
    },
    Row("volume", ["7 \(out) volume: 100 % → 25 %"]) { $0.outputVolume = Volume(fraction: 0.25) },
    Row("output mute", ["7 \(out) mute: off → on"]) { $0.outputMuted = true },
    Row(
      "output latency offset",
      ["7 alsa_card.pci analog-output-speaker latency offset: 0 ms → 30 ms"]
    ) { $0.outputLatencyOffset = .milliseconds(30) },
    Row("gain lock, reapply, scope", []) {
      $0.gainLock = true
      $0.reapply = .never
      $0.scope = .server
    },
  ]

  @Test(arguments: rows) func `what each mode does`(_ row: Row) throws {
    var server = Server.laptop(jacks: ["analog-input-linein": .yes])
    for (direction, name) in [(Direction.input, Self.mic), (.output, Self.out)] {
      try server.edit(direction, name) { $0.volume = ChannelVolumes(.norm, channels: 2) }
    }
    let plan = try server.plan(row.mode)
    #expect(plan.lines == row.lines)
    #expect(plan.unmet == [])
  }
}
