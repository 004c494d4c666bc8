import AudioSession
import AudioStreams
import Glibc
import POSIX
import PulseSandbox

/// What the synthesizer costs, and how soon a note is heard.
struct SynthFigures {
  static let notes = 300

  static func run() async throws {
    let load = try load()
    print("the synthesizer, eight voices, 256 frames at 44.1 kHz")
    print("  share of a core             \((load * 10000).rounded() / 100) %")
    let (timings, underflows) = try await triggerToSample()
    print(
      "  note to recorded sample     \(timings.text)  \(timings.tail), "
        + "\(underflows) underruns")
  }

  /// The share of a core that eight voices take, in stereo at 44.1 kHz: the median of some seconds
  /// of sound, counted by the thread's own clock.
  static func load() throws -> Double {
    let kernel = SynthKernel(sampleRate: 44100, channels: 2)
    for pitch in [48, 52, 55, 60, 64, 67, 72, 76] { _ = try kernel.play(Note(pitch: pitch)) }
    _ = kernel.render(4410)
    let shares = (0..<15).map { _ in
      let start = threadTime
      for _ in 0..<172 { _ = kernel.render(256) }
      return (threadTime - start) / (172 * 256 / 44100)
    }
    return shares.sorted()[shares.count / 2]
  }

  private static var threadTime: Double {
    var now = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }

  /// A null sink on a server with realtime threads, as on a desktop: otherwise the server itself
  /// would be too late for 256 frames on a busy machine.
  private static let output: SandboxConfiguration = {
    var configuration = SandboxConfiguration(modules: [
      "module-null-sink sink_name=out rate=44100 channels=2"
    ])
    configuration.isRealtime = true
    return configuration
  }()

  /// Plays notes for a time, with a buffer of 256 frames or of these milliseconds; prints how often
  /// the server ran out of sound, the cost, and how often the machine itself was late.
  static func underruns(seconds: Int, milliseconds: Int?) async throws {
    try await PulseSandbox.with(output) { sandbox in
      let session = AudioSession(in: sandbox)
      var configuration = SynthesizerConfiguration()
      if let milliseconds { configuration.bufferDuration = .milliseconds(milliseconds) }
      let synthesizer = Synthesizer(session: session, configuration: configuration)
      try await synthesizer.start()
      // The first second finds a server that is still settling.
      try await ContinuousClock().sleep(for: .seconds(1))
      let before = synthesizer.statistics?.underflows ?? 0
      let machine = MachineLateness()
      let (start, memory) = (ContinuousClock.now, ProcessFigures(getpid()).resident)
      var notes = 0
      while ContinuousClock.now - start < .seconds(seconds) {
        try synthesizer.triggerNote(pitch: 48 + notes * 7 % 37, duration: .milliseconds(900))
        notes += 1
        try await ContinuousClock().sleep(for: .milliseconds(100))
      }
      guard let statistics = synthesizer.statistics else { throw CancellationError() }
      let scheduling = synthesizer.scheduling.map { "\($0)" } ?? ""
      print(
        "notes for \(seconds) s, a buffer of \(configuration.bufferDuration); \(scheduling)")
      print(
        "  \(notes) notes, \(synthesizer.refusedEvents) refused, \(statistics.callbacks) callbacks, "
          + "p99.9 \(Timings.words(statistics.callbackTime(quantile: 0.999))), "
          + "worst \(Timings.words(statistics.longest))")
      print(
        "  \(statistics.underflows - before) underruns, \(synthesizer.resets) resets, "
          + "\(ProcessFigures(getpid()).resident - memory) kB more memory")
      machine.end()
      // What is left of a buffer while the server and the client hand sound over is about half of it.
      let half = configuration.bufferDuration / 2
      let late = machine.count(above: half)
      print(
        "  the machine itself: \(machine.threads) that only sleep were late by more than "
          + "\(half) \(late.times) times, at worst \(Timings.words(late.worst))")
      await synthesizer.stop()
      await session.close()
    }
  }

  /// From each call of `triggerNote` until a recorder of a null sink's monitor has the first sample.
  static func triggerToSample() async throws -> (timings: Timings, underflows: UInt64) {
    try await PulseSandbox.with(output) { sandbox in
      let session = AudioSession(in: sandbox)
      let heard = Heard()
      let synthesizer = Synthesizer(session: session)
      try await synthesizer.start()
      let tap = try await DeviceTap(server: sandbox.address, device: "out.monitor") {
        heard.add($0)
      }
      var times: [Duration] = []
      var before: UInt64 = 0
      for note in 0..<notes + 20 {
        // The first ones find a server that is still settling.
        if note == 20 { before = synthesizer.statistics?.underflows ?? 0 }
        // Not in step with the server's buffers.
        try await ContinuousClock().sleep(for: .microseconds(70_000 + note * 3_571 % 11_000))
        let start = DeviceTap.now
        heard.listen()
        try synthesizer.triggerNote(pitch: 69, duration: .milliseconds(20))
        let end = try await heard.first()
        if note >= 20 { times.append(.nanoseconds(end - start)) }
      }
      if let latency = await synthesizer.latency {
        print("  latency, as it says         \(Timings.words(latency))")
      }
      let all = synthesizer.statistics?.underflows ?? 0
      await tap.close()
      await synthesizer.stop()
      await session.close()
      return (Timings(times), all - min(all, before))
    }
  }
}

/// The arrival of the first sample of a note.
private final class Heard: Sendable {
  private let time = Guarded<Int64?>(0)

  func listen() { time.withLock { $0 = nil } }

  func add(_ piece: DeviceTap.Piece) {
    guard piece.samples.contains(where: { abs($0) > 1e-6 }) else { return }
    time.withLock { if $0 == nil { $0 = piece.arrival } }
  }

  func first() async throws -> Int64 {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
      if let time = time.withLock({ $0 }) { return time }
      try await Task.sleep(for: .milliseconds(1))
    }
    throw Process.Failure(description: "a note was not heard within 10 s")
  }
}
