import AudioSession
import PulseSandbox
import PulseTypes
import Testing

@testable import AudioStreams

/// A private server, a session on it and a capture.
struct Rig {
  let sandbox: PulseSandbox
  let session: AudioSession
  let capture: AudioCapture

  /// - Parameter expectsWrongRate: whether the frames of its streams may disagree with the clock; in all
  ///   other tests that is a failure.
  static func with(
    _ configuration: SandboxConfiguration, isHolding: Bool = true, expectsWrongRate: Bool = false,
    _ body: (Rig) async throws -> Void
  ) async throws {
    try await PulseSandbox.watched(configuration, expectsWrongRate: expectsWrongRate) { sandbox in
      let session = AudioSession(
        server: sandbox.address,
        configuration: SessionConfiguration(
          timeout: .seconds(20), storeFolder: sandbox.directory + "/store", isHolding: isHolding))
      let rig = Rig(sandbox: sandbox, session: session, capture: AudioCapture(session: session))
      do {
        try await body(rig)
      } catch {
        await rig.close()
        throw error
      }
      await rig.close()
    }
  }

  /// A recorder on the session.
  func recorder() -> AudioRecorder { AudioRecorder(session: session) }

  private func close() async {
    await capture.stop()
    await session.close()
  }

  struct Sound {
    var buffers: [CaptureBuffer] = []
    var samples: [Float] { buffers.flatMap(\.samples) }
    var lost: Int { buffers.reduce(0) { $0 + $1.lostFrames } }
    var missing: [MissingFrames] { buffers.flatMap(\.missing).joined() }

    /// Whether between any two buffers exactly so much is missing as is said.
    var isWhole: Bool {
      zip(buffers, buffers.dropFirst()).allSatisfy { former, next in
        let end = former.position + Int64(former.frameLength)
        let skipped = next.missing.filter { $0.position < next.position }
        return skipped.reduce(end) { $0 + Int64($1.frames) } == next.position
      }
    }

    /// The frames from the beginning to the end take as long as the clock says, however often the
    /// input went: what was missing was told truly, and errors do not add up. Within one stretch of
    /// sound it shows frames that are too many.
    ///
    /// A busy machine reads the clock late now and then, and never early: of each the earliest counts.
    func expectTrueTime(sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(abs(lateness) < 0.06, sourceLocation: sourceLocation)
    }

    /// How many seconds the positions are behind the clock at the end; nan without sound.
    var lateness: Double {
      guard let first = buffers.first, let last = buffers.last else { return .nan }
      let quarter = Int64(first.sampleRate) / 4
      func lateness(_ part: Range<Int64>) -> Double {
        buffers.filter { part.contains($0.position - first.position) }.map {
          ($0.hostTime - first.hostTime).seconds - ($0.streamTime - first.streamTime).seconds
        }.min() ?? .nan
      }
      let end = last.position - first.position
      // Of less than half a second there is none. A quarter may be missing.
      let begin = buffers.first { $0.position - first.position >= quarter }
      let from = begin.map { max(quarter, $0.position - first.position) } ?? quarter
      return lateness(max(from + quarter, end - quarter)..<max(from + quarter, end) + 1)
        - lateness(from..<from + quarter)
    }
  }

  /// Reads buffers until there are so many frames, or no more.
  func collect(_ buffers: CaptureBuffers, frames: Int) async -> Sound {
    var sound = Sound()
    var count = 0
    for await buffer in buffers {
      sound.buffers.append(buffer)
      count += buffer.frameLength
      if count >= frames { break }
    }
    return sound
  }
}

extension Rig {
  /// Reads buffers until one says that something is missing, and one more.
  func collectPastGap(_ buffers: CaptureBuffers) async -> Sound {
    var sound = Sound()
    for await buffer in buffers {
      let isPast = sound.lost > 0
      sound.buffers.append(buffer)
      if isPast { break }
    }
    return sound
  }
}

extension SandboxConfiguration {
  /// Two silent stereo sources with rates of their own: `one` has 44100 Hz, `two` 48000.
  static let sources = SandboxConfiguration(modules: [
    "module-null-sink sink_name=speakers rate=44100",
    "module-null-source source_name=one rate=44100 channels=2",
    "module-null-source source_name=two rate=48000 channels=2",
  ])
}
