import AudioSession
import AudioStreams
import CPulseStream
import Glibc
import POSIX
import PulseSandbox
import PulseTypes
import Synchronization

#if SOXR
  import CSoxr
#endif

/// The cost of capturing and converting, on a separate server.
enum CaptureFigures {
  static func run() async throws {
    #if SOXR
      try convert()
      try hour()
    #endif
    for rate in [16_000, 48_000] { try await latency(convertingTo: rate) }
    try await callbacks()
  }

  private static func noise(_ count: Int) -> [Float] {
    (0..<count).map { _ in Float.random(in: -0.5...0.5) }
  }

  // MARK: From the source to the reader

  /// When the audio thread last began to take frames (`CLOCK_MONOTONIC`, nanoseconds).
  private static let arrival = Atomic<Int64>(0)

  /// Marks in a pipe that a source of 48 kHz reads, when the audio thread has them, and when the reader of
  /// the buffers does.
  private static func latency(convertingTo rate: Int) async throws {
    var configuration = SandboxConfiguration(modules: [])
    let fifo = "/tmp/audiosession-benchmark-\(getpid())"
    configuration.modules = [
      "module-pipe-source source_name=pipe file=\(fifo) format=float32le rate=48000 channels=1"
    ]
    try await PulseSandbox.with(configuration) { sandbox in
      defer { unlink(fifo) }
      let feeder = Feeder(fifo)
      let session = AudioSession(in: sandbox)
      let capture = AudioCapture(session: session)
      let buffers = try await capture.start(
        CaptureConfiguration(
          sampleRate: rate, frameLength: rate / 200, latency: .milliseconds(5)))
      ps_set_probe {
        if $0 { CaptureFigures.arrival.store(DeviceTap.now, ordering: .relaxed) }
      }
      defer { ps_set_probe(nil) }
      let work = Task.detached {
        feeder.run(marks: 200)
        await capture.stop()
      }
      var (times, ends): ([Duration], [Duration]) = ([], [])
      var heard = 0
      for await buffer in buffers {
        let (now, end) = (ContinuousClock.now, DeviceTap.now - arrival.load(ordering: .relaxed))
        if buffer.peak > 0.3, heard < feeder.marks.count, now > feeder.marks[heard] {
          times.append(now - feeder.marks[heard])
          ends.append(.nanoseconds(end))
          heard += 1
        }
      }
      await work.value
      await session.close()
      guard heard > 0 else { throw Process.Failure(description: "no mark reached the reader") }
      let timings = Timings(times)
      print("from a source's sample to the reader, 48 to \(rate / 1000) kHz, buffers of 5 ms")
      print("  \(heard) marks                   \(timings.text)  \(timings.tail)")
      let (server, client) = (Timings(zip(times, ends).map { $0 - $1 }), Timings(ends))
      // Without conversion that is the server, and the rest of the mark's buffer.
      print("  server, buffer, filter      \(server.text)")
      print("  ring, wake-up, conversion   \(client.text)")
    }
  }

  // MARK: The audio thread

  /// How long a callback takes while both cores are busy.
  private static func callbacks() async throws {
    let configuration = SandboxConfiguration(modules: [
      "module-null-source source_name=mic rate=48000 channels=2"
    ])
    try await PulseSandbox.with(configuration) { sandbox in
      let session = AudioSession(in: sandbox)
      let capture = AudioCapture(session: session)
      let buffers = try await capture.start(
        CaptureConfiguration(latency: .milliseconds(5)))
      let load = (0..<4).map { _ in Load() }
      var frames = 0
      for await buffer in buffers {
        frames += buffer.frameLength
        if frames > 16000 * 20 { break }
      }
      load.forEach { $0.stop() }
      let scheduling = await capture.scheduling.map { "\($0)" } ?? ""
      await capture.stop()
      let statistics = await capture.streamStatistics
      await session.close()
      print("callbacks of a capture, 20 s, four busy threads on the machine; \(scheduling)")
      print(
        "  \(statistics.callbacks) callbacks             "
          + "\(Timings.words(statistics.callbackTime(quantile: 0.5))) median  "
          + "\(Timings.words(statistics.callbackTime(quantile: 0.999))) p99.9  "
          + "worst \(Timings.words(statistics.longest)); "
          + "\(statistics.droppedFrames) frames dropped")
    }
  }

  #if SOXR
    // MARK: Conversion

    /// One buffer of 2048 frames at 16 kHz from 48 kHz stereo, next to libsoxr with the same work:
    /// one channel that is mixed already.
    private static func convert() throws {
      let (frames, rounds, clock) = (2048 * 3, 2000, ContinuousClock())
      var converter = try Converter(fromRate: 48000, channels: 2, toRate: 16000, channels: .mono)
      let bare = try BareResampler()
      let (stereo, mono) = (noise(frames * 2), noise(frames))
      var (ours, theirs) = ([Duration](), [Duration]())
      var made = 0
      for _ in 0..<rounds {
        ours.append(
          try clock.measure {
            try stereo.withUnsafeBufferPointer { try converter.process($0) { made += $0.count } }
          })
        theirs.append(clock.measure { bare.process(mono) })
      }
      print("48 kHz stereo to 16 kHz mono, 2048 frames out, \(rounds) times, in turn")
      print(
        "  Converter                   \(Timings(ours).text)  "
          + "\(Timings(ours).ratio(to: Timings(theirs))) of libsoxr's")
      print("  libsoxr alone, one channel  \(Timings(theirs).text)")
    }

    /// An hour of sound: what is out at its end, and what it took.
    private static func hour() throws {
      var converter = try Converter(fromRate: 44100, channels: 2, toRate: 16000, channels: .mono)
      let second = noise(44100 * 2)
      var made = 0
      var memory: [Int] = []
      let spent = try ContinuousClock().measure {
        for index in 0..<3600 {
          try second.withUnsafeBufferPointer { try converter.process($0) { made += $0.count } }
          if index == 60 || index == 3599 { memory.append(ProcessFigures(getpid()).resident) }
        }
        try converter.flush { made += $0.count }
      }
      print("an hour of 44.1 kHz stereo to 16 kHz mono")
      print(
        "  \(made - 3600 * 16000) frames of drift, \(memory[1] - memory[0]) kB more memory after the "
          + "first minute, \(Int(3600 / spent.seconds)) times as fast as it sounds")
    }
  #endif
}

/// A thread that does nothing but take time.
private final class Load: Sendable {
  private let isOver = Atomic(false)

  init() {
    try? detachThread { [self] in
      while !isOver.load(ordering: .relaxed) {}
    }
  }

  func stop() { isOver.store(true, ordering: .relaxed) }
}

#if SOXR
  /// libsoxr without anything around it.
  private struct BareResampler {
    private let native: soxr_t
    private let output = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096)

    init() throws {
      var error: soxr_error_t?
      var format = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
      var quality = soxr_quality_spec(4, 0)
      var runtime = soxr_runtime_spec(1)
      (runtime.log2_min_dft_size, runtime.log2_large_dft_size) = (8, 8)
      native = soxr_create(48000, 16000, 1, &error, &format, &quality, &runtime)!
    }

    func process(_ input: [Float]) {
      var (used, made) = (0, 0)
      _ = soxr_process(native, input, input.count, &used, output.baseAddress, 4096, &made)
    }
  }
#endif
