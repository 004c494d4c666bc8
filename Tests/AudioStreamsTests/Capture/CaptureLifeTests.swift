import AudioSession
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("The life of a capture", .server, .timeLimit(.minutes(10)))
struct CaptureLifeTests {
  @Test("starts once, stops as often as one likes, and starts again")
  func twice() async throws {
    try await Rig.with(.sources) { rig in
      let capture = rig.capture
      for _ in 0..<3 {
        let buffers = try await capture.start()
        await #expect { try await capture.start() } throws: {
          ($0 as? StreamError)?.code == .alreadyStreaming
        }
        #expect(await rig.collect(buffers, frames: 4096).buffers.count == 2)
        await capture.stop()
        await capture.stop()
        #expect(await capture.status == .ready)
        // The sequence has ended: what was read last was the last.
        for await _ in buffers {}
      }
    }
  }

  @Test("tells each status, and the errors")
  func events() async throws {
    try await Rig.with(.sources) { rig in
      let events = rig.capture.events
      let buffers = try await rig.capture.start()
      _ = try? await rig.capture.start()
      _ = await rig.collect(buffers, frames: 1)
      try await rig.capture.pause()
      try await rig.capture.resume()
      await rig.capture.stop()
      var seen: [String] = []
      for await event in events {
        switch event {
        case .status(let status, let timestamp):
          seen.append(status.rawValue)
          #expect(timestamp > .zero)
        case .tapped(let rate, let channels): seen.append("\(rate) \(channels)")
        case .error(let error): seen.append(error.code.rawValue)
        case .inputChanged(let name): seen.append(name)
        }
        if seen.last == "ready" { break }
      }
      #expect(
        seen == [
          "starting", "44100 2", "streaming", "alreadyStreaming", "paused", "44100 2", "streaming",
          "stopped", "ready",
        ])
    }
  }

  @Test("a stop ends a start that waits for the server", arguments: [true, false])
  func stopsStart(isConnected: Bool) async throws {
    try await Rig.with(.sources) { rig in
      let capture = rig.capture
      if isConnected { _ = try await rig.session.snapshot() }
      try await rig.sandbox.freeze()
      let starting = Task { try await capture.start() }
      #expect(await eventually { await capture.status == .starting })
      let time = await ContinuousClock().measure { await capture.stop() }
      // A start that waits for the server gives up after twenty.
      #expect(time < .seconds(10))
      await #expect {
        _ = try await starting.value
      } throws: {
        ($0 as? StreamError)?.message == "the capture was stopped while it started"
      }
      #expect(await capture.status == .ready)
      try await rig.sandbox.thaw()
      let buffers = try await capture.start()
      #expect(await rig.collect(buffers, frames: 2048).isWhole)
    }
  }

  @Test("a stop ends a resume that waits for the server")
  func stopsResume() async throws {
    try await Rig.with(.sources) { rig in
      let capture = rig.capture
      let buffers = try await capture.start()
      _ = await rig.collect(buffers, frames: 2048)
      try await capture.pause()
      try await rig.sandbox.freeze()
      let resuming = Task { try await capture.resume() }
      #expect(await eventually { await capture.opening != nil })
      let time = await ContinuousClock().measure { await capture.stop() }
      #expect(time < .seconds(10))
      await #expect(throws: StreamError.self) { try await resuming.value }
      #expect(await capture.status == .ready)
      try await rig.sandbox.thaw()
    }
  }

  @Test("a pause is no loss")
  func pause() async throws {
    try await Rig.with(.sources) { rig in
      let capture = rig.capture
      for call in [capture.pause, capture.resume] {
        await #expect { try await call() } throws: {
          ($0 as? StreamError)?.code == .engineNotInitialized
        }
      }
      let buffers = try await capture.start(CaptureFaultTests.patient)
      var sound = await rig.collect(buffers, frames: 3200)
      for _ in 0..<3 {
        try await capture.pause()
        try await capture.pause()
        #expect(await capture.status == .paused)
        try await capture.resume()
        try await capture.resume()
        #expect(await capture.isStreaming)
        sound.buffers += await rig.collect(buffers, frames: 3200).buffers
      }
      #expect(sound.lost == 0)
      #expect(sound.isWhole)
    }
  }

  @Test("any calls at the same time end in order")
  func chaos() async throws {
    try await Rig.with(.sources) { rig in
      let capture = rig.capture
      await withTaskGroup(of: Void.self) { group in
        for task in 0..<8 {
          group.addTask {
            var random = SeededRandom(seed: UInt64(task))
            for _ in 0..<10 {
              switch Int.random(in: 0..<4, using: &random) {
              case 0: _ = try? await capture.start()
              case 1: try? await capture.pause()
              case 2: try? await capture.resume()
              default: await capture.stop()
              }
            }
          }
        }
      }
      await capture.stop()
      #expect([.ready, .notInitialized].contains(await capture.status))
      let buffers = try await capture.start()
      #expect(await rig.collect(buffers, frames: 2048).buffers.count == 1)
    }
  }

  struct Bad: Sendable {
    var configuration: CaptureConfiguration
    var code: StreamError.Code
    var words: String
  }

  static let bad = [
    Bad(configuration: .init(sampleRate: 7999), code: .invalidFormat, words: "7999"),
    Bad(configuration: .init(sampleRate: 192_001), code: .invalidFormat, words: "192001"),
    Bad(configuration: .init(frameLength: 0), code: .invalidFormat, words: "0 frames"),
    Bad(configuration: .init(frameLength: 16001), code: .invalidFormat, words: "16001"),
    Bad(configuration: .init(channels: .count(0)), code: .invalidFormat, words: "0 channels"),
    Bad(configuration: .init(channels: .channel(2)), code: .invalidFormat, words: "0 to 1"),
    Bad(configuration: .init(device: "none"), code: .deviceNotAvailable, words: "none"),
  ]

  @Test("a start that fails says why, and leaves nothing", arguments: 0..<bad.count)
  func failures(index: Int) async throws {
    let example = Self.bad[index]
    try await Rig.with(.sources) { rig in
      await #expect { try await rig.capture.start(example.configuration) } throws: {
        let error = $0 as? StreamError
        return error?.code == example.code && error?.description.contains(example.words) == true
      }
      #expect(await rig.capture.status == .failed)
      // A stream has a connection of its own: its end may reach the server after the next question.
      let isGone = try await eventually {
        try await rig.session.snapshot().sourceOutputs.isEmpty
      }
      #expect(isGone)
      _ = try await rig.capture.start()
    }
  }

  @Test("the mode that another process holds counts: the monitor that it prefers, and its buffer")
  func heldByAnother() async throws {
    try await Rig.with(.monitorOnly) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = ["speakers.monitor"]
      mode.ioBufferDuration = .milliseconds(150)
      try await rig.session.setAudioMode(mode)
      let other = AudioSession(
        server: rig.sandbox.address,
        configuration: SessionConfiguration(
          storeFolder: rig.sandbox.directory + "/store", isHolding: false))
      let capture = AudioCapture(session: other)
      let buffers = try await capture.start()
      #expect(await capture.latency(CaptureConfiguration()) == .milliseconds(150))
      await capture.stop()
      for await _ in buffers {}
      await other.close()
    }
  }

  @Test("a monitor is no input unless it is named")
  func monitor() async throws {
    try await Rig.with(.monitorOnly) { rig in
      await #expect { try await rig.capture.start() } throws: {
        let error = $0 as? StreamError
        return error?.code == .deviceNotAvailable && error?.message.contains("monitor") == true
      }
      _ = try await rig.capture.start(CaptureConfiguration(device: "speakers.monitor"))
    }
  }

  @Test("the backlog is as long as it is asked to be, whatever the device's rate")
  func backlog() async throws {
    let sources = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers", "module-null-source source_name=fast rate=192000",
    ])
    try await Rig.with(sources) { rig in
      let buffers = try await rig.capture.start(
        CaptureConfiguration(sampleRate: nil, frameLength: 4800, backlog: .seconds(10)))
      #expect(await rig.capture.run?.queue.limit == 400)
      withExtendedLifetime(buffers) {}
    }
  }

  @Test("without a server it is the session that fails")
  func noServer() async throws {
    let session = AudioSession(server: "unix:/nonexistent")
    await #expect { try await AudioCapture(session: session).start() } throws: {
      ($0 as? StreamError)?.code == .sessionConfigFailed
    }
    await session.close()
  }

  @Test("ends with its session, and with its last reference")
  func ends() async throws {
    try await Rig.with(.sources) { rig in
      let buffers = try await rig.capture.start()
      await rig.session.close()
      for await _ in buffers {}
      let session = AudioSession(
        server: rig.sandbox.address,
        configuration: SessionConfiguration(storeFolder: rig.sandbox.directory + "/store"))
      var capture: AudioCapture? = AudioCapture(session: session)
      let others = try await capture?.start()
      capture = nil
      for await _ in try #require(others) {}
      #expect(await eventually { (try? await session.snapshot().sourceOutputs.isEmpty) == true })
      await session.close()
    }
  }

  @Test("hears nothing of what belongs to an earlier run")
  func earlierRun() async throws {
    try await Rig.with(.sources) { rig in
      let capture = rig.capture
      var buffers = try await capture.start()
      let id = try #require(await capture.run?.id)
      let tapID = try #require(await capture.run?.tapID)
      await capture.stop()
      buffers = try await capture.start()
      let error = StreamError(.deviceNotAvailable, "the device of the earlier run was removed")
      await capture.tapEnded(error, tapID)
      await capture.conversionFailed(error, tapID)
      await capture.handle(.interruptionBegan(.corkRequest), in: id)
      await capture.handle(.stopped, in: id)
      #expect(await capture.isStreaming)
      #expect(await rig.collect(buffers, frames: 4096).buffers.count == 2)
    }
  }
}
