import AudioSession
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// A recording of microphones that always have a tone, while a user, other programs and the server do anything:
/// the file is as long as the clock says, and has no silence that its list of gaps does not have.
/// `.ci/nightly seeds` walks further; AUDIOSESSION_WALK="pipewire 7" walks one.
@Suite("Random walks of a recording", .bothServers, .timeLimit(.minutes(10)))
struct StreamWalkTests {
  struct Walk: CustomTestStringConvertible, Sendable {
    let kind: ServerKind
    let seed: UInt64
    var testDescription: String { "\(kind.rawValue) \(seed)" }

    static let all = [ServerKind.pulseaudio, .pipewire].flatMap { kind in
      (1...UInt64(SeedBlock.factor)).map { Walk(kind: kind, seed: $0) }
    }.filter { [nil, $0.testDescription].contains(ProcessEnvironment["AUDIOSESSION_WALK"]) }
  }

  @Test("nothing is lost untold, and the length is true", arguments: Walk.all)
  func walk(_ walk: Walk) async throws {
    let cards = ["kind=laptop tone=yes", "kind=usb-mic"]
    let configuration = try #require(SandboxConfiguration.simulatedCards(cards, on: walk.kind))
    try await Rig.with(configuration) { rig in
      var walker = try await StreamWalker(rig, .input, SeededRandom(seed: walk.seed))
      try await walker.setMode()
      let buffers = try await rig.capture.start(
        CaptureConfiguration(sampleRate: 48000, frameLength: 960, backlog: .seconds(60)))
      let heard = Shared(Rig.Sound())
      let reading = Task {
        for await buffer in buffers { heard.update { $0.buffers.append(buffer) } }
      }
      do {
        #expect(await eventually { !heard.value.buffers.isEmpty })
        for _ in 0..<8 {
          try await walker.act()
          try await Task.sleep(for: .milliseconds(walker.random.int(in: 50...900)))
        }
        try await walker.calm()
      } catch {
        walker.trace.append("\(error)")
        Issue.record("\(walker.trace.joined(separator: "\n"))")
      }
      // In the end it records again.
      let calmed = heard.value.buffers.count
      let goesOn = await eventually { heard.value.buffers.count > calmed + 100 }
      await rig.capture.stop()
      await reading.value
      let sound = heard.value
      let lateness = sound.lateness
      let silence = untold(sound)
      let isTrue = goesOn && sound.isWhole && abs(lateness) < 0.06 && silence.isEmpty
      if !isTrue {
        let gaps = sound.missing.map { "\($0.cause.rawValue) at \($0.position), \($0.frames)" }
        let found =
          "goes on: \(goesOn), whole: \(sound.isWhole), late by \(lateness) s, silence: \(silence)"
        Issue.record("\((walker.trace + gaps + times(sound) + [found]).joined(separator: "\n"))")
      }
      await walker.end()
    }
  }

  /// How late buffers are, of each quarter of a second.
  private func times(_ sound: Rig.Sound) -> [String] {
    guard let first = sound.buffers.first else { return [] }
    var latest: [Int: (Double, String)] = [:]
    for buffer in sound.buffers {
      let late =
        (buffer.hostTime - first.hostTime).seconds - (buffer.streamTime - first.streamTime).seconds
      let quarter = Int(buffer.position / 12000)
      if late < latest[quarter]?.0 ?? .infinity { latest[quarter] = (late, buffer.device ?? "") }
    }
    return latest.sorted { $0.key < $1.key }.map {
      "\(Double($0.key) / 4) s: \($0.value.0 * 1000) ms, \($0.value.1)"
    }
  }

  /// Stretches of zeros, of 0.1 s and more, that are not told as missing.
  private func untold(_ sound: Rig.Sound) -> [String] {
    var stretches: [Range<Int64>] = []
    var start: Int64?
    for buffer in sound.buffers {
      for frame in 0..<buffer.frameLength {
        let position = buffer.position + Int64(frame)
        let isZero = (0..<buffer.channels).allSatisfy {
          buffer.samples[frame * buffer.channels + $0] == 0
        }
        if isZero {
          start = start ?? position
        } else if let begin = start {
          stretches.append(begin..<position)
          start = nil
        }
      }
    }
    let missing = sound.missing
    return stretches.filter { $0.count >= 4800 }.compactMap { stretch in
      let told = missing.reduce(0) { sum, gap in
        sum + stretch.clamped(to: gap.position..<gap.position + Int64(gap.frames)).count
      }
      return stretch.count - told >= 4800 ? "\(stretch), told \(told)" : nil
    }
  }
}
