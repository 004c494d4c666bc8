import AudioSession
import Glibc
import POSIX
import PulseSandbox
import TestSupport
import Testing

@testable import AudioStreams

/// A source whose frames come at another rate than its server says: a pipe that the test fills.
@Suite("A stream at another rate than its server says", .server, .timeLimit(.minutes(10)))
struct WrongRateTests {
  private static func lateness(_ arrivals: [Arrival]) -> Double {
    Arrival.lateness(arrivals, rate: 16000)
  }

  private static func source(_ path: String) -> SandboxConfiguration {
    SandboxConfiguration(modules: [
      "module-pipe-source source_name=pipe file=\(path) format=s16le rate=48000 channels=1"
    ])
  }

  @Test("ends its stretch, is opened again, and is in step with the clock", arguments: [0.5, 1.5])
  func wrongRate(share: Double) async throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/pipe"
    try await Rig.with(Self.source(path), expectsWrongRate: true) { rig in
      let pipe = try PacedPipe(path, rate: 48000)
      defer { pipe.end() }
      let events = rig.capture.events
      let buffers = try await rig.capture.start(
        CaptureConfiguration(frameLength: 160, device: "pipe", backlog: .seconds(60)))
      let arrivals = Shared<[Arrival]>([])
      let reading = Task {
        for await buffer in buffers { arrivals.update { $0.append(Arrival(buffer)) } }
      }
      /// The arrivals of two seconds from now on, without the first, which an idle server kept.
      func twoSeconds() async -> [Arrival] {
        let begin = arrivals.value.count
        #expect(await eventually(within: .seconds(60)) { arrivals.value.count >= begin + 250 })
        return Array(arrivals.value[(begin + 50)...])
      }
      let before = await twoSeconds()
      pipe.share = share
      for await event in events {
        guard case .error(let error) = event else { continue }
        #expect(error.isWrongRate && error.message.contains(wrongRateWords), "\(error)")
        break
      }
      pipe.share = 1
      for await event in events {
        if case .tapped = event { break }
      }
      let after = await twoSeconds()
      let later = await twoSeconds()
      await rig.capture.stop()
      await reading.value
      let (began, ended) = (Self.lateness(after), Self.lateness(later))
      #expect(abs(ended - began) < 0.15, "\(began) s, then \(ended) s")
      let missing = arrivals.value.reduce(0) { $0 + $1.missing }
      let drift = began - Self.lateness(before)
      if share < 1 {
        // What was too little in about two seconds is listed.
        #expect(missing > 16000 / 2 && abs(drift) < 0.15, "\(missing), \(drift)")
      } else {
        // What was too much was there: no sound is left out for the sake of the sum.
        #expect(missing < 16000 / 4 && drift < -0.3, "\(missing), \(drift)")
      }
    }
  }

  @Test("fails every other test, also where no part of it looks at the stream's end")
  func watched() async throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/pipe"
    let found = Shared<[String]>([])
    try await PulseSandbox.watched(
      Self.source(path), report: { fault in found.update { $0.append(fault) } }
    ) { sandbox in
      let pipe = try PacedPipe(path, rate: 48000)
      defer { pipe.end() }
      let hasEnded = Shared(false)
      let stream = try RealtimeStream(
        StreamRequest(direction: .input, server: sandbox.address, name: "unheard", device: "pipe")
      ) { signal in
        if case .ended = signal { hasEnded.update { $0 = true } }
      }
      pipe.share = 1.5
      _ = await eventually(within: .seconds(60)) { hasEnded.value }
      await stream.close()
    }
    #expect(found.value.map { $0.contains("'unheard': ") } == [true], "\(found.value)")
    #expect(found.value.allSatisfy { $0.contains(wrongRateWords) }, "\(found.value)")
  }

  /// A sink whose frames go at another rate: a pipe that the test empties.
  private static func withSink(
    _ share: Double, _ body: (Rig, PacedPipe) async throws -> Void
  ) async throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/pipe"
    let configuration = SandboxConfiguration(modules: [
      "module-pipe-sink sink_name=pipe file=\(path) format=s16le rate=48000 channels=1"
    ])
    try await Rig.with(configuration, expectsWrongRate: true) { rig in
      let pipe = try PacedPipe(path, rate: 48000, empties: true)
      defer { pipe.end() }
      try await body(rig, pipe)
    }
  }

  @Test("a file ends with an error", .soundFiles, arguments: [0.5, 1.5])
  func player(share: Double) async throws {
    try await Self.withSink(share) { rig, pipe in
      let folder = TemporaryFolder()
      let path = try PlayerTests.file(folder, seconds: 60)
      let player = AudioPlayer(session: rig.session)
      let playing = Task { try await player.play(path) }
      #expect(await eventually { await player.progress.map { $0.position > .zero } ?? false })
      pipe.share = share
      await #expect {
        _ = try await playing.value
      } throws: {
        ($0 as? StreamError)?.isWrongRate == true
      }
    }
  }

  @Test("a synthesizer opens another stream, which plays on", arguments: [0.5, 1.5])
  func synthesizer(share: Double) async throws {
    try await Self.withSink(share) { rig, pipe in
      let synthesizer = Synthesizer(session: rig.session)
      try await synthesizer.start()
      pipe.share = share
      #expect(await eventually(within: .seconds(60)) { synthesizer.resets > 0 })
      pipe.share = 1
      #expect(await eventually(within: .seconds(60)) { synthesizer.isRunning })
      let resets = synthesizer.resets
      let position = synthesizer.position
      #expect(
        await eventually(within: .seconds(60)) { synthesizer.position > position + 144_000 })
      #expect(synthesizer.resets == resets)
      await synthesizer.stop()
    }
  }
}

/// Fills a pipe with 16-bit samples, or empties it, at a share of a rate, on a thread of its own.
private final class PacedPipe: Sendable {
  private let state = Guarded((share: 1.0, hasEnded: false))

  var share: Double {
    get { state.withLock { $0.share } }
    set { state.withLock { $0.share = newValue } }
  }

  /// Opened for both: a server that ends does not end the other side.
  init(_ path: String, rate: Double, empties: Bool = false) throws {
    let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError.last }
    try detachThread { [state] in
      var samples = [Int16](repeating: 1000, count: Int(rate))
      var owed = 0.0
      var former = HostClock.nanoseconds
      while true {
        let (share, hasEnded) = state.withLock { $0 }
        if hasEnded { break }
        let now = HostClock.nanoseconds
        owed += Double(now - former) / 1e9 * rate * share
        former = now
        let bytes = min(samples.count, Int(owed)) * 2
        let moved =
          empties ? read(descriptor, &samples, bytes) : write(descriptor, samples, bytes)
        if moved > 0 { owed -= Double(moved / 2) }
        _ = poll([], for: 10)
      }
      close(descriptor)
    }
  }

  func end() { state.withLock { $0.hasEnded = true } }
}
