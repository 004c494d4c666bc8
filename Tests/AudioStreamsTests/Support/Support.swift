import AudioSession
import CAudioKernel
import CPulseStream
import Glibc
import POSIX
import PulseSandbox
import Testing

@testable import AudioStreams

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

  private let sound = Guarded(Sound())

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

/// When a buffer came, and how many frames its capture has counted until then.
struct Arrival {
  var time = HostClock.nanoseconds
  var end: Int64
  var missing: Int

  init(_ buffer: CaptureBuffer) {
    end = buffer.position + Int64(buffer.frameLength)
    missing = buffer.lostFrames
  }

  /// How many seconds later than their positions say buffers came. A busy machine is late now and then,
  /// and never early: the earliest counts.
  static func lateness(_ arrivals: some Sequence<Arrival>, rate: Double) -> Double {
    arrivals.map { Double($0.time) / 1e9 - Double($0.end) / rate }.min() ?? .nan
  }
}
