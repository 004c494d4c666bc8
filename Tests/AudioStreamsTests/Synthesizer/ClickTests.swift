import AudioStreams
import Testing

/// The largest step between two samples, beside the largest that the waveforms themselves have.
@Suite("No clicks")
struct ClickTests {
  static let rate = 44100.0
  /// The stated margin: a hundredth of full scale.
  static let margin = 0.01

  /// Its low-pass would round off what these tests look for, so it is out of the way.
  static func kernel() -> SynthKernel {
    var configuration = SynthesizerConfiguration()
    configuration.cutoff = 20000
    return SynthKernel(configuration, sampleRate: rate, channels: 1)
  }

  /// The largest step of a sine of each note at its full level.
  static func bound(_ notes: [Note]) -> Double {
    notes.reduce(0) {
      $0 + 0.3 * $1.velocity.amplitude * 2 * .pi * $1.frequency / rate
    } + margin
  }

  @Test("on and off", arguments: [21, 48, 69, 84])
  func onAndOff(_ pitch: Int) throws {
    for held in [1, 10, 100, 441, 1000, 10000] {
      let kernel = Self.kernel()
      let note = Note(pitch: pitch, velocity: .accent)
      #expect(try kernel.play(note, at: 10))
      #expect(try kernel.release(pitch: pitch, at: UInt64(10 + held)))
      #expect(kernel.render(held + 8000).largestStep < Self.bound([note]), "\(held)")
    }
  }

  @Test("a ninth note while eight sound", arguments: 0..<20)
  func steal(_ offset: Int) throws {
    let kernel = Self.kernel()
    let notes = [33, 40, 45, 48, 52, 57, 60, 64, 69].map { Note(pitch: $0, velocity: 0.35) }
    for note in notes.dropLast() { #expect(try kernel.play(note)) }
    // The first note's sine is somewhere else each time when it is cut off.
    #expect(try kernel.play(notes[8], at: UInt64(5000 + 41 * offset)))
    let sound = kernel.render(12000)
    #expect(kernel.stolen == 1)
    #expect(sound.largestStep < Self.bound(notes))
    // The cut by itself, beside the steps around it.
    let before = Array(sound[3000..<5000]).largestStep
    let at = 5000 + 41 * offset
    #expect(Array(sound[(at - 2)..<(at + 300)]).largestStep < before + Self.margin)
  }

  @Test("hundreds of notes that steal from each other", arguments: [1, 2, 3, 4, 5] as [UInt64])
  func storm(_ seed: UInt64) throws {
    var random = seed
    func next(_ below: UInt64) -> UInt64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (random >> 33) % below
    }
    let kernel = Self.kernel()
    var sound: [Float] = []
    for _ in 0..<400 {
      let note = Note(
        pitch: Int(36 + next(37)), velocity: 0.35,
        duration: next(2) == 0 ? nil : .milliseconds(Int(5 + next(400))))
      #expect(try kernel.play(note, at: kernel.position + next(300)))
      if next(3) == 0 { #expect(try kernel.release(pitch: Int(36 + next(37)))) }
      sound += kernel.render(Int(1 + next(700)))
    }
    #expect(kernel.stolen > 50)
    let highest = Note(pitch: 72, velocity: 0.35)
    #expect(sound.largestStep < Self.bound([Note](repeating: highest, count: 8)))
  }
}
