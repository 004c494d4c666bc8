import PulseTypes
import SessionCore
import SessionProfiles
import TestSupport
import Testing

/// The example of the documentation, key for key.
@Suite struct ExampleTests {
  static let text = """
    schema = 1                            # optional; a newer one is a clear error
    description = "Podcast: USB microphone first, true stereo, 48 kHz, 10 ms"
    extends = "base"                      # optional, another profile's name

    category = "record"                   # ambient solo-ambient playback record
    mode = "measurement"
    options = ["allow-bluetooth-hfp"]     # mix-with-others (the default here)
                                          # allow-bluetooth-hfp (also: allow-bluetooth)
    sample-rate = 48000                   # Hz, 4000-384000
    buffer-duration = "10 ms"             # "10 ms", "0.01 s", or frames at the rate
    strict = ["sample-rate"]              # hints that must be met
    reapply = "always"                    # always on-route-change never
    on-failure = "rollback"               # rollback best-effort
    scope = "server"                      # server application

    [input]
    prefer = ["alsa_input.usb-*", { port-type = "headset-mic" }, { form-factor = "headset" }, \
    { property = { "device.bus" = "usb" } }, "default"]
    required = true                       # false: wait for it instead of failing
    port = ["analog-input-headset-mic", "type:mic"]      # ranked; names, globs or type:…
    polar-pattern = "stereo"              # stereo omnidirectional cardioid subcardioid
    orientation = "landscape-left"        # none portrait …
    channel-map = ["front-left", "front-right"]
    gain = "80 %"                         # "80 %", "-6 dB": of the hardware input
    gain-lock = true
    mute = false
    move-streams = true
    latency-offset = "0 ms"               # of the port

    [output]
    prefer = ["bluez_output.*", "default"]
    port = ["type:headphones", "type:speaker"]
    channel-map = ["front-left", "front-right"]
    volume = "50 %"
    mute = false

    [match]                               # when `watch --auto` may choose this profile
    inputs = ["alsa_input.usb-*"]
    outputs = []
    """

  static var mode: AudioMode {
    var mode = AudioMode(
      category: .record, mode: .measurement, options: [.allowBluetoothHFP])
    mode.sampleRate = 48000
    mode.ioBufferDuration = .duration(.milliseconds(10))
    mode.strict = [.sampleRate]
    mode.reapply = .always
    mode.onFailure = .rollback
    mode.scope = .server
    mode.preferredInput = [
      .name("alsa_input.usb-*"), .portType(.headsetMic), .formFactor("headset"),
      .properties(["device.bus": "usb"]), .default,
    ]
    mode.inputRequired = true
    mode.inputPort = [.name("analog-input-headset-mic"), .type(.mic)]
    mode.polarPattern = .stereo
    mode.inputOrientation = .landscapeLeft
    mode.channelMap = .positions([.frontLeft, .frontRight])
    mode.inputGain = Volume(fraction: 0.8)
    mode.gainLock = true
    mode.inputMuted = false
    mode.moveInputStreams = true
    mode.inputLatencyOffset = .zero
    mode.preferredOutput = [.name("bluez_output.*"), .default]
    mode.outputPort = [.type(.headphones), .type(.speaker)]
    mode.outputChannelMap = .positions([.frontLeft, .frontRight])
    mode.outputVolume = Volume(fraction: 0.5)
    mode.outputMuted = false
    return mode
  }

  @Test func `the documented example parses to exactly this mode`() throws {
    let parsed = try Profile.parse(Self.text, name: "podcast")
    #expect(parsed.mode == Self.mode)
    #expect(parsed.description == "Podcast: USB microphone first, true stereo, 48 kHz, 10 ms")
    #expect(parsed.extends == "base")
    #expect(parsed.match == ProfileMatch(inputs: [.name("alsa_input.usb-*")]))
    #expect(parsed.session == nil)
  }

  /// The example shows every key; a profile cannot have the pattern and the map at once.
  @Test func `the example as a profile is told to keep one of pattern and map`() throws {
    let folder = TemporaryFolder()
    folder.write("", to: "base.toml")
    let path = folder.write(Self.text, to: "example.toml")
    let error = try #require(throws: SessionError.self) { try Profile.named(path) }
    #expect(
      error.message
        == "\(path):20:1: a polar pattern and a channel map both say which channels to take; "
        + "keep one of them")
    #expect(error.code == .invalidValue)
  }
}
