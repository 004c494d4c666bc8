import AudioSession
import CPulseStream
import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// The streams on each kind of server; what the table of the page Servers says of sound on both.
@Suite(
  "On both servers",
  .enabled(
    if: ServerProgram.isInstalled(.pipewire) && ServerProgram.pulseaudio != nil,
    "needs the packages pulseaudio, pipewire, pipewire-pulse and wireplumber"),
  .timeLimit(.minutes(10)))
struct StreamServersTests {
  static let servers = [ServerKind.pulseaudio, .pipewire]

  /// What comes from the monitor of the speakers, as 16 kHz mono, until it is stopped.
  private static func listen(_ rig: Rig) async throws -> CaptureBuffers {
    // A server that has just begun may answer before its devices are there.
    #expect(
      await eventually(within: .seconds(30)) {
        let snapshot = try? await rig.session.snapshot()
        return snapshot?.defaultDevice(.output)?.name == "speakers"
          && snapshot?.device(.input, named: "speakers.monitor") != nil
      })
    let buffers = try await rig.capture.start(
      CaptureConfiguration(
        frameLength: 160, device: "speakers.monitor", latency: .milliseconds(100),
        backlog: .seconds(60)))
    // An idle sink has rendered silence ahead, and gives its monitor that first.
    _ = await rig.collect(buffers, frames: 8000)
    return buffers
  }

  /// The longest part of a sound that is not silent.
  private static func loud(_ buffers: CaptureBuffers) async -> (samples: [Float], lost: Int) {
    var (samples, lost): ([Float], Int) = ([], 0)
    for await buffer in buffers {
      samples += buffer.samples
      lost += buffer.lostFrames
    }
    let heard = samples.indices.filter { abs(samples[$0]) > 0.01 }
    guard let first = heard.first, let last = heard.last else { return ([], lost) }
    return (Array(samples[first...last]), lost)
  }

  /// The tone of the half second with the least noise: a busy machine may lose some of the others.
  private static func cleanest(_ sound: [Float], near frequency: Double) -> Tone {
    let parts = stride(from: 0, through: max(0, sound.count - 8000), by: 4000).map {
      Array(sound[$0..<min(sound.count, $0 + 8000)])
    }
    let noises = parts.map { part in
      let fit = Tone.fit(part, 16000, frequency)
      return fit.amplitude > 0 ? fit.rest / (fit.amplitude * fit.amplitude) : .infinity
    }
    let best = noises.indices.min { noises[$0] < noises[$1] }!
    return Tone(parts[best], rate: 16000, near: frequency)
  }

  @Test("what is played is captured, converted, as it was", .soxr, .soundFiles, arguments: servers)
  func playAndCapture(kind: ServerKind) async throws {
    try await Rig.with(.monitorOnly(on: kind)) { rig in
      let folder = TemporaryFolder()
      let path = try PlayerTests.file(folder, seconds: 2)
      let buffers = try await Self.listen(rig)
      let player = AudioPlayer(session: rig.session)
      let played = try await player.play(path)
      #expect(abs(played.seconds - 2) < 0.01)
      await rig.capture.stop()
      let (sound, _) = await Self.loud(buffers)
      #expect(sound.count > 16000)
      let tone = Self.cleanest(sound, near: 1000)
      #expect(abs(tone.frequency - 1000) < 0.1)
      #expect(abs(20 * log10(tone.amplitude / 0.5)) < 0.1)
      #expect(await rig.capture.streamStatistics.violations == 0)
    }
  }

  @Test(
    "a recording goes on after a restart, and knows what is missing", .soundFiles,
    arguments: servers)
  func restart(kind: ServerKind) async throws {
    try await Rig.with(.minimal(on: kind)) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      let recorder = rig.recorder()
      try await recorder.start(path)
      #expect(await eventually(within: .seconds(30)) { await recorder.progress.frames > 0 })
      for turn in 1...2 {
        try await rig.sandbox.kill()
        try await rig.sandbox.restart(timeout: .seconds(30))
        #expect(
          await eventually(within: .seconds(30)) {
            await recorder.progress.missing.count { $0.cause == .serverReset } == turn
          })
        let frames = await recorder.progress.frames
        #expect(
          await eventually(within: .seconds(30)) {
            await recorder.progress.frames > frames + 10_000
          })
        #expect(await recorder.capture.serverAwaySince == nil)
      }
      let progress = try await recorder.stop()
      // A busy machine may lose a little more, which is listed, too.
      let missing = progress.missing
      #expect(missing.count { $0.cause == .serverReset } == 2, "\(missing)")
      #expect(
        missing.allSatisfy { $0.cause == .serverReset || $0.cause == .overrun }, "\(missing)")
      #expect(try SoundFileReader(path: path).frames == progress.frames)
      #expect(folder.text("a.wav.json") == Sidecar.text(progress))
    }
  }

  @Test("a note is heard as it is, and again after a restart", .soxr, arguments: servers)
  func notes(kind: ServerKind) async throws {
    try await Rig.with(.monitorOnly(on: kind)) { rig in
      var configuration = SynthesizerConfiguration()
      configuration.bufferDuration = .milliseconds(200)
      let synthesizer = Synthesizer(session: rig.session, configuration: configuration)
      try await synthesizer.start()
      for turn in 0...1 {
        if turn == 1 {
          // The process that clients talk to; the whole server is killed in `restart`.
          let process: ServerProcess = kind == .pipewire ? .pipewirePulse : .pulseaudio
          try await rig.sandbox.kill(process)
          try await rig.sandbox.restart(process, timeout: .seconds(30))
          #expect(await eventually(within: .seconds(30)) { synthesizer.resets == 1 })
        }
        let buffers = try await Self.listen(rig)
        #expect(try synthesizer.triggerNote(pitch: 69, velocity: .accent))
        // A busy machine loses some of the sound, and not all the time.
        var tone = Self.cleanest(await rig.collect(buffers, frames: 16_000).samples, near: 440)
        for number in 1...30 where tone.noise > -60 {
          noteTry(number, of: 30)
          tone = Self.cleanest(await rig.collect(buffers, frames: 8000).samples, near: 440)
        }
        #expect(abs(tone.frequency / 440 - 1) < 1e-4)
        #expect(abs(decibels(tone.amplitude / 0.3)) < 0.1)
        await rig.capture.stop()
      }
      #expect(synthesizer.resets == 1)
      await synthesizer.stop()
    }
  }

  /// What the page Servers promises of a held buffer.
  @Test("on PipeWire it is for those that ask for a latency; others get more at once", .graphCards)
  func heldBuffer() async throws {
    let cards = try #require(SandboxConfiguration.simulatedCards(["kind=usb-mic"], on: .pipewire))
    try await Rig.with(cards) { rig in
      let name = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(name)]
      mode.ioBufferDuration = .frames(512)
      try await rig.session.setAudioMode(mode)
      for latency in [Duration.milliseconds(10), nil] {
        let sizes = Shared<[Int]>([])
        let request = StreamRequest(
          direction: .input, server: rig.session.address, name: "program", device: name,
          latency: latency, timeout: .seconds(20))
        let stream = try RealtimeStream(request) { signal in
          switch signal {
          case .sound(let chunk, _): sizes.update { $0.append(Int(chunk.frames)) }
          case .ended, .ready, .requested, .events: break
          }
        }
        _ = try await stream.opened()
        #expect(await eventually(within: .seconds(30)) { sizes.value.reduce(0, +) > 24_000 })
        await stream.close()
        let largest = sizes.value.max() ?? 0
        #expect(latency == nil ? largest > 512 : largest <= 512, "\(sizes.value.prefix(20))")
      }
    }
  }
}
