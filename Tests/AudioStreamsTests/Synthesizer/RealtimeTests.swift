import AudioStreams
import CAllocationCounter
import CAudioKernel
import Testing

@Suite("What runs on the audio thread")
struct RealtimeTests {
  static let canCount = allocation_counter_works()

  @Test(
    "the synthesizer allocates and locks nothing",
    .enabled(if: canCount, "a sanitizer has its own malloc"))
  func synthesizer() throws {
    let kernel = SynthKernel(sampleRate: 44100, channels: 2)
    let sound = UnsafeMutablePointer<Float>.allocate(capacity: 512)
    defer { sound.deallocate() }
    var (allocations, locks): (UInt64, UInt64) = (0, 0)
    for block in 0..<2000 {
      // Notes begin, end, steal from each other, and wait for their time.
      #expect(try kernel.play(Note(pitch: block % 128), at: UInt64(block * 300)))
      if block % 3 == 0 { #expect(try kernel.release(pitch: (block / 2) % 128)) }
      if block % 500 == 499 { #expect(kernel.releaseAll()) }
      let before = (allocation_count(), lock_count())
      ak_synth_render(UnsafeMutableRawPointer(kernel.pointer), sound, 256)
      allocations += allocation_count() - before.0
      locks += lock_count() - before.1
    }
    #expect(kernel.stolen > 0)
    #expect(allocations == 0)
    #expect(locks == 0)
  }

  @Test("the test tones allocate nothing", .enabled(if: canCount, "a sanitizer has its own malloc"))
  func tones() {
    let segments = [
      ak_tone_segment(frames: 1000, from: 440, to: 440, amplitude: 0.5, channels: 1),
      ak_tone_segment(frames: 1000, from: 20, to: 20000, amplitude: 0.5, channels: 3),
    ]
    let tone = ak_tone_create(44100, 2, segments, 2)
    defer { ak_tone_destroy(tone) }
    var sound = [Float](repeating: 0, count: 512)
    let before = allocation_count()
    for _ in 0..<10 { ak_tone_render(UnsafeMutableRawPointer(tone!), &sound, 256) }
    #expect(allocation_count() == before)
    #expect(ak_tone_position(tone) == 2560)
  }

  @Test("the counter counts", .enabled(if: canCount, "a sanitizer has its own malloc"))
  func counts() {
    let before = allocation_count()
    ak_note_queue_destroy(ak_note_queue_create())
    #expect(allocation_count() == before + 2)
  }
}
