import AudioSession
import CAudioKernel
import CPulseStream
import Glibc
import PulseSandbox
import Synchronization
import Testing

@testable import AudioStreams

extension Trait where Self == ConditionTrait {
  static var server: Self {
    .enabled(if: ServerProgram.pulseaudio != nil, "needs the package pulseaudio")
  }
}

extension Trait where Self == ConditionTrait {
  static var simulatedCard: Self {
    .enabled(
      if: ServerProgram.pulseaudio != nil && SimulatedCard.modulePath() != nil,
      "needs the packages pulseaudio and dpkg-dev, and Tests/SimulatedCard/build")
  }
}

extension SandboxConfiguration {
  /// A source with a sine: the monitor of a null sink that one is played into.
  static func tone(
    rate: Int = 44100, channels: Int = 1, frequency: Int = 441
  ) -> SandboxConfiguration {
    SandboxConfiguration(modules: [
      "module-null-sink sink_name=tone rate=\(rate) channels=\(channels)",
      "module-sine sink=tone rate=\(rate) frequency=\(frequency)",
    ])
  }
}

/// Runs a body on a thread of its own, which may block.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    let work = Unmanaged.passRetained(ThreadBody { continuation.resume(returning: body()) })
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<ThreadBody>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, work.toOpaque())
    pthread_detach(thread)
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Waits until a condition holds, looking again every few milliseconds; false when it never did.
func eventually(
  within limit: Duration = .seconds(10), _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  while true {
    if try await condition() { return true }
    guard ContinuousClock.now < deadline else { return false }
    try? await Task.sleep(for: .milliseconds(5))
  }
}

/// Collects what a stream's handler is told.
final class Heard: Sendable {
  struct Sound {
    var frames = 0
    var lost = 0
    var samples: [Float] = []
    var events: StreamEvents = []
    var hasEnded = false
    var error: StreamError?
  }

  private let sound = Mutex(Sound())

  var now: Sound { sound.withLock { $0 } }

  func handle(_ signal: RealtimeStream.Signal) {
    sound.withLock { sound in
      switch signal {
      case .ready, .requested: break
      case .sound(let chunk, let samples):
        sound.frames += Int(chunk.frames)
        sound.lost += Int(chunk.lost)
        sound.samples += samples
      case .events(let events): sound.events.formUnion(events)
      case .ended(let error):
        sound.hasEnded = true
        sound.error = error
      }
    }
  }
}
