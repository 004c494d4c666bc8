import AudioSession
import Glibc
import POSIX
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// A pipe has a reader that may come late, stall or leave: every wait for it ends.
@Suite("Recordings and files through pipes", .server, .soundFiles, .timeLimit(.minutes(10)))
struct StreamPipeTests {
  @Test("a recording into a named pipe begins when the pipe has a reader")
  func lateReader() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      #expect(mkfifo(path, 0o600) == 0)
      let recorder = rig.recorder()
      let starting = Task { try await recorder.start(path) }
      let began = ContinuousClock.now
      #expect(await eventually { ContinuousClock.now - began > .milliseconds(300) })
      #expect(await recorder.capture.status == .notInitialized)
      let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      try await starting.value
      #expect(await recorder.capture.isStreaming)
      #expect(await eventually { await recorder.progress.frames > 0 })
      // Nothing is read, so the recording may have filled the pipe.
      close(reader)
      _ = try? await recorder.stop()
    }
  }

  @Test("a stop abandons a reader that stalls; the progress can be read while a write waits")
  func stalledReader() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      #expect(mkfifo(path, 0o600) == 0)
      let pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(pipe) }
      let recorder = rig.recorder()
      try await recorder.start(path)
      #expect(
        await eventually {
          var room = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
          return poll(&room, 1, 0) == 0
        })
      // A buffer of 0.1 s waits then.
      let full = ContinuousClock.now
      #expect(await eventually { ContinuousClock.now - full > .milliseconds(300) })
      let frames = await recorder.progress.frames
      #expect(frames > 0)
      let error = await #expect(throws: StreamError.self) { try await recorder.stop() }
      #expect(error?.code == .fileFailed, "\(String(describing: error))")
      #expect(await recorder.progress.frames >= frames)
      #expect(await !recorder.isRecording)
    }
  }

  @Test(
    "a reader that stalls does not keep a recording from its end, and is why it failed",
    arguments: [true, false])
  func stalledReaderInTime(hasDuration: Bool) async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      #expect(mkfifo(path, 0o600) == 0)
      let pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(pipe) }
      let recorder = rig.recorder()
      let configuration =
        hasDuration
        ? RecordingConfiguration(duration: .seconds(2))
        : RecordingConfiguration(serverTimeout: .seconds(2))
      try await recorder.start(path, configuration: configuration)
      #expect(await eventually { await recorder.progress.frames > 0 })
      if !hasDuration { try await rig.sandbox.kill() }
      let error = await #expect(throws: StreamError.self) { try await recorder.finished() }
      #expect(error?.isOfStalledReader == true, "\(String(describing: error))")
      #expect(await recorder.capture.run == nil)
    }
  }

  @Test("a pipe has all of a recording that was stopped, also what nothing has read")
  func unreadEnd() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      #expect(mkfifo(path, 0o600) == 0)
      let pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(pipe) }
      // `F_SETPIPE_SZ`, which Swift does not import: room for some seconds.
      #expect(fcntl(pipe, 1031, 1 << 20) >= 1 << 20)
      let recorder = rig.recorder()
      try await recorder.start(path)
      #expect(await eventually { await recorder.progress.frames > 4410 })
      let progress = try await recorder.stop()
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      // A head of 44 bytes, then two channels of 16 bits.
      #expect(Int64(read(pipe, &bytes, bytes.count)) == 44 + progress.frames * 4)
    }
  }

  @Test("a recording that is impossible fails before its named pipe has a reader")
  func impossiblePipe() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      #expect(mkfifo(path, 0o600) == 0)
      let recorder = rig.recorder()
      let error = await #expect(throws: StreamError.self) {
        try await recorder.start(path, configuration: RecordingConfiguration(device: "absent"))
      }
      #expect(error?.code == .deviceNotAvailable, "\(String(describing: error))")
    }
  }

  @Test("a player that is stopped while it waits for a pipe ends")
  func stoppedPlayer() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      #expect(mkfifo(path, 0o600) == 0)
      let player = AudioPlayer(session: rig.session)
      let hasEnded = Shared(false)
      let starting = Task {
        defer { hasEnded.value = true }
        try await player.start(path)
      }
      #expect(
        await eventually {
          await player.stop()
          return hasEnded.value
        })
      await #expect(throws: StreamError.self) { try await starting.value }
    }
  }

  @Test("a file written to a pipe whose reader leaves is an error, on any thread")
  func closedPipe() async throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/a.wav"
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let writer = try SoundFileWriter(path: path, sampleRate: 48000, channels: 1)
    close(reader)
    let samples = [Float](repeating: 0.1, count: 48000)
    let error = #expect(throws: StreamError.self) {
      for _ in 0..<10 { try samples.withUnsafeBufferPointer { try writer.write($0) } }
    }
    #expect(error?.code == .closedPipe)
  }
}
