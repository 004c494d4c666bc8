import CPulseStream
import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// Records what a device gives, for as long as it is preference.
final class Listener: @unchecked Sendable {  // everything is behind `lock`
  /// Some samples, and when they came.
  struct Arrival {
    var time: ContinuousClock.Instant
    var samples: [Float]
  }

  private let lock = Lock()
  private var arrivals: [Arrival] = []
  private var lost = 0
  private var stream: RealtimeStream?
  private(set) var grant: StreamGrant?

  /// Listens to a device from now on; what is played after this is heard whole.
  ///
  /// An idle sink renders two seconds of silence ahead and gives them to its monitor; what is played
  /// into that time is not given again. So a short latency is asked for, and waited for.
  static func on(_ device: String, _ sandbox: PulseSandbox) async throws -> Listener {
    let listener = Listener()
    let request = StreamRequest(
      direction: .input, server: sandbox.address, name: "listener", device: device,
      latency: .milliseconds(20))
    let stream = try RealtimeStream(request) { signal in
      switch signal {
      case .sound(let chunk, let samples): listener.take(chunk, samples)
      case .ended, .ready, .requested, .events: break
      }
    }
    listener.stream = stream
    let grant = try await stream.opened()
    listener.grant = grant
    #expect(await eventually { listener.received >= grant.rate / 10 * grant.channels })
    return listener
  }

  private func take(_ chunk: ps_chunk, _ samples: UnsafeBufferPointer<Float>) {
    lock.withLock {
      lost += Int(chunk.lost)
      arrivals.append(Arrival(time: .now, samples: Array(samples)))
    }
  }

  /// What has come so far of one channel.
  func channel(_ number: Int) -> [Float] {
    let channels = grant!.channels
    let all = lock.withLock { arrivals.flatMap(\.samples) }
    return stride(from: number, to: all.count, by: channels).map { all[$0] }
  }

  /// Frames that the server could not hand over.
  var missing: Int { lock.withLock { lost } }

  private var received: Int {
    lock.withLock { arrivals.reduce(0) { $0 + $1.samples.count } }
  }

  /// Waits until so many seconds have come.
  func seconds(_ seconds: Double) async {
    let wanted = Int(seconds * Double(grant!.rate)) * grant!.channels
    #expect(await eventually { received >= wanted })
    #expect(lock.withLock { lost } == 0)
  }

  /// When the first sample came that is louder than nothing.
  func firstSound(louderThan limit: Float = 1e-5) -> ContinuousClock.Instant? {
    lock.withLock { arrivals.first { $0.samples.contains { abs($0) > limit } }?.time }
  }

  /// Forgets what has come.
  func forget() { lock.withLock { arrivals = [] } }

  /// Ends it.
  func close() async {
    await stream?.close()
    stream = nil  // whose handler holds the listener
  }
}
