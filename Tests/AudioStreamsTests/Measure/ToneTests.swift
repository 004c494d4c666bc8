import PulseSandbox
import TestSupport
import Testing

@testable import AudioStreams

@Suite("Test tones", .timeLimit(.minutes(10)))
struct ToneTests {
  @Test("a sine has its frequency and its level, on its channel only, without a click")
  func sine() {
    let kernel = ToneKernel(
      [TonePlayer.Segment(seconds: 1, from: 3000, to: 3000, amplitude: 0.5, channels: [1])],
      sampleRate: 44100, channels: 2)
    let sound = kernel.render(50000, channels: 2)
    let (left, right) = (
      stride(from: 0, to: sound.count, by: 2).map { sound[$0] },
      stride(from: 1, to: sound.count, by: 2).map { sound[$0] }
    )
    #expect(left.allSatisfy { $0 == 0 })
    let tone = Array(right[1000..<43000]).tone(near: 3000, rate: 44100)
    #expect(abs(tone.frequency - 3000) < 0.001)
    #expect(abs(tone.amplitude - 0.5) < 1e-4)
    #expect(right.largestStep < 0.5 * 2 * .pi * 3000 / 44100)
    #expect(right[0] == 0 && right[44100...].allSatisfy { $0 == 0 })
  }

  @Test("what the rate cannot have is silent", arguments: [3999.0, 4000, 5000])
  func tooHigh(frequency: Double) {
    let kernel = ToneKernel(
      [TonePlayer.Segment(seconds: 1, from: frequency, to: frequency, amplitude: 0.5)],
      sampleRate: 8000, channels: 1)
    let isSilent = kernel.render(8000, channels: 1).allSatisfy { $0 == 0 }
    #expect(isSilent == (frequency >= 4000))
  }

  @Test("a sweep has every frequency on its way, an octave always taking as long")
  func sweep() {
    let kernel = ToneKernel(
      [TonePlayer.Segment(seconds: 2, from: 100, to: 6400, amplitude: 0.5)], sampleRate: 44100,
      channels: 1)
    let sound = kernel.render(88200, channels: 1)
    for octave in 1..<6 {
      // Around this place it is at this frequency; counted by zero crossings upwards.
      let middle = 88200 * octave / 6
      let part = sound[(middle - 441)..<(middle + 441)]
      let crossings = zip(part, part.dropFirst()).count { $0 < 0 && $1 >= 0 }
      let expected = 100 * Double(1 << octave) * 882 / 44100
      #expect(abs(Double(crossings) - expected) <= max(1, expected * 0.05))
    }
  }

  @Test("nothing, no time and no channel are silence")
  func nothing() {
    #expect(ToneKernel([], sampleRate: 44100, channels: 2).render(10, channels: 2).count == 20)
    let kernel = ToneKernel(
      [.silence(0.1), TonePlayer.Segment(seconds: 0, from: 1, to: 1, amplitude: 1)],
      sampleRate: 44100, channels: 1)
    #expect(kernel.render(10000, channels: 1).allSatisfy { $0 == 0 })
  }

  @Test("a tone is heard through a server at its frequency and its level", .server)
  func heard() async throws {
    try await PulseSandbox.watched(SynthesizerTests.output) { sandbox in
      let listener = try await Listener.on("out.monitor", sandbox)
      let player = try await TonePlayer(
        [TonePlayer.Segment(seconds: 600, from: 5000, to: 5000, amplitude: 0.25, channels: [0])],
        server: sandbox.address, latency: .milliseconds(500))
      #expect(await eventually { listener.firstSound() != nil })
      #expect(player.begin(of: 0) != nil)
      // A machine that stands still longer than the buffer is heard.
      for round in 1...8 {
        noteTry(round, of: 8)
        listener.forget()
        await listener.seconds(1.5)
        let sound = Array(listener.channel(0).dropFirst(4410).prefix(44100))
        let tone = sound.tone(near: 5000, rate: 44100)
        if abs(tone.frequency / 5000 - 1) < 1e-4, abs(decibels(tone.amplitude / 0.25)) < 0.1 {
          break
        }
        #expect(round < 8, "\(tone)")
      }
      #expect(listener.channel(1).allSatisfy { $0 == 0 })
      await player.close()
      #expect(player.failure == nil)
      await listener.close()
    }
  }

  /// The whole of a sweep, from 100 Hz to 12.8 kHz, sample by sample beside what was to be played.
  @Test("a sweep is heard through a server as it was made", .server)
  func sweepHeard() async throws {
    let sweep = TonePlayer.Segment(seconds: 1, from: 100, to: 12_800, amplitude: 0.25)
    let wanted = ToneKernel([sweep], sampleRate: 44100, channels: 2)
    let both = wanted.render(44100, channels: 2)
    let left = stride(from: 0, to: both.count, by: 2).map { both[$0] }
    try await PulseSandbox.watched(SynthesizerTests.output) { sandbox in
      let listener = try await Listener.on("out.monitor", sandbox)
      var best: (likeness: Double, level: Double) = (0, 0)
      // A busy machine may lose some of one, and hardly of each.
      for number in 1...8 where best.likeness < 0.999_999 {
        noteTry(number, of: 8)
        listener.forget()
        let player = try await TonePlayer(
          [.silence(0.2), sweep], server: sandbox.address, latency: .milliseconds(500))
        try await player.finish()
        let heard = listener.channel(0)
        guard let match = Correlation.find(left, in: heard), match.likeness > best.likeness else {
          continue
        }
        let part = heard[match.frame..<(match.frame + left.count)]
        best = (match.likeness, zip(part, left).reduce(0) { $0 + Double($1.0 * $1.1) })
      }
      #expect(best.likeness > 0.999_999)
      let energy = left.reduce(0) { $0 + Double($1 * $1) }
      #expect(abs(decibels(best.level / energy)) < 0.1)
      await listener.close()
    }
  }

  @Test("a server that goes ends it", .server)
  func serverGone() async throws {
    try await PulseSandbox.watched(SynthesizerTests.output) { sandbox in
      let player = try await TonePlayer([.silence(600)], server: sandbox.address)
      try await sandbox.kill()
      await #expect(throws: StreamError.self) { try await player.finish() }
    }
  }

  @Test(
    "pitches have names",
    arguments: [
      ("A4", 69), ("a4", 69), ("C-1", 0), ("G9", 127), ("C#5", 73), ("Db5", 73), ("B#3", 60),
      ("Cb4", 59), ("F♯2", 42), ("E♭3", 51), ("0", 0), ("127", 127), ("60", 60),
    ])
  func names(_ name: String, _ pitch: Int) { #expect(Note.pitch(named: name) == pitch) }

  @Test(
    "what is no name is no pitch",
    arguments: ["", "H4", "A", "A10", "G#9", "Cb-1", "128", "-1", "A4 ", "A#", "4A", "#4"])
  func noNames(_ name: String) { #expect(Note.pitch(named: name) == nil) }
}
