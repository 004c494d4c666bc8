import AudioSession
import CAllocationCounter
import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

extension Trait where Self == ConditionTrait {
  static var soundFiles: Self {
    .enabled(if: SoundLibrary.isAvailable, "needs the package libsndfile1-dev")
  }
}

@Suite("Sound files", .soundFiles, .timeLimit(.minutes(10)))
struct SoundFileTests {
  @Test("are read as they were written", arguments: RecordingFormat.allCases)
  func roundTrip(format: RecordingFormat) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/sound"
    var random = SeededRandom(seed: 1)
    let samples = (0..<20_000).map { _ in Float.random(in: -1...1, using: &random) }
    let writer = try SoundFileWriter(path: path, format: format, sampleRate: 44100, channels: 2)
    try samples.withUnsafeBufferPointer { try writer.write($0) }
    try writer.writeSilence(frames: 100)
    try writer.close()
    let reader = try SoundFileReader(path: path)
    #expect(reader.sampleRate == 44100 && reader.channels == 2 && reader.frames == 10_100)
    let read = try reader.read(frames: 20_000)
    #expect(read.count == 20_200)
    let step: Float = format.sampleBytes == 2 ? 1 / 32768 : format == .wavFloat ? 0 : 1 / 8_388_608
    #expect(zip(samples, read).allSatisfy { abs($0 - $1) <= step })
    #expect(read[20_000...].allSatisfy { $0 == 0 })
  }

  @Test("a gap in a recording that goes into a pipe ends nothing")
  func pipeWithGap() async throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/pipe.wav"
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let file = RecordingFile(path: path, configuration: RecordingConfiguration(), Readers())
    try await file.create(sampleRate: 8000, channels: 1)
    let buffer = CaptureBuffer(
      samples: [Float](repeating: 0.5, count: 80), channels: 1, sampleRate: 8000, position: 800,
      hostTime: .zero, device: "mic",
      missing: [MissingFrames(position: 0, frames: 800, cause: .overrun)])
    _ = try await file.append(buffer)
    try await file.close()
    #expect(Folder.names(folder.path) == ["pipe.wav"])
  }

  @Test("tell how much is written while a reader takes a long gap")
  func progressInGap() async throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/pipe.wav"
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let file = RecordingFile(path: path, configuration: RecordingConfiguration(), Readers())
    try await file.create(sampleRate: 48000, channels: 1)
    let gap = CaptureBuffer(
      samples: [], channels: 1, sampleRate: 48000, position: 480_000, hostTime: .zero,
      device: "mic", missing: [MissingFrames(position: 0, frames: 480_000, cause: .overrun)])
    let writing = Task { try await file.append(gap) }
    var (bytes, taken) = ([UInt8](repeating: 0, count: 16384), 0)
    func take(_ count: Int) async -> Bool {
      await eventually {
        while taken < count, case let part = read(reader, &bytes, bytes.count), part > 0 {
          taken += part
        }
        return taken >= count
      }
    }
    // Three seconds; the pipe holds less than one.
    #expect(await take(3 * 96000))
    #expect(await eventually { file.progress.frames >= 2 * 48000 })
    #expect(file.progress.frames < 480_000)
    #expect(await take(10 * 96000))
    _ = try await writing.value
    try await file.close()
  }

  @Test("put no silence into a pipe for what was dropped meanwhile, and none after a stop")
  func gapsOfAPipe() async throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/pipe.wav"
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let file = RecordingFile(path: path, configuration: RecordingConfiguration(), Readers())
    try await file.create(sampleRate: 48000, channels: 1)
    var gap = CaptureBuffer(
      samples: [], channels: 1, sampleRate: 48000, position: 480_000, hostTime: .zero,
      device: "mic", missing: [MissingFrames(position: 0, frames: 480_000, cause: .slowConsumer)])
    // Nobody reads: silence would not fit.
    #expect(try await !file.append(gap))
    #expect(file.progress.frames == 0)
    gap.missing = [MissingFrames(position: 480_000, frames: 480_000, cause: .routeChange)]
    gap.position = 960_000
    file.stop.set()
    #expect(try await !file.append(gap))
    #expect(file.progress.frames == 0)
    try await file.close()
  }

  @Test("have no list of a gap behind their end")
  func gapBehindTheEnd() async throws {
    let folder = TemporaryFolder()
    let file = RecordingFile(
      path: folder.path + "/a.wav",
      configuration: RecordingConfiguration(duration: .milliseconds(5)), Readers())
    try await file.create(sampleRate: 8000, channels: 1)
    let buffer = CaptureBuffer(
      samples: [Float](repeating: 0.5, count: 80), channels: 1, sampleRate: 8000, position: 0,
      hostTime: .zero, device: "first",
      missing: [MissingFrames(position: 60, frames: 10, cause: .overrun)],
      inputs: [RecordedInput(position: 0, device: "first")])
    #expect(try await file.append(buffer))
    try await file.close()
    #expect(folder.text("a.wav.json") == nil)
  }

  @Test("list zeros in place of sound once, and get no silence for them")
  func silencedFrames() async throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/a.wav"
    let file = RecordingFile(path: path, configuration: RecordingConfiguration(), Readers())
    try await file.create(sampleRate: 8000, channels: 1)
    var buffer = CaptureBuffer(
      samples: [Float](repeating: 0, count: 800), channels: 1, sampleRate: 8000, position: 0,
      hostTime: .zero, device: "mic",
      missing: [MissingFrames(position: 300, frames: 100, cause: .suspended)])
    _ = try await file.append(buffer)
    buffer.position = 1000
    buffer.missing = [MissingFrames(position: 800, frames: 200, cause: .overrun)]
    buffer.silenced = [MissingFrames(position: 200, frames: 600, cause: .overrun)]
    _ = try await file.append(buffer)
    try await file.close()
    let progress = file.progress
    let missing = [
      MissingFrames(position: 200, frames: 100, cause: .overrun),
      MissingFrames(position: 300, frames: 100, cause: .suspended),
      MissingFrames(position: 400, frames: 600, cause: .overrun),
    ]
    #expect(progress.missing == missing, "\(progress.missing)")
    #expect(progress.frames == 1800)
    #expect(try SoundFileReader(path: path).frames == 1800)
    #expect(folder.text("a.wav.json") == Sidecar.text(progress))
  }

  @Test("list zeros amid sound, without silence for them, and not as missing")
  func zerosAmidSound() async throws {
    let folder = TemporaryFolder()
    let file = RecordingFile(
      path: folder.path + "/a.wav",
      configuration: RecordingConfiguration(duration: .seconds(1)), Readers())
    try await file.create(sampleRate: 8000, channels: 1)
    var buffer = CaptureBuffer(
      samples: [Float](repeating: 0, count: 4000), channels: 1, sampleRate: 8000, position: 0,
      hostTime: .zero, device: "mic", missing: [])
    _ = try await file.append(buffer)
    #expect(folder.text("a.wav.json") == nil)
    buffer.position = 4000
    buffer.zeros = [
      ZeroFrames(position: 100, frames: 3000), ZeroFrames(position: 7000, frames: 3000),
    ]
    #expect(try await file.append(buffer))
    try await file.close()
    let progress = file.progress
    // Not those that end behind the end.
    #expect(progress.zeros == [ZeroFrames(position: 100, frames: 3000)])
    #expect(progress.missing.isEmpty && progress.frames == 8000)
    let list = folder.text("a.wav.json") ?? "none"
    #expect(list == Sidecar.text(progress) && list.contains("3000"), "\(list)")
  }

  @Test("list no input from behind their end")
  func inputBehindTheEnd() async throws {
    let folder = TemporaryFolder()
    let file = RecordingFile(
      path: folder.path + "/a.wav",
      configuration: RecordingConfiguration(duration: .milliseconds(20)), Readers())
    try await file.create(sampleRate: 8000, channels: 1)
    var buffer = CaptureBuffer(
      samples: [Float](repeating: 0.5, count: 80), channels: 1, sampleRate: 8000, position: 0,
      hostTime: .zero, device: "first", missing: [],
      inputs: [RecordedInput(position: 0, device: "first")])
    let isFull = try await file.append(buffer)
    buffer.missing = [MissingFrames(position: 80, frames: 720, cause: .routeChange)]
    (buffer.position, buffer.device) = (800, "second")
    buffer.inputs = [RecordedInput(position: 800, device: "second")]
    let isFullLater = try await file.append(buffer)
    #expect(!isFull && isFullLater)
    try await file.close()
    let list = folder.text("a.wav.json") ?? "none"
    #expect(list.contains("first") && !list.contains("second"), "\(list)")
  }

  @Test("list each input from its first frame on, and none that delivered nothing")
  func inputsInABuffer() async throws {
    let folder = TemporaryFolder()
    let file = RecordingFile(
      path: folder.path + "/a.wav", configuration: RecordingConfiguration(), Readers())
    try await file.create(sampleRate: 8000, channels: 1)
    var framer = Framer(channels: 1, sampleRate: 8000, frameLength: 80)
    var buffers: [CaptureBuffer] = []
    let samples = [Float](repeating: 0.5, count: 100)
    framer.device = "first"
    samples.withUnsafeBufferPointer { sound in
      framer.append(sound, at: .zero) { buffers.append($0) }
    }
    framer.skip(10, .routeChange) { buffers.append($0) }
    framer.device = "second"
    samples.withUnsafeBufferPointer { sound in
      framer.append(UnsafeBufferPointer(rebasing: sound[..<20]), at: .zero) { buffers.append($0) }
    }
    // The last input is silent until the end.
    framer.skip(720, .routeChange) { buffers.append($0) }
    framer.device = "third"
    if let rest = framer.takeRest() { buffers.append(rest) }
    for buffer in buffers { _ = try await file.append(buffer) }
    try await file.close()
    #expect(file.progress.frames == 850)
    let inputs = [
      RecordedInput(position: 0, device: "first"), RecordedInput(position: 110, device: "second"),
    ]
    #expect(file.progress.inputs == inputs, "\(file.progress.inputs)")
  }

  @Test("count no peak from behind their end")
  func peakBehindTheEnd() async throws {
    let folder = TemporaryFolder()
    let file = RecordingFile(
      path: folder.path + "/a.wav",
      configuration: RecordingConfiguration(duration: .milliseconds(5)), Readers())
    try await file.create(sampleRate: 8000, channels: 1)
    let samples = (0..<80).map { $0 < 40 ? Float(0.25) : 1 }
    let isFull = try await file.append(
      CaptureBuffer(
        samples: samples, channels: 1, sampleRate: 8000, position: 0, hostTime: .zero,
        device: "mic", missing: []))
    try await file.close()
    let progress = file.progress
    #expect(isFull && progress.frames == 40)
    #expect(progress.highestPeak == 0.25 && progress.peak == 0.25 && progress.rms == 0.25)
  }

  @Test("stay as they are where the list of the gaps could not be written")
  func impossibleList() async throws {
    let folder = TemporaryFolder()
    func error(_ name: String) async -> StreamError? {
      let file = RecordingFile(
        path: folder.path + "/" + name, configuration: RecordingConfiguration(), Readers())
      return await #expect(throws: StreamError.self) {
        try await file.create(sampleRate: 8000, channels: 1)
      }
    }
    folder.write("mine", to: "a.wav")
    #expect(mkdir(folder.path + "/a.wav.json", 0o700) == 0)
    let words = "'\(folder.path)/a.wav.json' cannot be written: "
    #expect(await error("a.wav")?.description == words + "Is a directory")
    #expect(folder.text("a.wav") == "mine")
    // The list would be written by a file with a name of 259 bytes.
    let long = String(repeating: "a", count: 246) + ".wav"
    #expect(await error(long)?.details == "File name too long")
    #expect(await error("none/a.wav")?.message == "'\(folder.path)/none/a.wav' cannot be written")
    #expect(Folder.names(folder.path).sorted() == ["a.wav", "a.wav.json"])
    // What the format refuses leaves both.
    folder.write("mine", to: "a.flac")
    folder.write("list", to: "a.flac.json")
    let flac = RecordingFile(
      path: folder.path + "/a.flac", configuration: RecordingConfiguration(), Readers())
    await #expect(throws: StreamError.self) { try await flac.create(sampleRate: 8000, channels: 9) }
    #expect(folder.text("a.flac") == "mine")
    #expect(folder.text("a.flac.json") == "list")
  }

  @Test("replace no FILE.json of another kind")
  func otherList() async throws {
    let folder = TemporaryFolder()
    folder.write("{\"settings\": 1}", to: "talk.json")
    func file(_ configuration: RecordingConfiguration) -> RecordingFile {
      RecordingFile(path: folder.path + "/talk", configuration: configuration, Readers())
    }
    let refused = file(RecordingConfiguration())
    let error = await #expect(throws: StreamError.self) {
      try await refused.create(sampleRate: 8000, channels: 1)
    }
    #expect(error?.code == .fileFailed)
    #expect(error?.message.contains("'\(folder.path)/talk.json' is not the list") == true)
    #expect(Folder.names(folder.path) == ["talk.json"])
    // As a program does that has asked whether it may.
    var configuration = RecordingConfiguration()
    configuration.replacesOtherLists = true
    let allowed = file(configuration)
    try await allowed.create(sampleRate: 8000, channels: 1)
    try await allowed.close()
    #expect(Folder.names(folder.path) == ["talk"])
    for text in [Sidecar.text(RecordingProgress()), ""] {
      folder.write(text, to: "talk.json")
      try await file(RecordingConfiguration()).create(sampleRate: 8000, channels: 1)
      #expect(Folder.names(folder.path) == ["talk"])
    }
  }

  @Test("are an error at the size limit of the process, on a thread that takes signals")
  func sizeLimit() async throws {
    let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    var former = rlimit()
    #expect(getrlimit(kind, &former) == 0)
    // No other test reaches a terabyte.
    let end: Int64 = 1 << 40
    var limit = rlimit(rlim_cur: min(rlim_t(end), former.rlim_max), rlim_max: former.rlim_max)
    let handler = signal(SIGXFSZ, SIG_DFL)
    #expect(setrlimit(kind, &limit) == 0)
    defer {
      setrlimit(kind, &former)
      signal(SIGXFSZ, handler)
    }
    let folder = TemporaryFolder()
    let path = folder.path + "/a"
    let failure = await onThread {
      var signals = sigset_t()
      sigemptyset(&signals)
      pthread_sigmask(SIG_SETMASK, &signals, nil)
      guard let output = try? FileOutput(path: path, until: StopSignal()) else { return Int32(0) }
      _ = output.seek(end, SEEK_SET)
      _ = [UInt8(0)].withUnsafeBytes { output.write($0) }
      return output.failure
    }
    #expect(failure == EFBIG)
  }

  @Test("clip what is beyond full scale", arguments: [RecordingFormat.wav16, .flac16])
  func clips(format: RecordingFormat) throws {
    let folder = TemporaryFolder()
    let writer = try SoundFileWriter(
      path: folder.path + "/a", format: format, sampleRate: 8000, channels: 1)
    try [Float](arrayLiteral: 2, -2, 0.5).withUnsafeBufferPointer { try writer.write($0) }
    try writer.close()
    let read = try SoundFileReader(path: folder.path + "/a").read(frames: 10)
    #expect(read[0] > 0.999 && read[1] < -0.999 && abs(read[2] - 0.5) < 0.001)
  }

  /// What is in the file while nobody has closed it is what a killed process leaves.
  @Test("can be read before they are closed", arguments: [RecordingFormat.wav24, .flac16])
  func unclosed(format: RecordingFormat) throws {
    let folder = TemporaryFolder()
    let writer = try SoundFileWriter(
      path: folder.path + "/a", format: format, sampleRate: 16000, channels: 1)
    let second = ConverterTests.sine(440, rate: 16000, frames: 16000)
    for _ in 0..<5 { try second.withUnsafeBufferPointer { try writer.write($0) } }
    try writer.checkpoint()
    let reader = try SoundFileReader(path: folder.path + "/a")
    #expect(reader.frames > 4 * 16000)
    let read = try reader.read(frames: 5 * 16000)
    #expect(Int64(read.count) == reader.frames)
    #expect(zip(second, read).allSatisfy { abs($0 - $1) < 0.001 })
    try writer.close()
  }

  @Test("say what is wrong with a place or a format")
  func failures() throws {
    func code(_ path: String, _ format: RecordingFormat, channels: Int = 1) -> StreamError.Code? {
      do throws(StreamError) {
        let writer = try SoundFileWriter(
          path: path, format: format, sampleRate: 8000, channels: channels)
        try writer.writeSilence(frames: 100_000)
        try writer.close()
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(TemporaryFolder().path + "/none/a", .wav16) == .fileFailed)
    #expect(code("/", .wav16) == .fileFailed)
    #expect(code("/dev/full", .wav16) == .fileFailed)
    #expect(code("/dev/full", .flac16) == .fileFailed)
    #expect(code(TemporaryFolder().path + "/a", .flac16, channels: 9) == .invalidFormat)
    #expect(throws: StreamError.self) { try SoundFileReader(path: #filePath) }
    #expect(throws: StreamError.self) {
      try SoundFileReader(path: TemporaryFolder().path + "/none")
    }
  }
}

@Suite("The recorder", .server, .soundFiles, .timeLimit(.minutes(10)))
struct RecorderTests {
  @Test("records as the device is, for exactly as long as asked")
  func records() async throws {
    try await Rig.with(.tone(rate: 44100, channels: 2, frequency: 441)) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      let recorder = rig.recorder()
      let updates = recorder.progressUpdates
      let followed = Task { await updates.reduce(into: [Int64]()) { $0.append($1.frames) } }
      try await recorder.start(
        path,
        configuration: RecordingConfiguration(
          duration: .milliseconds(1234), device: "tone.monitor"))
      await #expect { try await recorder.start("/tmp/other") } throws: {
        ($0 as? StreamError)?.code == .alreadyStreaming
      }
      let start = ContinuousClock.now
      let progress = try await recorder.finished()
      // What an idle server had kept is none of it.
      #expect(ContinuousClock.now - start > .seconds(1))
      #expect(await !recorder.isRecording)
      #expect(progress.missing.isEmpty)
      #expect(folder.text("a.wav.json") == nil)
      let reader = try SoundFileReader(path: path)
      #expect(reader.sampleRate == 44100 && reader.channels == 2)
      #expect(reader.frames == 54419)
      let frames = await followed.value
      #expect(frames.count > 1 && frames == frames.sorted() && frames.last == 54419, "\(frames)")
      let left = try reader.read(frames: 54419).enumerated().filter { $0.offset % 2 == 0 }
      let tone = Tone(left.map(\.element).suffix(22050), rate: 44100, near: 441)
      #expect(abs(tone.frequency - 441) < 0.0441)
    }
  }

  @Test("fills what is missing with silence, and lists it to the sample")
  func gapless() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      let recorder = rig.recorder()
      try await recorder.start(path)
      // Before the first sound nothing is missing.
      #expect(await eventually { await recorder.progress.frames > 0 })
      for _ in 0..<CaptureFaultTests.times {
        let before = await recorder.progress.missing.count
        try await rig.sandbox.kill()
        try await rig.sandbox.restart()
        #expect(await eventually { await recorder.progress.missing.count > before })
      }
      let progress = try await recorder.stop()
      #expect(progress.missing.count == CaptureFaultTests.times)
      #expect(progress.missing.allSatisfy { $0.cause == .serverReset })
      #expect(try SoundFileReader(path: path).frames == progress.frames)
      let list = try #require(folder.text("a.wav.json"))
      #expect(list == Sidecar.text(progress))
      for gap in progress.missing {
        #expect(list.contains("\"position\": \(gap.position), \"frames\": \(gap.frames)"))
        #expect(gap.position + Int64(gap.frames) <= progress.frames)
      }
      // A new recording with the same name takes the old list away.
      try await recorder.start(path)
      try await recorder.stop()
      #expect(folder.text("a.wav.json") == nil)
    }
  }

  @Test("goes on through changes of its card's profile, with all of it in the file", .simulatedCard)
  func profileFlips() async throws {
    try await Rig.with(.demo) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let recorder = rig.recorder()
      try await recorder.start(path, configuration: RecordingConfiguration(sampleRate: 48000))
      for profile in 0..<2 * CaptureFaultTests.times {
        let before = await recorder.progress.frames
        #expect(
          await eventually(within: .seconds(30)) {
            await recorder.progress.frames > before + 10_000
          })
        try await outside.setCardProfile(
          "alsa_card.usb-Example_USB_Microphone-00",
          profile % 2 == 0 ? "off" : "input:analog-stereo")
      }
      let progress = try await recorder.stop()
      #expect(try SoundFileReader(path: path).frames == progress.frames)
      #expect(progress.missing.allSatisfy { $0.cause == .routeChange }, "\(progress.missing)")
      let isPlain = progress.missing.isEmpty && progress.inputs.count < 2
      let list = isPlain ? nil : Sidecar.text(progress)
      #expect(folder.text("a.wav.json") == list)
      await outside.close()
    }
  }

  @Test("needs an input for the format of its file, also where the mode requires none")
  func noInput() async throws {
    try await Rig.with(.monitorOnly) { rig in
      var mode = AudioMode(category: .record)
      mode.inputRequired = false
      try await rig.session.setAudioMode(mode)
      let folder = TemporaryFolder()
      await #expect { try await rig.recorder().start(folder.path + "/a.wav") } throws: {
        ($0 as? StreamError)?.code == .deviceNotAvailable
      }
    }
  }

  @Test("progress that is followed ends also when a start fails")
  func failedStart() async throws {
    try await Rig.with(.monitorOnly) { rig in
      let recorder = rig.recorder()
      let updates = recorder.progressUpdates
      await #expect(throws: StreamError.self) { try await recorder.start("/dev/null") }
      for await _ in updates { Issue.record("progress of no recording") }
    }
  }

  @Test("pauses leave no trace in the file")
  func pause() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      // An input that takes longer than half a second to start again on a busy machine has a gap.
      for round in 1...4 {
        noteTry(round, of: 4)
        let recorder = rig.recorder()
        let path = folder.path + "/\(round).flac"
        try await recorder.start(path)
        #expect(await eventually { await recorder.progress.frames > 10_000 })
        try await recorder.pause()
        try await recorder.resume()
        let before = await recorder.progress.frames
        #expect(await eventually { await recorder.progress.frames > before + 10_000 })
        let progress = try await recorder.stop()
        #expect(try SoundFileReader(path: path).frames == progress.frames)
        if progress.missing.isEmpty { break }
        #expect(round < 4, "\(progress.missing)")
      }
    }
  }

  /// How far a recording comes that begins after one of two seconds, whose disk hangs and that was given up.
  private func framesAfterHanging(_ rig: Rig, _ folder: TemporaryFolder) async throws -> Int64 {
    let recorder = AudioRecorder(session: rig.session, writeTimeout: .milliseconds(500))
    let path = folder.path + "/a.wav"
    try await recorder.start(path, configuration: RecordingConfiguration(duration: .seconds(2)))
    #expect(await eventually { await recorder.progress.frames > 0 })
    var status = stat()
    try #require(stat(path, &status) == 0)
    hang_writes(UInt64(status.st_ino))
    defer { hang_writes(0) }
    let error = await #expect(throws: StreamError.self) { try await recorder.finished() }
    #expect(error?.code == .fileFailed)
    try await recorder.start(folder.path + "/b.wav")
    _ = await eventually(within: .seconds(8)) { await recorder.progress.frames > 3 * 44_100 }
    return try await recorder.stop().frames
  }

  @Test("one whose disk hangs leaves the next one alone")
  func recordsAfterHangingDisk() async throws {
    try await Rig.with(.sources) { rig in
      let frames = try await framesAfterHanging(rig, TemporaryFolder())
      #expect(frames > 3 * 44_100)
    }
  }

  @Test("a disk that is full ends it, with a clear error")
  func fullDisk() async throws {
    try await Rig.with(.sources) { rig in
      let recorder = rig.recorder()
      await #expect {
        try await recorder.start("/dev/full")
        try await recorder.finished()
      } throws: {
        let error = $0 as? StreamError
        return error?.code == .fileFailed
          && error?.description == "'/dev/full' cannot be written: No space left on device"
      }
      #expect(await recorder.capture.status == .ready)
    }
  }
}
