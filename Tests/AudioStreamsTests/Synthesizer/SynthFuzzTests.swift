import CAudioKernel
import Testing

@testable import AudioStreams

/// Random sizes and values; what is wrong shows as a crash, best with `--sanitize=address`.
@Suite("The synthesizer and the measuring, with anything")
struct SynthFuzzTests {
  struct Random {
    var state: UInt64

    mutating func next(_ below: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % below
    }

    /// Small, or at the edge of what fits.
    mutating func wild() -> UInt64 {
      switch next(4) {
      case 0: next(10)
      case 1: next(100_000)
      case 2: UInt64.max - next(3)
      default: next(1 << 31) << 31
      }
    }
  }

  @Test("the synthesizer", arguments: 1...8)
  func synthesizer(_ seed: UInt64) {
    var random = Random(state: seed)
    let rates = [4000.0, 8000, 44100, 192_000, 384_000]
    let channels = Int(1 + random.next(32))
    let kernel = SynthKernel(sampleRate: rates[Int(random.next(5))], channels: channels)
    let kinds = [AK_NOTE_ON, AK_NOTE_ON, AK_NOTE_ON, AK_NOTE_OFF, AK_NOTE_ALL_OFF]
    for _ in 0..<60 {
      for _ in 0..<random.next(300) {
        let kind = kinds[random.next(100) == 0 ? 4 : Int(random.next(4))]
        _ = kernel.push(
          ak_note_event(
            frame: random.next(2) == 0 ? kernel.position + random.next(2000) : random.wild(),
            duration: random.wild(), amplitude: Float(random.next(1001)) / 1000,
            pitch: UInt8(random.next(256)), kind: kind))
      }
      let sound = kernel.render(Int(random.next(1200)))
      #expect(sound.allSatisfy { abs($0) < 1 })
    }
  }

  @Test("the tones", arguments: 1...8)
  func tones(_ seed: UInt64) {
    var random = Random(state: seed)
    let channels = Int(1 + random.next(32))
    let segments = (0..<random.next(20)).map { _ in
      TonePlayer.Segment(
        seconds: Double(random.next(300)) / 10_000, from: Double(1 + random.next(100_000)),
        to: Double(1 + random.next(100_000)), amplitude: Double(random.next(101)) / 100,
        channels: random.next(3) == 0 ? nil : [Int(random.next(64))])
    }
    let kernel = ToneKernel(segments, sampleRate: 44100, channels: channels)
    for _ in 0..<40 {
      let sound = kernel.render(Int(1 + random.next(700)), channels: channels)
      #expect(sound.allSatisfy { abs($0) <= 1 })
    }
    #expect((-1...30).allSatisfy { ak_tone_begun(kernel.pointer, $0) >= 0 })
  }

  @Test("levels, spectrum and correlation", arguments: 1...8)
  func measures(_ seed: UInt64) {
    var random = Random(state: seed)
    for _ in 0..<15 {
      let sound = (0..<random.next(5000)).map { _ in Float(bitPattern: UInt32(random.next(1 << 31)))
      }
      let calm = sound.map { $0.isFinite ? min(1, max(-1, $0)) : 0 }
      let channels = Int(1 + random.next(8))
      let levels = sound.withUnsafeBufferPointer { SignalLevel.measure($0, channels: channels) }
      #expect(levels.count == channels && levels.allSatisfy { $0.frames == sound.count / channels })
      #expect(levels.allSatisfy { $0.peak.isFinite })
      let bands = Spectrum(calm, sampleRate: Double(1000 + random.next(400_000)), bands: channels)
      #expect(bands.bands.count == channels)
      let match = Correlation.find(Array(calm.prefix(Int(random.next(100)))), in: calm)
      #expect(match.map { (0...1).contains($0.likeness) } ?? true)
    }
    var (real, imaginary) = ([1.0, 2, 3], [0.0, 0, 0])
    #expect(!ak_fourier(&real, &imaginary, 3, false))
    #expect(!ak_fourier(&real, &imaginary, 0, true))
  }
}
