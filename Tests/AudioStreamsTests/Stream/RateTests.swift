import AudioSession
import CPulseStream
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// Frames against the clock, and tones against their frequency, at the rates that a session gives a
/// device before and while streams run on it.
@Suite(
  "The rate of a stream",
  .enabled(
    if: ServerProgram.isInstalled(.pipewire) && ServerProgram.pulseaudio != nil,
    "needs the packages pulseaudio, pipewire, pipewire-pulse and wireplumber"),
  .timeLimit(.minutes(10)))
struct RateTests {
  /// Two at a time on each server: sound is lost when all of them play at once.
  static let rates = [[16000, 48000], [44100, 96000]]

  /// What is heard: 440 Hz from the synthesizer, 1000 from a file, 2500 from the tone player.
  static let tones = [440.0, 1000, 2500]

  /// What came of a capture in a while, and when.
  private struct Counted {
    var samples: [Float] = []
    var rate: Int
    var counted: ClockFit?

    init(_ buffers: CaptureBuffers, rate: Int, for time: Duration) async {
      self.rate = rate
      var arrivals: [(time: Int64, frames: Int)] = []
      for await buffer in buffers {
        let now = HostClock.nanoseconds
        samples += buffer.samples
        arrivals.append((now, Int(buffer.position) + buffer.frameLength))
        if .nanoseconds(now - arrivals[0].time) > time { break }
      }
      counted = ClockFit(arrivals)
    }

    /// What is wrong with it; nil where it came at its rate, and has all tones as they are.
    func fault(_ tones: [Double]) -> String? {
      let share = (counted?.rate ?? 0) / Double(rate)
      guard abs(share - 1) < 0.03 else { return "\(share) of \(rate) frames a second" }
      return Sines.absent(tones, in: samples, rate: rate).map { "\($0) Hz is not heard" }
    }
  }

  /// Listens to all that is played; a change comes once sound has come, and is over when it counts.
  private static func listen(
    _ rig: Rig, _ rate: Int?, _ when: String, to device: String = "speakers.monitor",
    with tones: [Double] = tones, after change: () async throws -> Void = {}
  ) async throws {
    let capture = AudioCapture(session: rig.session)
    let buffers = try await capture.start(
      CaptureConfiguration(
        sampleRate: rate, frameLength: 480, device: device,
        latency: .milliseconds(20), backlog: .seconds(10)))
    let format = try #require(await capture.outputFormat)
    _ = await rig.collect(buffers, frames: format.sampleRate * 3 / 10)
    try await change()
    _ = await rig.collect(buffers, frames: format.sampleRate * 3 / 10)
    // A sink that takes another buffer may give its monitor what it renders ahead, and a busy machine
    // nothing for a while: later tries take longer. A wrong rate stays wrong.
    var faults: [String] = []
    while faults.count < 12 {
      let time = Duration.milliseconds(700 * (1 + faults.count / 2))
      let counted = await Counted(buffers, rate: format.sampleRate, for: time)
      guard let fault = counted.fault(tones) else { break }
      faults.append(fault)
      noteTry(faults.count + 1, of: 12, after: fault)
    }
    #expect(faults.count < 12, "\(when): \(faults)")
    await capture.stop()
  }

  @Test(
    "on PulseAudio it is what it says, whatever the session makes of the device, before and after",
    .soxr, .soundFiles, arguments: rates)
  func onPulseAudio(rates: [Int]) async throws {
    for rate in rates { try await Self.expectRate(rate, on: .pulseaudio) }
  }

  @Test(
    "on PipeWire it is what it says, whatever the session makes of the device, before and after",
    .soxr, .soundFiles, arguments: rates)
  func onPipeWire(rates: [Int]) async throws {
    for rate in rates { try await Self.expectRate(rate, on: .pipewire) }
  }

  /// Channel n of the simulated microphone has n + 1 times 440 Hz.
  @Test(
    "a card's microphone on PipeWire is what it says, before and after", .soxr, .soundFiles,
    .graphCards, arguments: rates)
  func ofACard(rates: [Int]) async throws {
    for rate in rates {
      let cards = try #require(
        SandboxConfiguration.simulatedCards(["kind=usb-mic"], on: .pipewire))
      try await Rig.with(cards) { rig in
        let name = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
        let folder = TemporaryFolder()
        try await Self.listen(
          rig, 48000, "when the mode has come", to: name, with: [440, 880]
        ) {
          var mode = AudioMode(category: .record)
          mode.preferredInput = [.name(name)]
          mode.sampleRate = rate
          _ = try await rig.session.setAudioMode(mode)
        }
        try await Self.listen(rig, nil, "under the mode", to: name, with: [440, 880])
        let buffers = try await rig.capture.start()
        _ = await rig.collect(buffers, frames: 4000)
        let device = try await rig.session.snapshot().device(.input, named: name)
        #expect(device?.sampleSpec.rate == UInt32(rate))
        await rig.capture.stop()
        try await Self.record(
          rig, folder.path + "/recorded.wav", from: name, with: [440, 880])
      }
    }
  }

  private static func expectRate(_ rate: Int, on kind: ServerKind) async throws {
    var configuration = SandboxConfiguration.monitorOnly(on: kind)
    configuration.avoidResampling = kind == .pulseaudio
    // PulseAudio gives a device no rate below its own two.
    if rate < 44100 {
      configuration.modules = configuration.modules.map { module in
        module.split(separator: " ").map { $0.hasPrefix("rate=") ? "rate=\(rate)" : String($0) }
          .joined(separator: " ")
      }
    }
    try await Rig.with(configuration) { rig in
      #expect(
        await eventually(within: .seconds(30)) {
          (try? await rig.session.snapshot())?.defaultDevice(.output)?.name == "speakers"
        })
      let folder = TemporaryFolder()
      let path = folder.path + "/tone.wav"
      try write(path, seconds: 20)
      var synthesis = SynthesizerConfiguration()
      synthesis.bufferDuration = .milliseconds(100)
      let synthesizer = Synthesizer(session: rig.session, configuration: synthesis)
      let player = AudioPlayer(session: rig.session)
      // First the streams run, and the mode comes; then the mode is there, and streams begin.
      for isUnderMode in [false, true] {
        try await synthesizer.start()
        try synthesizer.triggerNote(pitch: 69, velocity: .accent)
        let music = Task { try await player.play(path) }
        let tone = try await TonePlayer(
          [.init(seconds: 20, from: 2500, to: 2500, amplitude: 0.2)], server: rig.session.address)
        if isUnderMode {
          try await listen(rig, nil, "under the mode")
          try await record(rig, folder.path + "/recorded.wav")
        } else {
          try await listen(rig, 48000, "when the mode has come") {
            var mode = AudioMode(category: .playback)
            mode.sampleRate = rate
            _ = try await rig.session.setAudioMode(mode)
          }
        }
        let snapshot = try await rig.session.snapshot()
        let device = try #require(snapshot.defaultDevice(.output))
        // PulseAudio changes no rate under a running stream.
        if kind == .pipewire || isUnderMode {
          let report = try await rig.session.getSessionState().properties[.sampleRate]
          // A null sink of PipeWire 1.4 keeps its own rate, and the state says so.
          let keepsItsOwn =
            snapshot.server.name.contains("PipeWire 1.") && report?.verdict == .unreachable
          #expect(Int(device.sampleSpec.rate) == (keepsItsOwn ? 48000 : rate), "\(report as Any)")
        }
        #expect(synthesizer.resets == 0 && tone.failure == nil)
        await tone.close()
        music.cancel()
        _ = await music.result
        await synthesizer.stop()
        // Nobody uses the device now: its pin waits.
        #expect(
          await eventually(within: .seconds(10)) {
            guard let snapshot = try? await rig.session.snapshot(),
              let device = snapshot.defaultDevice(.output)
            else { return false }
            // The session sets the rate of PulseAudio's device once it is idle.
            return !snapshot.isUsed(device)
              && (kind == .pipewire || Int(device.sampleSpec.rate) == rate)
          })
      }
    }
  }

  /// A recording that ends by itself takes as long as it is; a busy machine may lose some of it.
  private static func record(
    _ rig: Rig, _ path: String, from device: String = "speakers.monitor",
    with tones: [Double] = tones
  ) async throws {
    let recorder = rig.recorder()
    var faults: [String] = []
    for number in 1...8 {
      noteTry(number, of: 8, after: faults.last)
      let start = ContinuousClock.now
      var configuration = RecordingConfiguration(duration: .milliseconds(900), device: device)
      configuration.channels = .mono
      try await recorder.start(path, configuration: configuration)
      let progress = try await recorder.finished()
      let elapsed = (ContinuousClock.now - start).seconds
      #expect(abs(progress.duration.seconds - 0.9) < 0.001)
      let lost = progress.missing.reduce(0) { $0 + $1.frames }
      // A file at another rate has other tones.
      let samples = try SoundFileReader(path: path).read(frames: Int(progress.frames))
      let absent = Sines.absent(tones, in: samples, rate: progress.sampleRate)
      if elapsed > 0.85, elapsed < 2.2, lost < progress.sampleRate / 4, absent == nil { return }
      faults.append(
        "0.9 s were recorded in \(elapsed) s, without \(progress.missing), \(absent ?? 0) Hz is not heard"
      )
    }
    Issue.record("\(faults)")
  }

  private static func write(_ path: String, seconds: Double) throws {
    let writer = try SoundFileWriter(path: path, format: .wavFloat, sampleRate: 32000, channels: 1)
    let tone = ConverterTests.sine(1000, rate: 32000, frames: Int(32000 * seconds))
    let quiet = tone.map { $0 * 0.4 }
    try quiet.withUnsafeBufferPointer { try writer.write($0) }
    try writer.close()
  }
}

/// The check that the audio thread makes with each delivery, on times that are made up.
@Suite("Frames against the clock", .timeLimit(.minutes(10)))
struct StreamClockTests {
  /// When a stream is found to run at another rate, in seconds; nil for never in a minute.
  private func found(
    _ rate: UInt32, seconds: Double = 60, delivery: (Double) -> (frames: UInt64, lasts: Double)
  ) -> Double? {
    var clock = ps_clock()
    var time = 1.0
    while time < 1 + seconds {
      let (frames, lasts) = delivery(time)
      time += lasts
      if ps_clock_is_wrong(&clock, Int64(time * 1e9), frames, rate) { return time - 1 }
    }
    return nil
  }

  @Test(
    "another rate is found in about three seconds",
    arguments: [(48000, 44100), (48000, 16000), (48000, 96000), (44100, 48000), (96000, 88200)])
  func wrong(said: Int, real: Int) throws {
    for buffer in [0.003, 0.02, 0.04] {
      let seconds = try #require(
        found(UInt32(said)) { _ in (UInt64(buffer * Double(real)), buffer) })
      #expect(seconds < 3.5)
    }
  }

  @Test("a clock that is a little off, a burst, stops and lost sound are none")
  func right() {
    #expect(found(48000) { _ in (960, 0.0203) } == nil)  // 1.5 %
    var random = SeededRandom(seed: 1)
    // What comes late comes together.
    #expect(
      found(48000) { _ in
        let late = Double(random.int(in: 5...60)) / 1000
        return (UInt64(late * 48000), late)
      } == nil)
    #expect(found(48000) { $0 < 1.1 ? (4800, 0.001) : (960, 0.02) } == nil)
    #expect(found(48000) { Int($0) % 3 == 0 ? (960, 0.5) : (960, 0.02) } == nil)
    // A busy machine that loses ever more.
    #expect(
      found(48000) { time in
        let lost = 0.05 + 0.04 * time.truncatingRemainder(dividingBy: 4)
        return (UInt64(960 * (1 - lost)), 0.02)
      } == nil)
    // Lost now and then: up to a half of all that comes.
    #expect(
      found(48000) { time in
        let lost = (time * 10).truncatingRemainder(dividingBy: 7) / 14
        return (UInt64(960 * (1 - lost)), 0.02)
      } == nil)
  }

  @Test("sound that is lost evenly is another rate only after twelve seconds")
  func evenLosses() throws {
    #expect(found(48000, seconds: 11) { _ in (800, 0.02) } == nil)
    #expect(try #require(found(48000) { _ in (800, 0.02) }) < 13)
  }

  @Test("too many frames are found however unevenly they come", arguments: [44100, 48000, 96000])
  func unevenlyFast(said: Int) throws {
    var random = SeededRandom(seed: UInt64(said))
    let seconds = try #require(
      found(UInt32(said)) { _ in
        let late = Double(random.int(in: 5...60)) / 1000
        return (UInt64(late * Double(said) * Double(random.int(in: 105...220)) / 100), late)
      })
    #expect(seconds < 20)
  }

  @Test("after a move or a stop it begins again")
  func reset() {
    var clock = ps_clock()
    var ends = 0
    for delivery in 1...400 {
      if delivery % 75 == 0 { ps_clock_reset(&clock) }
      if ps_clock_is_wrong(&clock, Int64(delivery) * 20_000_000, 320, 48000) { ends += 1 }
    }
    #expect(ends == 0)
  }
}
