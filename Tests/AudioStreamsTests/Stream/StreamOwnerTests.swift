@testable import AudioSession
import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// A stream ends with whoever owns it, and every wait for one ends.
@Suite("Who owns a stream", .server, .soundFiles, .timeLimit(.minutes(10)))
struct StreamOwnerTests {
  private func isOpen(_ rig: Rig) async throws -> Bool {
    try await !rig.session.snapshot().sourceOutputs.isEmpty
  }

  private func isClosed(_ rig: Rig) async throws -> Bool {
    try await eventually { try await !isOpen(rig) }
  }

  @Test("a loop that is left ends it, and the next start finds the microphone free")
  func left() async throws {
    try await Rig.with(.sources) { rig in
      for _ in 0..<3 {
        for await buffer in try await rig.capture.start() {
          #expect(buffer.frameLength > 0)
          break
        }
      }
      #expect(try await isClosed(rig))
      #expect(await eventually { await rig.capture.status == .ready })
    }
  }

  @Test("a session that is dropped together with its capture ends")
  func droppedSession() async throws {
    try await Rig.with(.sources) { rig in
      weak var session: AudioSession?
      do {
        let own = AudioSession(
          server: rig.session.address,
          configuration: SessionConfiguration(
            storeFolder: rig.sandbox.directory + "/own", isHolding: false))
        session = own
        var capture: AudioCapture? = AudioCapture(session: own)
        let buffers = try await capture?.start()
        capture = nil
        withExtendedLifetime(buffers) {}
      }
      #expect(await eventually { session == nil })
      #expect(try await isClosed(rig))
    }
  }

  @Test("a reader that is cancelled ends it")
  func cancelled() async throws {
    try await Rig.with(.sources) { rig in
      let buffers = try await rig.capture.start()
      let reading = Task {
        for await _ in buffers {}
      }
      #expect(try await eventually { try await isOpen(rig) })
      reading.cancel()
      await reading.value
      let again = try await rig.capture.start()
      await rig.capture.stop()
      #expect(try await isClosed(rig))
      withExtendedLifetime((buffers, again)) {}
    }
  }

  @Test("a reader that is cancelled ends it, also one that is always slower than the sound")
  func slowCancelled() async throws {
    try await Rig.with(.sources) { rig in
      let buffers = try await rig.capture.start()
      let began = Promise<Void>()
      let reading = Task {
        for await _ in buffers {
          began.fulfill(())
          // Work that tests no cancellation.
          let end = ContinuousClock.now + .milliseconds(200)
          while ContinuousClock.now < end { await Task.yield() }
        }
      }
      await began.value()
      reading.cancel()
      await reading.value
      #expect(try await isClosed(rig))
      withExtendedLifetime(buffers) {}
    }
  }

  @Test("a recorder that nobody has any more records no longer, and its file can be read")
  func dropped() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      do {
        let recorder = rig.recorder()
        try await recorder.start(folder.path + "/a.wav")
        #expect(await eventually { await recorder.progress.frames > 0 })
      }
      #expect(try await isClosed(rig))
      #expect(
        await eventually { ((try? SoundFileReader(path: folder.path + "/a.wav"))?.frames ?? 0) > 0 }
      )
    }
  }

  @Test(
    "waiting for the end of a recording can be cancelled, whatever its server does",
    arguments: ["runs", "is killed", "is frozen"])
  func waiting(_ server: String) async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(folder.path + "/a.wav")
      let waiting = Task { try await recorder.finished() }
      #expect(await eventually { await recorder.progress.frames > 0 })
      if server == "is killed" { try await rig.sandbox.kill() }
      if server == "is frozen" { try await rig.sandbox.freeze() }
      let start = ContinuousClock.now
      waiting.cancel()
      _ = try await waiting.value
      #expect(ContinuousClock.now - start < .seconds(10))
      #expect(await recorder.isRecording)
      if server == "is frozen" { try await rig.sandbox.thaw() }
      if server != "is killed" {
        let frames = await recorder.progress.frames
        #expect(await eventually { await recorder.progress.frames > frames })
      }
      let whole = try await recorder.stop()
      #expect(try SoundFileReader(path: folder.path + "/a.wav").frames == whole.frames)
    }
  }

  @Test("a recording of a length ends in time without its server, and lists what is missing")
  func deadServer() async throws {
    try await Rig.with(.sources) { rig in
      let path = TemporaryFolder()
      let recorder = rig.recorder()
      let start = ContinuousClock.now
      try await recorder.start(
        path.path + "/a.wav", configuration: .init(duration: .seconds(3)))
      #expect(await eventually { await recorder.progress.frames > 0 })
      try await rig.sandbox.kill()
      let killed = ContinuousClock.now - start
      let progress = try await recorder.finished()
      #expect(ContinuousClock.now - start < .seconds(15))
      #expect(abs(progress.duration.seconds - 3) < 0.001)
      #expect(try SoundFileReader(path: path.path + "/a.wav").frames == progress.frames)
      let missing = progress.missing.reduce(0) { $0 + $1.frames }
      #expect(progress.missing.allSatisfy { $0.cause == .serverReset })
      // A busy machine kills the server late.
      #expect(Double(missing) > (2.9 - killed.seconds) * Double(progress.sampleRate))
      #expect(path.text("a.wav.json") == (missing == 0 ? nil : Sidecar.text(progress)))
    }
  }

  @Test(
    "a recording of a length ends in time when its server ends during an interruption",
    arguments: [true, false])
  func deadServerWhileInterrupted(hasMode: Bool) async throws {
    try await Rig.with(.sources) { rig in
      if hasMode { try await rig.session.setAudioMode(AudioMode(category: .record)) }
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(
        folder.path + "/a.wav", configuration: .init(duration: .seconds(6)))
      #expect(await eventually { await recorder.progress.frames > 0 })
      await rig.session.noteCorkRequest(toPause: true)
      #expect(await eventually { await recorder.capture.status == .interrupted })
      try await rig.sandbox.kill()
      let progress = try await recorder.finished()
      #expect(abs(progress.duration.seconds - 6) < 0.05, "\(progress)")
      #expect(progress.missing.last?.cause == .serverReset, "\(progress.missing)")
    }
  }

  @Test("a recording whose session is deactivated during an interruption ends with an error")
  func deactivatedWhileInterrupted() async throws {
    try await Rig.with(.sources) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(folder.path + "/a.wav", configuration: .init(duration: .seconds(60)))
      #expect(await eventually { await recorder.progress.frames > 0 })
      await rig.session.noteCorkRequest(toPause: true)
      #expect(await eventually { await recorder.capture.status == .interrupted })
      try await rig.session.setActive(false)
      await rig.session.noteCorkRequest(toPause: false)
      let error = await #expect(throws: StreamError.self) { try await recorder.finished() }
      #expect(error == .inactive)
      let frames = await recorder.progress.frames
      #expect(try SoundFileReader(path: folder.path + "/a.wav").frames == frames)
    }
  }

  @Test("a recording whose session is closed before its duration is over ends with an error")
  func closedSession() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(folder.path + "/a.wav", configuration: .init(duration: .seconds(60)))
      #expect(await eventually { await recorder.progress.frames > 0 })
      await rig.session.close()
      let error = await #expect(throws: StreamError.self) { try await recorder.finished() }
      #expect(error == .closed)
      let frames = await recorder.progress.frames
      #expect(try SoundFileReader(path: folder.path + "/a.wav").frames == frames)
    }
  }

  @Test("after a stop during a start the recorder can start again")
  func startsAgain() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
      let recorder = rig.recorder()
      // A pipe waits for its reader.
      let starting = Task { try await recorder.start(folder.path + "/pipe") }
      #expect(await eventually { await recorder.isStarting })
      _ = try await recorder.stop()
      try await recorder.start(folder.path + "/a.wav")
      await #expect(throws: StreamError.self) { try await starting.value }
      #expect(await eventually { await recorder.progress.frames > 0 })
      _ = try await recorder.stop()
    }
  }

  @Test(
    "a stop or a pause need not wait for an answer of a frozen server", arguments: [true, false])
  func stoppedWhileFrozen(isPause: Bool) async throws {
    try await Rig.with(.sources) { rig in
      let buffers = try await rig.capture.start(CaptureConfiguration(device: "two"))
      let errors = rig.capture.events
      try await rig.sandbox.unplug("two")
      #expect(await eventually { await rig.capture.awaySince != nil })
      try await rig.sandbox.freeze()
      // The capture tries at least twice a second, and waits for the answer.
      let frozen = ContinuousClock.now
      #expect(await eventually { ContinuousClock.now - frozen > .seconds(2) })
      let start = ContinuousClock.now
      if isPause { try await rig.capture.pause() }
      await rig.capture.stop()
      #expect(ContinuousClock.now - start < .seconds(8))
      try await rig.sandbox.thaw()
      for await event in errors {
        if case .error(let error) = event { #expect(!error.isCancelled) }
        if case .status(.ready, _) = event { break }
      }
      withExtendedLifetime(buffers) {}
    }
  }

  @Test(
    "a capture that has stopped, or did not start, follows its session no more",
    arguments: [true, false])
  func unheard(isStarted: Bool) async throws {
    try await Rig.with(.sources, isHolding: false) { rig in
      if isStarted {
        _ = try await rig.capture.start()
        await rig.capture.stop()
      } else {
        await #expect(throws: StreamError.self) {
          try await rig.capture.start(CaptureConfiguration(device: "none"))
        }
      }
      #expect(await eventually { rig.session.readers.isEmpty })
    }
  }

  @Test("a recording without a length ends with an error when its server stays away")
  func absentServer() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(
        folder.path + "/a.wav", configuration: .init(serverTimeout: .seconds(2)))
      #expect(await eventually { await recorder.progress.frames > 0 })
      let killed = ContinuousClock.now
      try await rig.sandbox.kill()
      await #expect {
        try await recorder.finished()
      } throws: { error in
        let error = error as? StreamError
        return error?.isServerAway == true
          && error?.message == "the server has not answered for 2 s"
      }
      #expect(ContinuousClock.now - killed > .seconds(1.9))
      #expect(await !recorder.isRecording)
      let progress = await recorder.progress
      #expect(try SoundFileReader(path: folder.path + "/a.wav").frames == progress.frames)
      #expect(progress.missing.last?.cause == .serverReset, "\(progress.missing)")
    }
  }

  @Test("a recording that is stopped without its server is filled up to then")
  func stoppedWhileDead() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      let start = ContinuousClock.now
      try await recorder.start(folder.path + "/a.wav")
      #expect(await eventually { await recorder.progress.frames > 0 })
      let first = ContinuousClock.now
      try await rig.sandbox.kill()
      #expect(await eventually { await recorder.capture.awaySince != nil })
      let gone = ContinuousClock.now
      #expect(await eventually { ContinuousClock.now - gone > .milliseconds(400) })
      let stop = ContinuousClock.now
      let progress = try await recorder.stop()
      let missing = progress.missing.reduce(0) { $0 + $1.frames }
      #expect(progress.missing.last?.cause == .serverReset && missing > 44100 * 3 / 10)
      // On a busy machine starting and stopping take a while.
      let length = (least: stop - first, most: ContinuousClock.now - start)
      #expect(progress.duration > length.least - .milliseconds(100), "\(length)")
      #expect(progress.duration < length.most + .milliseconds(100), "\(length)")
      #expect(try SoundFileReader(path: folder.path + "/a.wav").frames == progress.frames)
    }
  }

  @Test("a source that was named is waited for; no other one is recorded in its place")
  func unplugged() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(folder.path + "/a.wav", configuration: .init(device: "two"))
      #expect(await eventually { await recorder.progress.frames > 0 })
      try await rig.sandbox.unplug("two")
      #expect(await eventually { await recorder.capture.awaySince != nil })
      #expect(try await isClosed(rig))
      try await rig.sandbox.plug("two")
      #expect(await eventually { await recorder.capture.status == .streaming })
      let frames = await recorder.progress.frames
      #expect(await eventually { await recorder.progress.frames > frames + 48000 / 2 })
      let progress = try await recorder.stop()
      #expect(progress.missing.count == 1 && progress.missing.first?.cause == .routeChange)
    }
  }

  @Test("a recording of a length ends in time while its source comes and goes without sound")
  func comesAndGoes() async throws {
    var machine = SandboxConfiguration.sources
    // It is suspended whenever it is plugged in.
    machine.commands = ["suspend-source two true"]
    try await Rig.with(machine) { rig in
      try await rig.sandbox.resume("two")
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(
        folder.path + "/a.wav", configuration: .init(duration: .seconds(2), device: "two"))
      #expect(await eventually { await recorder.progress.frames > 0 })
      let recording = Task { try await recorder.finished() }
      let start = ContinuousClock.now
      while await recorder.isRecording, ContinuousClock.now - start < .seconds(20) {
        try await rig.sandbox.unplug("two")
        #expect(
          await eventually {
            guard await recorder.isRecording else { return true }
            return await recorder.capture.awaySince != nil
          })
        try await rig.sandbox.plug("two")
        #expect(
          await eventually {
            guard await recorder.isRecording else { return true }
            return await recorder.capture.isStreaming
          })
      }
      #expect(await !recorder.isRecording)
      _ = try await recorder.stop()
      let progress = try await recording.value
      #expect(abs(progress.duration.seconds - 2) < 0.05, "\(progress)")
    }
  }

  @Test("a recording without a length ends with an error when its server is frozen")
  func frozenServer() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let session = AudioSession(
        server: rig.session.address,
        configuration: SessionConfiguration(
          timeout: .seconds(2), storeFolder: rig.sandbox.directory + "/own", isHolding: false))
      let recorder = AudioRecorder(session: session)
      try await recorder.start(
        folder.path + "/a.wav", configuration: .init(serverTimeout: .seconds(2)))
      #expect(await eventually { await recorder.progress.frames > 0 })
      try await rig.sandbox.freeze()
      await #expect {
        try await recorder.finished()
      } throws: { error in
        (error as? StreamError)?.message == "the server has not answered for 2 s"
      }
      try await rig.sandbox.thaw()
      #expect(
        try SoundFileReader(path: folder.path + "/a.wav").frames == (await recorder.progress.frames)
      )
      await session.close()
    }
  }

  @Test("a pause while the input is away keeps what was missing before it")
  func pausedWhileAway() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(folder.path + "/a.wav", configuration: .init(device: "two"))
      #expect(await eventually { await recorder.progress.frames > 0 })
      let plugged = ContinuousClock.now
      try await rig.sandbox.unplug("two")
      #expect(await eventually { await recorder.capture.awaySince != nil })
      let gone = ContinuousClock.now
      #expect(await eventually { ContinuousClock.now - gone > .milliseconds(400) })
      try await recorder.pause()
      let paused = ContinuousClock.now
      try await rig.sandbox.plug("two")
      #expect(await eventually { ContinuousClock.now - paused > .milliseconds(400) })
      #expect(
        await eventually {
          (try? await rig.session.snapshot())?.device(.input, named: "two") != nil
        })
      try await recorder.resume()
      let frames = await recorder.progress.frames
      #expect(await eventually { await recorder.progress.frames > frames + 48000 / 4 })
      let progress = try await recorder.stop()
      let away = progress.missing.filter { $0.cause == .routeChange }
      let missing = Double(away.reduce(0) { $0 + $1.frames }) / 48000
      #expect(missing > 0.39, "\(progress.missing)")
      // The fragment that was on its way is missing, too.
      #expect(missing < (paused - plugged).seconds + 2.5, "\(progress.missing)")
    }
  }

  /// The frames that are missing.
  private func missing(_ progress: RecordingProgress) -> Int {
    progress.missing.reduce(0) { $0 + $1.frames }
  }

  @Test("a recording of a length that is resumed while its source is suspended ends in time")
  func resumedWhileSuspended() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      let start = ContinuousClock.now
      try await recorder.start(
        folder.path + "/a.wav", configuration: .init(duration: .seconds(6), device: "two"))
      #expect(await eventually { await recorder.progress.frames > 0 })
      try await recorder.pause()
      // A busy machine pauses late.
      let paused = ContinuousClock.now - start
      try await rig.sandbox.suspend("two")
      try await recorder.resume()
      let progress = try await recorder.finished()
      #expect(abs(progress.duration.seconds - 6) < 0.05, "\(progress)")
      let seconds = Double(missing(progress)) / Double(progress.sampleRate)
      #expect(seconds > 5.7 - paused.seconds, "\(progress), \(paused)")
      #expect(try SoundFileReader(path: folder.path + "/a.wav").frames == progress.frames)
    }
  }

  @Test("what a source does not deliver after a pause is missing")
  func resumedLate() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(folder.path + "/a.wav", configuration: .init(device: "two"))
      #expect(await eventually { await recorder.progress.frames > 0 })
      try await recorder.pause()
      try await rig.sandbox.suspend("two")
      let before = ContinuousClock.now
      try await recorder.resume()
      let resumed = ContinuousClock.now
      #expect(await eventually { ContinuousClock.now - resumed > .seconds(2) })
      let least = ContinuousClock.now - resumed
      try await rig.sandbox.resume("two")
      #expect(await eventually { missing(await recorder.progress) > 48000 })
      let most = ContinuousClock.now - before
      let progress = try await recorder.stop()
      let seconds = Double(missing(progress)) / Double(progress.sampleRate)
      #expect(seconds > least.seconds - 0.3, "\(progress), \(least)")
      #expect(seconds < most.seconds + 0.5, "\(progress), \(most)")
    }
  }

  @Test("a recording of a length is no shorter for a pause just before its end")
  func pausedBeforeEnd() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(
        folder.path + "/a.wav", configuration: .init(duration: .seconds(1), device: "two"))
      let recording = Task { try await recorder.finished() }
      let start = ContinuousClock.now
      while await recorder.isRecording, ContinuousClock.now - start < .seconds(30) {
        let frames = await recorder.progress.frames
        #expect(
          await eventually {
            guard await recorder.isRecording else { return true }
            return await recorder.progress.frames > frames
          })
        // It may have ended meanwhile.
        try? await recorder.pause()
        try? await recorder.resume()
      }
      let progress = try await recording.value
      #expect(abs(progress.duration.seconds - 1) < 0.001, "\(progress)")
    }
  }

  @Test("a recorder that is stopped while it starts records nothing")
  func stoppedStart() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/a.wav"
      #expect(mkfifo(path, 0o600) == 0)
      let recorder = rig.recorder()
      // A pipe waits for its reader.
      let hasEnded = Shared(false)
      let starting = Task {
        defer { hasEnded.value = true }
        try await recorder.start(path)
      }
      #expect(
        await eventually {
          _ = try? await recorder.stop()
          return hasEnded.value
        })
      await #expect(throws: StreamError.self) { try await starting.value }
      #expect(await !recorder.isRecording)
      let closed = try await isClosed(rig)
      #expect(closed)
    }
  }
}
