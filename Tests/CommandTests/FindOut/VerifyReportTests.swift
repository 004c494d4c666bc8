import AudioSession
import Glibc
import Testing

@testable import AudioStreams
@testable import SessionCore
@testable import audiosession

@Suite("The report of verify")
struct VerifyReportTests {
  static func sine(_ frequency: Double) -> [Float] {
    (0..<4410).map { Float(0.25 * sin(2 * Double.pi * frequency * Double($0) / 44100)) }
  }

  static let stereo = SignalCheck([sine(440), sine(880)])

  static func measured(
    rate: Double = 44100, buffer: Duration? = .milliseconds(10), lost: Int = 0,
    _ check: SignalCheck = stereo, order: [Set<ChannelMatch>]? = nil
  ) -> DeviceMeasurement {
    let points = (0..<100).map {
      (time: Int64(Double($0 * 441) / rate * 1e9), frames: $0 * 441)
    }
    return DeviceMeasurement(
      device: "alsa_input.usb-Example_USB_Microphone-00.analog-stereo", claimedRate: 44100,
      rate: ClockFit(points), buffer: buffer, lost: lost, check: check, order: order)
  }

  static func state(
    _ properties: [Property: PropertyReport] = [:],
    map: [ChannelPosition] = [.frontLeft, .frontRight], on kind: ServerKind = .pulseaudio
  ) -> SessionState {
    var state = SessionState(
      input: nil, mode: AudioMode(), server: nil, profile: nil, active: false)
    state.properties = properties
    state.capabilities = Capabilities(kind.traits)
    state.route = Route(inputs: [], outputs: [])
    return state
  }

  static func report(
    _ measured: DeviceMeasurement, _ properties: [Property: PropertyReport] = [:],
    hardware: [ChannelPosition] = [.frontLeft, .frontRight], isMonitor: Bool = false,
    isProcessed: Bool = false, loop: LoopMeasurement? = nil, on kind: ServerKind = .pulseaudio
  ) -> VerifyReport {
    VerifyReport(
      state: state(properties, on: kind), measured: measured, isProcessed: isProcessed,
      hardware: hardware, isMonitor: isMonitor,
      loop: loop, output: [.frontLeft, .frontRight], name: "Microphone")
  }

  static func differing(_ report: VerifyReport) -> [String] {
    report.checks.filter { !$0.isOK }.map(\.name)
  }

  static func report(_ value: StateValue, _ actual: StateValue?) -> PropertyReport {
    .made(
      preferred: value, actual: actual, verdict: actual == value ? .applied : .unreachable,
      reason: actual == value ? nil : "it cannot")
  }

  @Test("an output's buffer that is measured in parts is as short as the server says, not shorter")
  func shortOutputBuffer() {
    func differing(_ actual: Double) -> [String] {
      let properties: [Property: PropertyReport] = [
        .ioBufferDuration: Self.report(.number(0.0058), .number(actual))
      ]
      let measured = Self.measured(buffer: .microseconds(1900))
      return Self.differing(Self.report(measured, properties, isMonitor: true))
    }
    #expect(differing(0.0058) == [])
    #expect(differing(0.0019) == ["ioBufferDuration"])
  }

  /// On PipeWire the state's value was measured before, and a monitor delivers whole buffers.
  @Test("a buffer of PipeWire's graph is what was measured")
  func shortBufferOfGraph() {
    func differing(_ measured: Duration, of preferred: Double, as actual: Double) -> [String] {
      let reading = [
        "object": "out", "property": "latency", "text": "\(actual) s", "answer": "grant",
      ]
      let report = PropertyReport.made(
        preferred: .number(preferred), actual: .number(actual), verdict: .applied,
        readings: [reading])
      return Self.differing(
        Self.report(
          Self.measured(buffer: measured), [.ioBufferDuration: report], isMonitor: true,
          on: .pipewire))
    }
    #expect(differing(.microseconds(1900), of: 0.0058, as: 0.0053) == ["ioBufferDuration"])
    #expect(differing(.microseconds(5300), of: 0.0058, as: 0.0053) == [])
    // The nearest power of two counts as applied.
    #expect(differing(.microseconds(10_667), of: 0.015, as: 512 / 48000) == [])
    #expect(differing(.microseconds(21_333), of: 0.015, as: 512 / 48000) == ["ioBufferDuration"])
  }

  @Test("what a canceller made of the sound has no order that could be told")
  func cancelled() {
    let measured = Self.measured(order: [[], []])
    #expect(Self.differing(Self.report(measured)) == ["channels"])
    #expect(Self.differing(Self.report(measured, isProcessed: true)) == [])
  }

  @Test("all as wanted")
  func asWanted() {
    let report = Self.report(
      Self.measured(),
      [
        .sampleRate: Self.report(.number(44100), .number(44100)),
        .ioBufferDuration: Self.report(.number(0.01), .number(0.01)),
      ])
    #expect(Self.differing(report) == [])
    #expect(report.isAsWanted)
  }

  @Test(
    "a rate is as wanted within a tenth of a percent",
    arguments: [(44100, true), (44060, true), (44140, true), (44040, false), (48000, false)])
  func rate(_ rate: Double, _ isOK: Bool) {
    let report = Self.report(Self.measured(rate: rate))
    #expect(Self.differing(report) == (isOK ? [] : ["sampleRate"]))
  }

  @Test("a server that claims what is not so is found")
  func lyingServer() {
    let report = Self.report(
      Self.measured(rate: 44100), [.sampleRate: Self.report(.number(48000), .number(48000))])
    #expect(Self.differing(report) == ["sampleRate"])
  }

  @Test(
    "a buffer is as wanted within a fifth; an output's may be filled up in parts",
    arguments: [(10.1, false, true), (12.5, false, false), (7.5, false, false), (5, true, true)])
  func buffer(_ milliseconds: Double, _ isMonitor: Bool, _ isOK: Bool) {
    let report = Self.report(
      Self.measured(buffer: .seconds(milliseconds / 1000)),
      [.ioBufferDuration: Self.report(.number(0.01), .number(0.01))], isMonitor: isMonitor)
    #expect(Self.differing(report) == (isOK ? [] : ["ioBufferDuration"]))
  }

  @Test("nothing came, and frames were lost")
  func lost() {
    var measured = Self.measured(buffer: nil, lost: 5, SignalCheck([[], []]))
    measured.rate = nil
    let report = Self.report(
      measured, [.ioBufferDuration: Self.report(.number(0.01), .number(0.01))])
    #expect(
      Self.differing(report) == ["sampleRate", "ioBufferDuration", "silence", "lostFrames"])
  }

  @Test("each fault of the sound is named with its channel")
  func faults() throws {
    let loud = Self.sine(440).map { min(1, max(-1, $0 * 8)) }
    let check = SignalCheck([loud, loud.map { _ in 0.05 }])
    let report = Self.report(Self.measured(check))
    #expect(Self.differing(report) == ["deadChannel", "clipping", "offset"])
    let offset = try #require(report.checks.first { $0.name == "offset" })
    #expect(offset.measured == .strings(["front-right: 5.0 %"]))
  }

  @Test("a mode that is not in effect and cannot be heard differs, with its reason")
  func unmet() {
    let report = Self.report(
      Self.measured(), [.inputGain: Self.report(.number(0.8), .number(0.4))])
    #expect(Self.differing(report) == ["inputGain"])
    #expect(report.checks.last?.detail == "it cannot")
  }

  @Test("the order of channels is what was heard, not what was claimed")
  func order() {
    let wrong = Self.report(Self.measured(order: [[.channel(1)], [.channel(0)]]))
    #expect(Self.differing(wrong) == ["channels"])
    let right = Self.report(Self.measured(order: [[.channel(0)], [.channel(1)]]))
    #expect(Self.differing(right) == [])
    let unclear = Self.report(
      Self.measured(order: [[.channel(0), .channel(1)], [.channel(0), .channel(1)]]))
    #expect(Self.differing(unclear) == [])
    #expect(unclear.checks.first { $0.name == "channels" }?.detail?.contains("the same") == true)
    let silence = [Float](repeating: 0, count: 4410)
    let silent = Self.report(Self.measured(SignalCheck([silence, silence]), order: [[], []]))
    #expect(Self.differing(silent) == ["silence"])
  }

  @Test("a loop is heard on its channels, or not at all")
  func loop() {
    var loop = LoopMeasurement(
      source: "speakers.monitor", heard: [1, 0], latencies: [.milliseconds(15)])
    loop.isMonitor = true
    #expect(Self.differing(Self.report(Self.measured(), loop: loop)) == ["outputChannels"])
    loop.heard = [0, 1]
    #expect(Self.differing(Self.report(Self.measured(), loop: loop)) == [])
    loop = LoopMeasurement(source: "mic", heard: [nil, nil], latencies: [])
    #expect(Self.differing(Self.report(Self.measured(), loop: loop)) == ["roundTrip"])
  }

  @Test("fits the screen", arguments: [40, 60, 80, 200])
  func fits(_ width: Int) {
    let report = Self.report(
      Self.measured(rate: 48000),
      [
        .sampleRate: Self.report(.number(48000), .number(44100)),
        .inputPort: Self.report(.strings(["analog-input-headset-mic"]), .string("nothing")),
      ])
    for line in VerifyView.lines(report, width: width) {
      #expect(line.width <= width, "\(line.rendered(colour: false))")
    }
  }

  @Test(
    "a command is for copying: it has its own line where it does not fit; silence comes before a wrong rate",
    arguments: [44100, 40000])
  func command(_ rate: Double) {
    let silence = [Float](repeating: 0, count: 4410)
    let report = VerifyReport(
      state: Self.state(), measured: Self.measured(rate: rate, SignalCheck([silence])),
      isProcessed: false,
      hardware: [.mono], isMonitor: false, loop: nil, output: [], name: "Microphone",
      silence: "Microphone is muted; to unmute it: pactl set-source-mute 2 0")
    func end(_ width: Int?) -> String {
      VerifyView.lines(report, width: width).rendered(colour: false)
    }
    #expect(
      end(60).hasSuffix(
        "\nNot ready: Microphone is muted; to unmute it:\n  pactl set-source-mute 2 0\n"))
    #expect(end(nil).hasSuffix("; to unmute it: pactl set-source-mute 2 0\n"))
  }

  @Test("each reason is said once, that of silence at the end")
  func reasons() {
    let silence = [Float](repeating: 0, count: 4410)
    let report = VerifyReport(
      state: Self.state([.sampleRate: Self.report(.number(48000), .number(44100))]),
      measured: Self.measured(SignalCheck([silence])), isProcessed: false, hardware: [.mono],
      isMonitor: false, loop: nil, output: [], name: "Microphone", silence: "it is switched off")
    #expect(Self.differing(report) == ["sampleRate", "silence"])
    let text = VerifyView.lines(report, width: nil).rendered(colour: false)
    for reason in ["it cannot", "it is switched off"] {
      #expect(text.ranges(of: reason).count == 1, "\(text)")
    }
    #expect(text.hasSuffix("\nNot ready: it is switched off\n"), "\(text)")
  }

  @Test("a meter fits the screen too", arguments: [20, 40, 60, 80, 200])
  func meterFits(_ width: Int) {
    var meter = LevelMeter()
    let readings = meter.update(
      [SignalLevel.measure(Self.sine(440)), SignalLevel.measure([1, -1, 1])], at: .zero)
    let frame = MeterFrame(
      device: "mic", seconds: 1, sampleRate: 44100,
      levels: zip(["front-left", "front-right-of-center"], readings).map(MeterFrame.Level.init),
      bands: Spectrum(Self.sine(440), sampleRate: 44100, bands: 24).bands)
    let lines = frame.drawing(width: width, height: 24)
    // On the narrowest the names are above the bars, the second on two lines.
    #expect(lines.count == (width == 20 ? 6 : 3))
    for line in lines { #expect(line.width <= width, "\(line.rendered(colour: false))") }
    let letters = lines.rendered(colour: false).filter { $0.isLetter || $0 == "-" }
    #expect(letters.contains("front-left") && letters.contains("front-right-of-center"))
    #expect(lines.rendered(colour: false).contains("█"))
    #expect(frame.line.rendered(colour: false).contains("CLIPPING"))
    #expect(frame.line.rendered(colour: false).contains("most in 378-486 Hz"))
  }

  @Test func `a meter of silence names no frequency, and a narrow one has every band`() {
    func frame(_ samples: [Float], _ rate: Double) -> MeterFrame {
      MeterFrame(
        device: "mic", seconds: 1, sampleRate: 8000, levels: [],
        bands: Spectrum(samples, sampleRate: rate, bands: 24).bands)
    }
    let silent = frame([Float](repeating: 0, count: 4096), 44100)
    #expect(!silent.line.rendered(colour: false).contains("most in"))
    let low = frame(Self.sine(440), 8000).drawing(width: 24, height: 24)
    let text = low.rendered(colour: false)
    #expect(text.contains(" 4 kHz") && low.allSatisfy { $0.width <= 24 }, "\(text)")
    let high = frame((0..<4096).map { Float(sin(Double($0) * 2 * .pi * 15_000 / 44_100)) }, 44100)
    // The last column is that of the highest bands.
    #expect(high.drawing(width: 24, height: 24).rendered(colour: false).contains("█ 16 kHz"))
  }

  @Test func `a check that could not measure is not ok, and says why`() {
    let silence = [Float](repeating: 0, count: 4410)
    let report = VerifyReport(
      state: Self.state(), measured: Self.measured(SignalCheck([silence])), isProcessed: false,
      hardware: [.mono], isMonitor: false, loop: nil, output: [], name: "Microphone")
    let text = VerifyView.lines(report, width: nil).rendered(colour: false)
    #expect(text.contains("unknown"), "\(text)")
    #expect(text.contains("channels: "), "\(text)")
  }

  @Test("a meter with more lines than the screen says how many channels it leaves out")
  func meterOnALowScreen() {
    let reading = LevelMeter.Reading(peak: 0.5, rms: 0.25, hold: 0.5, isClipping: false)
    let frame = MeterFrame(
      device: "mic", seconds: 1, sampleRate: 44100,
      levels: (10..<42).map { MeterFrame.Level("microphone-\($0)", reading) },
      bands: Spectrum(Self.sine(440), sampleRate: 44100, bands: 24).bands)
    // On the narrow screen each channel has two lines.
    for (width, height) in [(80, 1), (80, 2), (80, 3), (80, 10), (80, 33), (20, 10), (20, 60)] {
      let lines = frame.drawing(width: width, height: height).map { $0.rendered(colour: false) }
      #expect(lines.count <= max(1, height - 1), "\(width) x \(height)")
      let left = 32 - lines.count { $0.hasPrefix("microphone-") }
      #expect(lines.last == "(\(left) more channels)" && left > 0, "\(width) x \(height)")
    }
    #expect(frame.drawing(width: 80, height: 10).count == 9)
    #expect(frame.drawing(width: 80, height: 10).last == Line("(25 more channels)", .dim))
    #expect(frame.drawing(width: 80, height: 34).count == 33)
    #expect(frame.drawing(width: 20, height: 65).last == Line("(1 more channel)", .dim))
    #expect(frame.drawing(width: 20, height: 66).count == 65)
  }

  @Test func `a buffer that is not held has its own reason first, also if it cannot be measured`() {
    let reason = "nothing holds it"
    let held = PropertyReport.made(
      preferred: .number(0.01), verdict: .pending, reason: reason)
    let report = Self.report(Self.measured(buffer: nil), [.ioBufferDuration: held])
    let check = report.checks.first { $0.name == Property.ioBufferDuration.rawValue }
    #expect(check?.detail == reason + "; too few deliveries came in 2.5 s to measure it")
  }
}
