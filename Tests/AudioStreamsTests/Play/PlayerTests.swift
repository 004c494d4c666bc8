import AudioSession
import CAudioKernel
import CPulseStream
import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("The player", .server, .soundFiles, .timeLimit(.minutes(10)))
struct PlayerTests {
  /// A file with another rate and other channels than the device's.
  static func file(_ folder: TemporaryFolder, seconds: Double) throws -> String {
    let path = folder.path + "/a.wav"
    let writer = try SoundFileWriter(
      path: path, format: .wavFloat, sampleRate: 32000, channels: 1)
    let tone = ConverterTests.sine(1000, rate: 32000, frames: Int(32000 * seconds))
    try tone.withUnsafeBufferPointer { try writer.write($0) }
    try writer.close()
    return path
  }

  @Test("is heard as the file says: pitch, level, length")
  func plays() async throws {
    // A sink that takes sound back gives its monitor some of it twice.
    let speakers = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100 norewinds=1"
    ])
    try await Rig.with(speakers) { rig in
      let folder = TemporaryFolder()
      let path = try Self.file(folder, seconds: 1.5)
      // A machine that stands still longer than the buffer is heard.
      var fault: String?
      for round in 1...8 {
        noteTry(round, of: 8, after: fault)
        let samples = try await played(path, rig)
        let heard = samples.indices.filter { abs(samples[$0]) > 0.01 }
        let (first, last) = (try #require(heard.first), try #require(heard.last))
        let length = Double(last - first) / 44100
        let part = samples[(first + 2000)..<min(first + 46100, samples.count)]
        let tone = Tone(Array(part), rate: 44100, near: 1000)
        if abs(length - 1.5) < 0.01, abs(tone.frequency - 1000) < 0.1,
          abs(20 * log10(tone.amplitude / 0.5)) < 0.1
        {
          break
        }
        fault = "\(length) s, \(tone)"
        #expect(round < 8, "\(length) s, \(tone)")
      }
    }
  }

  /// Plays a file; what is heard of it.
  private func played(_ path: String, _ rig: Rig) async throws -> [Float] {
    let buffers = try await rig.capture.start(
      CaptureConfiguration(
        sampleRate: 44100, frameLength: 441, device: "speakers.monitor", backlog: .seconds(60)))
    _ = await rig.collect(buffers, frames: 4410)
    let player = AudioPlayer(session: rig.session)
    try await player.play(path)
    #expect(await player.progress == nil)
    // What was played is heard before the end of the file's time and the device's buffer.
    await rig.capture.stop()
    var samples: [Float] = []
    for await buffer in buffers { samples += buffer.samples }
    return samples
  }

  @Test("counts the silence of a file that is read too slowly, but none after its end")
  func slowFile() throws {
    let folder = TemporaryFolder()
    let feed = PlaybackFeed(try SoundFileReader(path: try Self.file(folder, seconds: 1)))
    var stream = ps_info()
    (stream.rate, stream.channels) = (32000, 1)
    try feed.prepare(StreamGrant(stream, ps_scheduling()))
    let player = UnsafeMutableRawPointer(try #require(feed.player))
    var out = [Float](repeating: 0, count: 20000)
    // About half a second is ready; then follows silence, which is a gap once sound follows.
    ak_player_render(player, &out, out.count)
    let ready = feed.position
    #expect((16000..<20000).contains(ready))
    #expect(feed.starved == 0)
    #expect(try feed.fill())
    ak_player_render(player, &out, out.count)
    #expect(feed.position == 32000)
    #expect(feed.starved == 20000 - ready)
    #expect(try !feed.fill())
    ak_player_render(player, &out, out.count)
    #expect(feed.starved == 20000 - ready)
  }

  @Test("plays silence for what is no number in a file")
  func notANumber() throws {
    let folder = TemporaryFolder()
    let path = try Self.file(folder, seconds: 0.1)
    let bytes = try File.bytes(of: path)
    let others: [Float] = [.nan, .infinity, -.infinity]
    let end = others.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) }
    try File.write(bytes.dropLast(end.count) + end, to: path)
    let reader = try SoundFileReader(path: path)
    let samples = try reader.read(frames: 5000)
    #expect(samples.count == 3200 && samples.suffix(3) == [0, 0, 0])
    #expect(samples.contains { $0 != 0 })
  }

  @Test("a server that grants a buffer of hours gets no memory for it")
  func hugeBuffer() throws {
    var stream = ps_info()
    (stream.rate, stream.channels, stream.buffer_frames) = (48000, 2, .max)
    #expect(StreamGrant(stream, ps_scheduling()).bufferFrames == 480_000)
  }

  @Test("stops when its task is cancelled, and says why when the server goes")
  func ends() async throws {
    try await Rig.with(.monitorOnly) { rig in
      let folder = TemporaryFolder()
      let path = try Self.file(folder, seconds: 60)
      let player = AudioPlayer(session: rig.session)
      let cancelled = Task { try await player.play(path) }
      #expect(await eventually { await player.progress.map { $0.position > .zero } ?? false })
      await #expect { try await player.play(path) } throws: {
        ($0 as? StreamError)?.code == .alreadyStreaming
      }
      cancelled.cancel()
      #expect(try await cancelled.value < .seconds(60))
      let killed = Task { try await player.play(path) }
      #expect(await eventually { await player.progress.map { $0.position > .zero } ?? false })
      try await rig.sandbox.kill()
      await #expect { _ = try await killed.value } throws: {
        ($0 as? StreamError)?.code == .engineStartFailed
      }
      await #expect { try await player.play(folder.path + "/none") } throws: {
        ($0 as? StreamError)?.code == .fileNotFound
      }
    }
  }

  @Test("fails on an output that takes no sound")
  func standstill() async throws {
    try await Rig.with(.monitorOnly) { rig in
      let folder = TemporaryFolder()
      let path = try Self.file(folder, seconds: 0.3)
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      try await outside.suspend(.output, device: "speakers", true)
      let player = AudioPlayer(session: rig.session)
      // What the server holds has not been played.
      try await player.start(path)
      #expect(await player.stop() == .zero)
      await #expect { try await player.play(path) } throws: {
        ($0 as? StreamError) == .standstill("speakers")
      }
      try await outside.suspend(.output, device: "speakers", false)
      #expect(try await player.play(path) > .milliseconds(250))
      await outside.close()
    }
  }

  /// Plays a file until a silent call begins, for which the server pauses it.
  private func interrupted(
    _ player: AudioPlayer, _ path: String, _ rig: Rig
  ) async throws -> (call: RealtimeStream, silence: SynthKernel) {
    try await player.start(path)
    #expect(await eventually { await player.progress.map { $0.position > .zero } ?? false })
    let call = try RealtimeStream(
      StreamRequest(
        direction: .output, server: rig.sandbox.address, name: "call", role: "phone"))
    _ = try await call.opened()
    let silence = SynthKernel(sampleRate: 44100, channels: 2)
    call.start(ak_synth_render, context: UnsafeMutableRawPointer(silence.pointer))
    #expect(await eventually { await player.isPaused })
    return (call, silence)
  }

  @Test("pauses while the server requests it, and nothing of the file is lost")
  func pauses() async throws {
    let server = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100 norewinds=1",
      "module-role-cork trigger_roles=phone cork_roles=audiosession",
    ])
    try await Rig.with(server) { rig in
      let folder = TemporaryFolder()
      let path = try Self.file(folder, seconds: 4)
      let listener = try await Listener.on("speakers.monitor", rig.sandbox)
      let player = AudioPlayer(session: rig.session)
      let (call, silence) = try await interrupted(player, path, rig)
      listener.forget()
      await listener.seconds(0.5)
      // A sink plays what it had mixed before the pause.
      #expect(listener.channel(0).suffix(4410).allSatisfy { abs($0) < 1e-4 })
      // What the server had requested before it has by now.
      let position = await player.progress?.position
      await listener.seconds(0.7)
      #expect(await player.progress?.position == position)
      await call.close()
      withExtendedLifetime(silence) {}
      #expect(await eventually { await !player.isPaused })
      #expect(try await player.finished() > .milliseconds(3950))
      // The pause, of half a second, is none; a busy machine may have others.
      #expect(await player.dropouts < .milliseconds(400))
      await listener.close()
    }
  }

  /// libpulse waits 30 s for the answer: `.ci/nightly faults` waits longer.
  @Test("what the server keeps from being heard is not heard, however long it does")
  func unansweredDrain() async throws {
    let server = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100 norewinds=1",
      "module-role-cork trigger_roles=phone cork_roles=audiosession",
    ])
    try await Rig.with(server) { rig in
      let folder = TemporaryFolder()
      let call = try RealtimeStream(
        StreamRequest(
          direction: .output, server: rig.sandbox.address, name: "call", role: "phone"))
      _ = try await call.opened()
      let silence = SynthKernel(sampleRate: 44100, channels: 2)
      let player = AudioPlayer(session: rig.session)
      try await player.start(try Self.file(folder, seconds: 1))
      // All of it is written by then, and not all is heard.
      while let progress = await player.progress, progress.position < .milliseconds(850) {
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(await player.progress != nil)
      call.start(ak_synth_render, context: UnsafeMutableRawPointer(silence.pointer))
      #expect(await eventually { await player.isPaused })
      let end = Guarded<ContinuousClock.Instant?>(nil)
      let waiting = Task {
        defer { end.withLock { $0 = .now } }
        return try await player.finished()
      }
      let isThorough = ProcessEnvironment["AUDIOSESSION_FAULT_STEP"] == "1"
      try await Task.sleep(for: isThorough ? .seconds(33) : .milliseconds(500))
      #expect(end.withLock { $0 } == nil)
      await call.close()
      withExtendedLifetime(silence) {}
      #expect(try await waiting.value > .milliseconds(950))
    }
  }

  @Test("a paused file that is moved to another output is heard there: nobody would resume it")
  func movedWhilePaused() async throws {
    let server = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100",
      "module-null-sink sink_name=headset rate=44100 norewinds=1",
      "module-role-cork trigger_roles=phone cork_roles=audiosession",
    ])
    try await Rig.with(server) { rig in
      let folder = TemporaryFolder()
      let path = try Self.file(folder, seconds: 4)
      let listener = try await Listener.on("headset.monitor", rig.sandbox)
      let player = AudioPlayer(session: rig.session)
      let (call, silence) = try await interrupted(player, path, rig)
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let stream = try #require(
        try await outside.snapshot().sinkInputs.first { $0.name == "Audio player" })
      try await outside.moveStream(.output, stream.index, to: "headset")
      #expect(await eventually { listener.firstSound(louderThan: 0.1) != nil })
      #expect(await !player.isPaused)
      #expect(try await player.finished() > .milliseconds(3950))
      await call.close()
      withExtendedLifetime(silence) {}
      await listener.close()
      await outside.close()
    }
  }

  @Test("a stop ends a start in progress, and the next start is not refused")
  func stopsStart() async throws {
    try await Rig.with(.monitorOnly) { rig in
      let folder = TemporaryFolder()
      let long = folder.path + "/long.wav"
      try WaveFile(channels: 1, rate: 8000, frames: 8000 * 60).write(to: long)
      let player = AudioPlayer(session: rig.session)
      func begin() async -> Task<Void, any Error> {
        let starting = Task { try await player.start(long) }
        #expect(
          await eventually {
            let isOpening = await player.opening != nil
            let isPlaying = await player.progress != nil
            return isOpening || isPlaying
          })
        return starting
      }
      for _ in 0..<10 {
        let starting = await begin()
        await player.stop()
        try await player.start(long)
        await player.stop()
        _ = await starting.result
      }
      try await rig.sandbox.freeze()
      let starting = await begin()
      let time = await ContinuousClock().measure { await player.stop() }
      // A start that waits for the server gives up after twenty.
      #expect(time < .seconds(10))
      await #expect(throws: StreamError.self) { try await starting.value }
      try await rig.sandbox.thaw()
    }
  }

  @Test(
    "plays the sound that a truncated file has, then says what it is",
    arguments: ["wav", "flac", "au", "aiff"])
  func truncated(_ kind: String) async throws {
    let speakers = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100 norewinds=1"
    ])
    try await Rig.with(speakers) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a." + kind
      try HalfFile.write(kind, to: path)
      let buffers = try await rig.capture.start(
        CaptureConfiguration(
          sampleRate: 44100, frameLength: 441, device: "speakers.monitor", backlog: .seconds(60)))
      _ = await rig.collect(buffers, frames: 4410)
      await #expect {
        try await AudioPlayer(session: rig.session).play(path)
      } throws: {
        ($0 as? StreamError)?.code == .notASound && "\($0)".contains("truncated")
      }
      await rig.capture.stop()
      var loud = 0
      for await buffer in buffers { loud += buffer.samples.count { abs($0) > 0.01 } }
      #expect(loud > 44100 * 4 / 10)
    }
  }

  /// The first half of a second of sound at 44.1 kHz, whose header announces all of it.
  private enum HalfFile {
    static func write(_ kind: String, to path: String) throws {
      let frames = 44100
      func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
      }
      func text(_ text: String) -> [UInt8] { Array(text.utf8) }
      // Half of full scale, up and down.
      let sound = (0..<frames / 2).flatMap { number($0 / 50 % 2 == 0 ? 0x4000 : 0xC000, 2) }
      switch kind {
      case "au":
        let header = text(".snd") + [24, frames * 2, 3, 44100, 1].flatMap { number($0, 4) }
        try File.write(header + sound, to: path)
      case "aiff":
        // The rate is a floating-point number of 80 bits.
        let common = number(1, 2) + number(frames, 4) + number(16, 2) + number(0x400E, 2)
        let rate = number(44100, 2) + number(0, 6)
        let header = text("FORM") + number(46 + frames * 2, 4) + text("AIFFCOMM") + number(18, 4)
        let begin = text("SSND") + number(8 + frames * 2, 4) + number(0, 8)
        try File.write(header + common + rate + begin + sound, to: path)
      default:
        let format: RecordingFormat = kind == "flac" ? .flac16 : .wav16
        let writer = try SoundFileWriter(path: path, format: format, sampleRate: 44100, channels: 1)
        let tone = ConverterTests.sine(1000, rate: 44100, frames: frames)
        try tone.withUnsafeBufferPointer { try writer.write($0) }
        try writer.close()
        let whole = try File.bytes(of: path)
        try File.write(Array(whole.prefix(whole.count / 2)), to: path)
      }
    }
  }

  @Test("plays in the background, until its end or a stop")
  func inBackground() async throws {
    try await Rig.with(.monitorOnly) { rig in
      let folder = TemporaryFolder()
      let (short, long) = (
        try Self.file(folder, seconds: 0.3), folder.path + "/long.wav"
      )
      try WaveFile(channels: 1, rate: 8000, frames: 8000 * 60).write(to: long)
      let player = AudioPlayer(session: rig.session)
      #expect(await player.stop() == .zero)
      #expect(try await player.finished() == .zero)
      // Of two that begin at once one is refused.
      let both = [Task { try await player.start(long) }, Task { try await player.start(long) }]
      var refused: [StreamError.Code?] = []
      for one in both {
        do { try await one.value } catch { refused.append((error as? StreamError)?.code) }
      }
      #expect(refused == [.alreadyStreaming])
      #expect(await eventually { await player.progress.map { $0.position > .zero } ?? false })
      let waiting = Task { try await player.finished() }
      waiting.cancel()
      #expect(try await waiting.value < .seconds(60))
      #expect(await player.progress != nil)
      #expect(await player.stop() < .seconds(60))
      #expect(await player.progress == nil)
      #expect(await eventually { (try? await rig.session.snapshot().sinkInputs.isEmpty) == true })
      try await player.start(short)
      let played = try await player.finished()
      #expect(abs(played.seconds - 0.3) < 0.01, "\(played)")
      #expect(await player.progress == nil)
      // One that nobody has any more ends.
      var dropped: AudioPlayer? = AudioPlayer(session: rig.session)
      try await dropped?.start(long)
      dropped = nil
      #expect(await eventually { (try? await rig.session.snapshot().sinkInputs.isEmpty) == true })
    }
  }

  @Test("progress that is followed ends with the file, with a stop, and when a start fails")
  func followed() async throws {
    try await Rig.with(.monitorOnly) { rig in
      let folder = TemporaryFolder()
      let (short, long) = (try Self.file(folder, seconds: 1.2), folder.path + "/long.wav")
      try WaveFile(channels: 1, rate: 8000, frames: 8000 * 60).write(to: long)
      let player = AudioPlayer(session: rig.session)
      func follow() -> Task<[Duration], Never> {
        let updates = player.progressUpdates
        return Task { await updates.reduce(into: [Duration]()) { $0.append($1.position) } }
      }
      let whole = follow()
      let played = try await player.play(short)
      let positions = await whole.value
      #expect(positions.count > 1 && positions == positions.sorted(), "\(positions)")
      #expect(positions.last == played, "\(positions)")
      let updates = player.progressUpdates
      try await player.start(long)
      for await progress in updates where progress.position > .zero {
        #expect(progress.length == .seconds(60))
        break
      }
      let stopped = follow()
      let position = await player.stop()
      #expect(await stopped.value.last == position)
      let failed = follow()
      await #expect(throws: StreamError.self) { try await player.start(folder.path + "/none") }
      #expect(await failed.value == [])
    }
  }

  @Test(
    "refuses a file with more channels than a stream can have, and goes on",
    arguments: [33, 255, 256, 257, 1024])
  func manyChannels(_ channels: Int) async throws {
    try await Rig.with(.monitorOnly) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/wide.wav"
      try WaveFile(channels: channels, rate: 44100).write(to: path)
      let player = AudioPlayer(session: rig.session)
      await #expect {
        try await player.play(path)
      } throws: { error in
        (error as? StreamError)?.code == .notASound
          && "\(error)" == "'\(path)' has \(channels) channels; 1 to 32 can be played"
      }
      let most = folder.path + "/most.wav"
      try WaveFile(channels: 32, rate: 44100).write(to: most)
      #expect(try await player.play(most) > .zero)
    }
  }

  @Test(
    "plays each channel on its speaker, whether the file names them or not",
    arguments: [0x3F, nil] as [Int?])
  func surround(mask: Int?) async throws {
    let order = "front-left,front-right,rear-left,rear-right,front-center,lfe"
    let speakers = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100 channels=6 channel_map=\(order)"
    ])
    try await Rig.with(speakers) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/surround.wav"
      let player = AudioPlayer(session: rig.session)
      // Front right, the centre and rear right: where they are in the file, and in the sink.
      for (channel, speaker) in [(1, 1), (2, 4), (5, 3)] {
        try WaveFile(channels: 6, rate: 44100, frames: 13230, mask: mask, loud: channel)
          .write(to: path)
        let buffers = try await rig.capture.start(
          CaptureConfiguration(
            sampleRate: nil, frameLength: 441, channels: .device, device: "speakers.monitor",
            backlog: .seconds(60)))
        _ = await rig.collect(buffers, frames: 4410)
        try await player.play(path)
        await rig.capture.stop()
        var peaks = [Float](repeating: 0, count: 6)
        for await buffer in buffers {
          for index in 0..<6 {
            peaks[index] = max(peaks[index], buffer.levels(channel: index).peak)
          }
        }
        #expect(peaks.indices.filter { peaks[$0] > 0.1 } == [speaker], "\(channel): \(peaks)")
      }
    }
  }

  @Test("refuses a file whose rate would make too much sound", arguments: [1, 999, 768_001])
  func oddRate(_ rate: Int) async throws {
    try await Rig.with(.monitorOnly) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/odd.wav"
      try WaveFile(channels: 1, rate: rate).write(to: path)
      await #expect {
        try await AudioPlayer(session: rig.session).play(path)
      } throws: {
        "\($0)" == "'\(path)' has \(rate) Hz; 1000 to 768000 Hz can be played"
      }
    }
  }

  @Test("a stream that cannot be is refused before libpulse sees it")
  func impossible() {
    func refusal(
      rate: Int? = nil, channels: Int? = nil, map: ChannelMap? = nil
    ) -> String? {
      do throws(StreamError) {
        _ = try RealtimeStream(
          StreamRequest(
            direction: .output, server: "unix:/nonexistent", name: "test", rate: rate,
            channels: channels, channelMap: map))
        return nil
      } catch {
        return error.code == .invalidFormat ? error.message : "\(error.code)"
      }
    }
    for count in [-1, 0, 33, 256, 258, Int.max, Int.min] {
      #expect(refusal(channels: count) == "no stream can have \(count) channels (1 to 32)")
    }
    for rate in [-1, 0, 384_001, Int(UInt32.max), Int.max] {
      #expect(refusal(rate: rate) == "no stream can have \(rate) Hz (1 to 384000)")
    }
    let wide = ChannelMap(Array(repeating: .mono, count: 33))
    #expect(refusal(map: wide) == "no stream can have 33 channels (1 to 32)")
    #expect(refusal(map: ChannelMap([])) == "no stream can have 0 channels (1 to 32)")
    #expect(
      refusal(channels: 3, map: .stereo) == "no stream can have 3 channels in a map of 2")
    #expect(refusal(rate: 384_000, channels: 32) == nil)
  }
}
