import Glibc
import Testing

@testable import AudioStreams

@Suite("The spectrum, and sounds inside of others")
struct SpectrumTests {
  @Test("a tone is in its band, at its level", arguments: [50, 440, 1000, 3000, 12000])
  func tone(_ frequency: Double) throws {
    let spectrum = Spectrum(
      Fixture.sine(frequency, 0.5), sampleRate: Fixture.rate, bands: 24)
    let loudest = try #require(spectrum.bands.max { $0.amplitude < $1.amplitude })
    let resolution = Fixture.rate / Double(Spectrum.frames)
    #expect(loudest.from - resolution <= frequency && frequency <= loudest.to + resolution)
    #expect(abs(decibels(loudest.amplitude / 0.5)) < 1.5)  // the window's unevenness
    let far = spectrum.bands.filter { $0.to < frequency / 2 || $0.from > frequency * 2 }
    #expect(far.allSatisfy { decibels($0.amplitude) < -60 })
  }

  @Test(
    "what is no number is silence", arguments: [Float.nan, .infinity, -.infinity, .signalingNaN])
  func noNumber(_ value: Float) {
    var samples = Fixture.sine(1000, 0.5)
    for at in stride(from: 0, to: samples.count, by: 100) { samples[at] = value }
    let spectrum = Spectrum(samples, sampleRate: Fixture.rate, bands: 24)
    #expect(spectrum.bands.allSatisfy { $0.amplitude.isFinite })
    #expect(spectrum.bands.contains { $0.amplitude > 0.3 })
    // Two different channels are not one because of it.
    var others = Fixture.sine(700, 0.5)
    others[50] = value
    let check = SignalCheck([samples, others])
    #expect(check.findings == [])
    #expect(check.levels.allSatisfy { $0.loudness.isFinite && $0.offset.isFinite })
  }

  @Test("silence, and fewer samples than it takes")
  func little() {
    #expect(Spectrum([], sampleRate: 8000, bands: 8).bands.allSatisfy { $0.amplitude == 0 })
    let few = Spectrum(Fixture.sine(1000, frames: 100), sampleRate: 44100, bands: 3)
    #expect(few.bands.count == 3 && few.bands.contains { $0.amplitude > 0 })
  }

  @Test("a sound is found inside another to the sample", arguments: [0, 1, 4321, 19999])
  func found(_ place: Int) throws {
    let probe = Fixture.noise(0.5, seed: 7, frames: 2000)
    var sound = Fixture.noise(0.05, seed: 8, frames: 22000)
    for (at, sample) in probe.enumerated() where place + at < sound.count {
      sound[place + at] -= sample * 0.2
    }
    let match = try #require(Correlation.find(probe, in: sound))
    #expect(match.frame == place)
    #expect(match.likeness > 0.8)
  }

  @Test("what is not there is unlike")
  func absent() throws {
    let probe = Fixture.noise(0.5, seed: 7, frames: 2000)
    let match = try #require(
      Correlation.find(probe, in: Fixture.noise(0.5, seed: 9, frames: 22000)))
    #expect(match.likeness < 0.3)
    #expect(Correlation.find(probe, in: Fixture.silence(frames: 4000)) == nil)
    #expect(Correlation.find(probe, in: []) == nil)
    #expect(Correlation.find([], in: probe) == nil)
  }
}
