import AudioStreams
import CAudioKernel
import Testing

@Suite("The synthesizer's sound")
struct SynthKernelTests {
  static let rate = 44100.0

  static func kernel(channels: Int = 1, rate: Double = rate) -> SynthKernel {
    SynthKernel(sampleRate: rate, channels: channels)
  }

  /// Duration, frames until the release begins, frames of the release.
  static let notes: [(Duration, Int, Int)] = [
    (.seconds(1), 44100 - 6615, 6615),  // 150 ms are the longest
    (.milliseconds(500), 22050 - 6615, 6615),  // and three tenths of this
    (.milliseconds(100), 4410 - 1323, 1323),
    (.milliseconds(10), 441 - 132, 132),  // released before it is at its level
  ]

  @Test("a note of a duration is exact to the sample", arguments: 0..<notes.count)
  func scheduled(_ number: Int) throws {
    let (duration, releaseAt, release) = Self.notes[number]
    let kernel = Self.kernel()
    #expect(try kernel.play(Note(pitch: 69, duration: duration)))
    let sound = kernel.render(releaseAt + release + 500)
    let expected = ReferenceSynth(releaseAt: releaseAt, release: release)
      .samples(69, sound.count)
    let worst = zip(sound, expected).map { abs(Double($0) - $1) }.max() ?? 1
    // One frame more or less of attack or release would be a hundred times that.
    #expect(worst < 1e-6)
    #expect(kernel.sounding == 0)
  }

  @Test(
    "stays bounded, whatever its filter's frequency", arguments: [-100, 0, 1e9, .nan] as [Double])
  func bounded(_ cutoff: Double) throws {
    var configuration = SynthesizerConfiguration()
    configuration.cutoff = cutoff
    let kernel = SynthKernel(configuration, sampleRate: 48000, channels: 1)
    #expect(try kernel.play(Note(pitch: 69)))
    #expect(kernel.render(144_000).allSatisfy { abs($0) <= 1 })
  }

  @Test("a held note is released for three tenths of the time that it was held")
  func held() throws {
    let kernel = Self.kernel()
    #expect(try kernel.play(Note(pitch: 60)))
    #expect(try kernel.release(pitch: 60, at: 8820))
    let sound = kernel.render(8820 + 2646 + 300)
    let expected = ReferenceSynth(releaseAt: 8820, release: 2646).samples(60, sound.count)
    #expect(zip(sound, expected).allSatisfy { abs(Double($0) - $1) < 1e-6 })
  }

  @Test("the envelope's levels at its corners")
  func envelope() {
    var envelope = ak_envelope(attack: 441, decay: 882, sustain: 0.5, longest_release: 6615)
    let frames: [UInt64] = [0, 1, 440, 441, 882, 1323, 1_000_000]
    let levels = frames.map { ak_envelope_level(&envelope, $0) }
    let corners: [Double] = [0, 1.0 / 441, 440.0 / 441, 1, 0.75, 0.5, 0.5]
    #expect(levels == corners)
    let held: [UInt64] = [0, 1, 10, 22049, 22050, 44100, UInt64.max - 1]
    let releases = held.map { ak_envelope_release(&envelope, $0) }
    let longest: [UInt64] = [0, 0, 3, 6615, 6615, 6615, 6615]
    #expect(releases == longest)
  }

  @Test("a scheduled note begins at its frame, whatever the size of the buffers")
  func sampleAccurate() throws {
    let whole = Self.kernel()
    let pieces = Self.kernel()
    for kernel in [whole, pieces] {
      // Not in their order.
      #expect(try kernel.play(Note(pitch: 81, duration: .milliseconds(80)), at: 3333))
      #expect(try kernel.play(Note(pitch: 69, duration: .milliseconds(50)), at: 1000))
    }
    let sound = whole.render(9000)
    #expect(sound.firstIndex { $0 != 0 } == 1001)  // a sine begins at zero
    var parts: [Float] = []
    var sizes = [1, 7, 64, 255, 256, 257, 1000].makeIterator()
    while parts.count < 9000 {
      parts += pieces.render(min(sizes.next() ?? 333, 9000 - parts.count))
    }
    #expect(zip(sound, parts).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test("every pitch has its frequency and its level", arguments: [0, 21, 48, 60, 69, 84, 96])
  func pitch(_ pitch: Int) throws {
    let kernel = Self.kernel()
    #expect(try kernel.play(Note(pitch: pitch, velocity: .accent)))
    _ = kernel.render(2000)
    let sound = kernel.render(44100)
    let note = Note(pitch: pitch)
    // Within 0.01 %: the peak among neighbours in such steps is the note itself.
    let steps = (-5...5).map { step in
      sound.amplitude(of: note.frequency * (1 + Double(step) * 1e-4), rate: Self.rate)
    }
    if pitch >= 48 { #expect(steps.max() == steps[5]) }
    let passed = 0.3 / (1 + (note.frequency / 2000).power(4)).squareRoot()
    // The bilinear transform bends the filter's curve a little towards Nyquist.
    #expect(abs(steps[5] / passed - 1) < 0.0116, "0.1 dB")
  }

  @Test("eight notes sound, and a ninth takes the voice of the oldest")
  func ninth() throws {
    let kernel = Self.kernel()
    let pitches = [48, 52, 55, 59, 62, 65, 69, 72]
    for (at, pitch) in pitches.enumerated() {
      #expect(try kernel.play(Note(pitch: pitch, velocity: 0.2), at: UInt64(at * 100)))
    }
    _ = kernel.render(4410)
    #expect(kernel.sounding == 8)
    // The first voice gets a young note, so that the oldest one is in the second.
    #expect(try kernel.release(pitch: 48))
    _ = kernel.render(4410)
    #expect(kernel.sounding == 7)
    #expect(try kernel.play(Note(pitch: 74, velocity: 0.2)))
    #expect(kernel.stolen == 0)
    #expect(try kernel.play(Note(pitch: 77, velocity: 0.2)))
    _ = kernel.render(4410)
    #expect(kernel.stolen == 1)
    #expect(kernel.sounding == 8)
    let sound = kernel.render(44100)
    let heard = (pitches + [74, 77]).filter {
      sound.amplitude(of: Note(pitch: $0).frequency, rate: Self.rate) > 0.01
    }
    #expect(heard == [55, 59, 62, 65, 69, 72, 74, 77])
  }

  @Test("the limiter leaves two loud notes alone and keeps eight below full scale")
  func limiter() throws {
    let kernel = Self.kernel()
    for pitch in [60, 64, 67, 72, 48, 52, 55, 43] {
      #expect(try kernel.play(Note(pitch: pitch, velocity: .accent)))
    }
    let sound = kernel.render(88200)
    let peak = sound.map(abs).max() ?? 0
    #expect(peak > 0.9 && peak < 1)
  }

  @Test("each channel carries the same")
  func channels() throws {
    let kernel = Self.kernel(channels: 3)
    #expect(try kernel.play(Note(pitch: 69)))
    let sound = kernel.render(1000)
    #expect(sound.count == 3000)
    let channels = (0..<3).map { channel in (0..<1000).map { sound[3 * $0 + channel] } }
    #expect(channels[0] == channels[1])
    #expect(channels[0] == channels[2])
  }

  @Test("a note that the rate cannot carry is silent")
  func aboveNyquist() throws {
    let kernel = Self.kernel(rate: 8000)
    #expect(try kernel.play(Note(pitch: 127)))
    #expect(kernel.render(800).allSatisfy { $0 == 0 })
  }

  @Test("all off releases what sounds and forgets what is scheduled")
  func allOff() throws {
    let kernel = Self.kernel()
    #expect(try kernel.play(Note(pitch: 60)))
    #expect(try kernel.play(Note(pitch: 64), at: 20000))
    _ = kernel.render(10000)
    #expect(kernel.releaseAll())
    _ = kernel.render(10000)
    #expect(kernel.sounding == 0)
    #expect(kernel.render(10000).allSatisfy { abs($0) < 1e-6 })
  }

  @Test("notes for later leave room for what is due now, and may be too many")
  func crowded() throws {
    let kernel = Self.kernel()
    #expect(try kernel.play(Note(pitch: 60)))
    _ = kernel.render(1000)
    for number in 1...511 {
      #expect(try kernel.play(Note(pitch: 64), at: 1_000_000))
      if number % 100 == 0 { _ = kernel.render(10) }
    }
    _ = kernel.render(1000)
    #expect(try kernel.release(pitch: 60))
    #expect(try !kernel.play(Note(pitch: 64), at: 1_000_000))
    #expect(kernel.refused == 1)
    _ = kernel.render(20000)
    #expect(kernel.sounding == 0)
    #expect(try kernel.play(Note(pitch: 72), at: 1_000_000))
    #expect(try !kernel.play(Note(pitch: 74)))
    #expect(kernel.releaseAll())
    _ = kernel.render(1000)
    #expect(try kernel.play(Note(pitch: 72)))
    _ = kernel.render(1000)
    #expect(kernel.sounding == 1)
  }

  static let wrong: [Note] = [
    Note(pitch: -1), Note(pitch: 128), Note(pitch: 60, velocity: -0.1),
    Note(pitch: 60, velocity: 1.1), Note(pitch: 60, velocity: Velocity(.nan)),
    Note(pitch: 60, duration: .zero),
  ]

  @Test("what is out of range is an error that says what would work", arguments: wrong)
  func outOfRange(_ note: Note) throws {
    let kernel = Self.kernel()
    #expect { try kernel.play(note) } throws: { error in
      (error as? StreamError)?.code == .invalidValue
    }
    #expect(kernel.render(1000).allSatisfy { $0 == 0 })
  }
}

extension Double {
  func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { result, _ in result * self } }
}
