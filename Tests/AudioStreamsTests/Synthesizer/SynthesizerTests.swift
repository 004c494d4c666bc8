import AudioSession
import Glibc
import Pulse
import PulseSandbox
import TestSupport
import Testing

@testable import AudioStreams

@Suite("The synthesizer on a server", .timeLimit(.minutes(10)))
struct SynthesizerTests {
  static let output = SandboxConfiguration(modules: [
    "module-null-sink sink_name=out rate=44100 channels=2 channel_map=front-left,front-right"
  ])

  /// - Parameter resets: how often the server goes. A stream whose frames disagree with the clock is
  ///   opened again, too, which is a failure.
  static func with(
    _ configuration: SandboxConfiguration = output, resets: Int = 0,
    _ body: (PulseSandbox, Synthesizer) async throws -> Void
  ) async throws {
    try await PulseSandbox.watched(configuration) { sandbox in
      let session = AudioSession(
        server: sandbox.address,
        configuration: SessionConfiguration(
          timeout: .seconds(20), storeFolder: sandbox.directory + "/store"))
      // A busy machine may be late by more than a player's few milliseconds; that would be heard.
      var slow = SynthesizerConfiguration()
      slow.bufferDuration = .milliseconds(500)
      let synthesizer = Synthesizer(session: session, configuration: slow)
      try await body(sandbox, synthesizer)
      #expect(synthesizer.resets == resets && synthesizer.failure == nil)
      await synthesizer.stop()
      await session.close()
    }
  }

  @Test("a note is heard at its frequency and its level, on both channels", .server)
  func heard() async throws {
    try await Self.with { sandbox, synthesizer in
      let listener = try await Listener.on("out.monitor", sandbox)
      try await synthesizer.start()
      #expect(synthesizer.sampleRate == 44100)
      let latency = await synthesizer.latency
      #expect(latency.map { (.zero..<(.seconds(3))).contains($0) } == true, "\(latency as Any)")
      #expect(try synthesizer.triggerNote(pitch: 69, velocity: .accent))
      #expect(await eventually { listener.firstSound() != nil })
      // A machine that stands still longer than the buffer is heard; the note is held on.
      for round in 1...8 {
        noteTry(round, of: 8)
        listener.forget()
        await listener.seconds(2.5)
        let tones = [0, 1].map { channel in
          Array(listener.channel(channel).dropFirst(4410).prefix(88200))
            .tone(near: 440, rate: 44100)
        }
        if tones.allSatisfy({
          abs($0.frequency / 440 - 1) < 1e-4 && abs(decibels($0.amplitude / 0.3)) < 0.1
        }) {
          break
        }
        #expect(round < 8, "\(tones)")
      }
      #expect(synthesizer.refusedEvents == 0)
      // With a listener the sink's buffer is short: what is left is the synthesizer's half a second.
      let settled = await synthesizer.latency
      #expect(
        settled.map { (.milliseconds(50)...(.seconds(1))).contains($0) } == true,
        "\(settled as Any)")
      await listener.close()
      try await sandbox.freeze()
      #expect(await synthesizer.latency == nil)
      try await sandbox.thaw()
    }
  }

  @Test("sets the category and the rate of the session that it plays in", .server)
  func startsSession() async throws {
    var configuration = Self.output
    configuration.avoidResampling = true
    try await Self.with(configuration) { sandbox, synthesizer in
      let session = synthesizer.session
      let refused = await #expect(throws: StreamError.self) {
        try await synthesizer.start(category: .playback, sampleRate: -1)
      }
      #expect(refused?.code == .sessionConfigFailed && !synthesizer.isRunning)
      #expect(try await session.getSessionState().active == false)
      try await synthesizer.start(category: .playback, sampleRate: 48000)
      let state = try await session.getSessionState()
      #expect(state.properties[.category]?.verdict == .applied)
      #expect(state.properties[.sampleRate]?.verdict == .applied, "\(state.properties)")
      #expect(synthesizer.sampleRate == 48000)
      let again = await #expect(throws: StreamError.self) {
        try await synthesizer.start(category: .ambient)
      }
      #expect(again?.code == .alreadyStreaming)
      #expect(try await session.getSessionState().properties[.category]?.preferred != nil)
      #expect(await session.modeInEffect?.category == .playback)
    }
  }

  @Test("takes the rate and the channels that the device has", .server)
  func spec() async throws {
    let configuration = SandboxConfiguration(modules: [
      "module-null-sink sink_name=out rate=48000 channels=4"
    ])
    try await Self.with(configuration) { sandbox, synthesizer in
      let listener = try await Listener.on("out.monitor", sandbox)
      try await synthesizer.start()
      #expect(synthesizer.sampleRate == 48000)
      #expect(try synthesizer.triggerNote(pitch: 81))
      #expect(await eventually { listener.firstSound() != nil })
      for round in 1...8 {
        noteTry(round, of: 8)
        listener.forget()
        await listener.seconds(1.5)
        let sound = Array(listener.channel(3).dropFirst(4800).prefix(48000))
        let tone = sound.tone(near: 880, rate: 48000)
        if abs(tone.frequency / 880 - 1) < 1e-4 { break }
        #expect(round < 8, "\(tone)")
      }
      await listener.close()
    }
  }

  @Test("stops without a click, and starts again", .server)
  func stops() async throws {
    try await Self.with { sandbox, synthesizer in
      let listener = try await Listener.on("out.monitor", sandbox)
      let own = 0.3 * 2 * Double.pi * 110 / 44100
      var steps: [Double] = []
      // Twice; a busy machine may lose some sound, which is a step as well, but hardly each time.
      while steps.count < 8, steps.count(where: { $0 < own + ClickTests.margin }) < 2 {
        noteTry(steps.count, of: 7, after: "steps of \(steps)")
        listener.forget()
        try await synthesizer.start()
        #expect(try synthesizer.triggerNote(pitch: 45, velocity: .accent))
        #expect(await eventually { listener.firstSound(louderThan: 0.29) != nil })
        await synthesizer.stop()
        #expect(!synthesizer.isRunning)
        #expect(synthesizer.failure == nil && synthesizer.resets == 0)
        #expect(await eventually { listener.channel(0).suffix(441).allSatisfy { abs($0) < 1e-6 } })
        steps.append(Double(listener.channel(0).largestStep))
      }
      #expect(steps.count(where: { $0 < own + ClickTests.margin }) == 2, "\(steps)")
      await synthesizer.stop()
      await listener.close()
    }
  }

  @Test("a short note is heard whole, also if a stop comes as soon as it is mixed", .server)
  func shortNote() async throws {
    try await Self.with { sandbox, synthesizer in
      let listener = try await Listener.on("out.monitor", sandbox)
      try await synthesizer.start()
      #expect(await eventually { synthesizer.position > 0 })
      let begin = synthesizer.position
      #expect(try synthesizer.triggerNote(pitch: 69, duration: .milliseconds(200)))
      // Mixed half a second before it is heard.
      #expect(await eventually { synthesizer.position > begin + 44100 / 5 })
      await synthesizer.stop()
      #expect(await eventually { listener.channel(0).count { abs($0) > 0.01 } > 44100 / 8 })
      await listener.close()
    }
  }

  @Test("the number of refused notes stays after a stop", .server)
  func refused() async throws {
    try await Self.with { _, synthesizer in
      try await synthesizer.start()
      for number in 1...600 {
        try synthesizer.schedule(Note(pitch: 60), at: UInt64(number) << 40)
      }
      let refused = synthesizer.refusedEvents
      #expect(refused > 0)
      await synthesizer.stop()
      #expect(synthesizer.refusedEvents == refused)
    }
  }

  @Test("refuses a configuration that cannot be", .server)
  func configuration() async throws {
    try await Self.with { sandbox, synthesizer in
      for change in [
        { $0.cutoff = -1 }, { $0.master = .nan }, { $0.sustain = 2 }, { $0.attack = .seconds(-1) },
        { $0.bufferDuration = .zero },
      ] as [(inout SynthesizerConfiguration) -> Void] {
        var configuration = SynthesizerConfiguration()
        change(&configuration)
        let other = Synthesizer(session: synthesizer.session, configuration: configuration)
        let error = await #expect(throws: StreamError.self) { try await other.start() }
        #expect(error?.code == .invalidValue)
      }
    }
  }

  @Test("takes no notes while its output takes no sound, and none of them is heard later", .server)
  func standstill() async throws {
    try await Self.with { sandbox, synthesizer in
      let outside = try await PulseClient.connect(to: sandbox.address, name: "outside")
      try await synthesizer.start()
      #expect(try synthesizer.triggerNote(pitch: 69))
      try await outside.suspend(.output, device: "out", true)
      let position = synthesizer.position
      for number in 0..<8 { _ = try? synthesizer.triggerNote(pitch: 60 + number) }
      #expect(await eventually { !synthesizer.isRunning })
      #expect(synthesizer.failure == .standstill("out"))
      #expect { try synthesizer.triggerNote(pitch: 60) } throws: {
        ($0 as? StreamError)?.code == .engineStartFailed
      }
      try await outside.suspend(.output, device: "out", false)
      let listener = try await Listener.on("out.monitor", sandbox)
      #expect(await eventually { synthesizer.isRunning })
      #expect(synthesizer.position >= position && synthesizer.failure == nil)
      // What was buffered is played, and its note fades out.
      await listener.seconds(2)
      listener.forget()
      await listener.seconds(0.5)
      #expect(listener.firstSound() == nil)
      #expect(try synthesizer.triggerNote(pitch: 69))
      #expect(await eventually { listener.firstSound() != nil })
      await listener.close()
      await outside.close()
    }
  }

  @Test("calls at a wrong time are errors", .server)
  func order() async throws {
    try await Self.with { sandbox, synthesizer in
      #expect { try synthesizer.triggerNote(pitch: 60) } throws: {
        ($0 as? StreamError)?.code == .engineNotInitialized
      }
      try await synthesizer.start()
      await #expect { try await synthesizer.start() } throws: {
        ($0 as? StreamError)?.code == .alreadyStreaming
      }
      #expect { try synthesizer.triggerNote(pitch: 200) } throws: {
        ($0 as? StreamError)?.code == .invalidValue
      }
    }
  }

  @Test("plays on after a server that went is back, as often as it goes", .server)
  func serverGone() async throws {
    try await Self.with(resets: CaptureFaultTests.times) { sandbox, synthesizer in
      try await synthesizer.start()
      for turn in 1...CaptureFaultTests.times {
        #expect(try synthesizer.triggerNote(pitch: 60))
        try await sandbox.kill()
        #expect(await eventually { !synthesizer.isRunning })
        let failure = try #require(synthesizer.failure)
        #expect(failure.code == .engineStartFailed)
        #expect(throws: StreamError.self) { try synthesizer.triggerNote(pitch: 60) }
        try await sandbox.restart()
        #expect(await eventually { synthesizer.isRunning })
        #expect(synthesizer.resets == turn)
      }
      #expect(synthesizer.failure == nil)
      let listener = try await Listener.on("out.monitor", sandbox)
      #expect(try synthesizer.triggerNote(pitch: 69))
      #expect(await eventually { listener.firstSound() != nil })
      #expect(synthesizer.statistics?.violations == 0)
      await listener.close()
    }
  }

  @Test("is stopped, and started, while it waits for a server", .server)
  func stoppedMeanwhile() async throws {
    try await Self.with { sandbox, synthesizer in
      try await synthesizer.start()
      try await sandbox.kill()
      #expect(await eventually { !synthesizer.isRunning })
      // A start that fails leaves it waiting, and one that finds it opening is refused.
      await #expect(throws: StreamError.self) { try await synthesizer.start() }
      #expect(synthesizer.failure != nil)
      await synthesizer.stop()
      #expect(synthesizer.failure == nil)
      try await sandbox.restart()
      #expect(!synthesizer.isRunning)
      #expect { try synthesizer.triggerNote(pitch: 60) } throws: {
        ($0 as? StreamError)?.code == .engineNotInitialized
      }
      try await synthesizer.start()
      #expect(try synthesizer.triggerNote(pitch: 60))
      #expect(synthesizer.resets == 0)
    }
  }

  @Test("a synthesizer that is let go of ends its stream", .server)
  func letGo() async throws {
    try await Self.with { sandbox, synthesizer in
      let listener = try await Listener.on("out.monitor", sandbox)
      func play() async throws {
        let session = AudioSession(server: sandbox.address)
        let other = Synthesizer(session: session)
        try await other.start()
        #expect(try other.triggerNote(pitch: 60))
        #expect(await eventually { listener.firstSound() != nil })
        await session.close()
      }
      try await play()
      #expect(await eventually { listener.channel(0).suffix(4410).allSatisfy { $0 == 0 } })
      await listener.close()
    }
  }
}

extension [Float] {
  /// The frequency of the tone near one, from how its phase goes on, and its amplitude.
  func tone(near guess: Double, rate: Double) -> (frequency: Double, amplitude: Double) {
    let half = count / 2
    let parts = [self[..<half], self[half..<(2 * half)]].map { part -> (x: Double, y: Double) in
      var (x, y) = (0.0, 0.0)
      for (at, sample) in part.enumerated() {
        let window = 0.5 - 0.5 * cos(2 * Double.pi * Double(at) / Double(half))
        let angle = 2 * Double.pi * guess * Double(at) / rate
        x += Double(sample) * window * cos(angle)
        y -= Double(sample) * window * sin(angle)
      }
      return (x, y)
    }
    let phases = parts.map { atan2($0.y, $0.x) }
    let turned = 2 * Double.pi * guess * Double(half) / rate
    let change = remainder(phases[1] - phases[0] - turned, 2 * Double.pi)
    let frequency = guess + change * rate / (2 * Double.pi * Double(half))
    let size = (parts[0].x * parts[0].x + parts[0].y * parts[0].y).squareRoot()
    return (frequency, 4 * size / Double(half))
  }
}
