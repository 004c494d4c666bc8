package import CAudioKernel
import POSIX
internal import PulseTypes

/// The synthesizer in C, without a server: events in at one end, samples out at the other.
package final class SynthKernel: @unchecked Sendable {  // the C side says which thread does what
  package let sampleRate: Double
  package let channels: Int
  /// What the audio thread renders with, as the context of `ak_synth_render`.
  package let pointer: OpaquePointer
  /// Serializes the producers; the audio thread never takes it.
  private let producers = Lock()

  package init(
    _ configuration: SynthesizerConfiguration = .init(), sampleRate: Double, channels: Int
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    let envelope = ak_envelope(
      attack: Self.frames(configuration.attack, sampleRate),
      decay: Self.frames(configuration.decay, sampleRate), sustain: Float(configuration.sustain),
      longest_release: Self.frames(configuration.longestRelease, sampleRate))
    pointer = ak_synth_create(
      sampleRate, UInt32(channels), envelope, configuration.cutoff, Float(configuration.master))!
  }

  deinit { ak_synth_destroy(pointer) }

  private static func frames(_ duration: Duration, _ rate: Double) -> UInt32 {
    UInt32(saturating: duration.seconds * rate)
  }

  private var wasUsed = false

  /// Passes an event to the audio thread; false if its queue is full.
  package func push(_ event: ak_note_event) -> Bool {
    producers.withLock {
      wasUsed = true
      return ak_synth_push(pointer, event)
    }
  }

  /// Whether no event was ever pushed, so that there is nothing to fade out.
  var isUntouched: Bool { producers.withLock { !wasUsed } }

  /// Starts a note at a frame; a past frame means at once.
  package func play(_ note: Note, at frame: UInt64 = 0) throws(StreamError) -> Bool {
    let amplitude = note.velocity.amplitude
    guard (0...1).contains(amplitude) else {
      throw StreamError(.invalidValue, "velocity \(amplitude) is not in 0...1; normal is 0.6")
    }
    if let duration = note.duration, duration <= .zero {
      throw StreamError(.invalidValue, "a note of \(duration) has no time to sound")
    }
    // A century is practically for ever, and far from any overflow.
    let frames = note.duration.map { UInt64(saturating: min($0.seconds, 3e9) * sampleRate) }
    return push(
      ak_note_event(
        frame: frame, duration: frames ?? UInt64.max, amplitude: Float(amplitude),
        pitch: try Self.midi(note.pitch), kind: AK_NOTE_ON))
  }

  /// Starts the release of every note of a pitch.
  package func release(pitch: Int, at frame: UInt64 = 0) throws(StreamError) -> Bool {
    push(
      ak_note_event(
        frame: frame, duration: 0, amplitude: 0, pitch: try Self.midi(pitch), kind: AK_NOTE_OFF))
  }

  /// Starts the release of every note, and discards scheduled ones.
  package func releaseAll() -> Bool {
    push(ak_note_event(frame: 0, duration: 0, amplitude: 0, pitch: 0, kind: AK_NOTE_ALL_OFF))
  }

  private static func midi(_ pitch: Int) throws(StreamError) -> UInt8 {
    guard (0...127).contains(pitch) else {
      throw StreamError(.invalidValue, "pitch \(pitch) is not in 0...127; A4 (440 Hz) is 69")
    }
    return UInt8(pitch)
  }

  /// Frames rendered so far.
  package var position: UInt64 { ak_synth_position(pointer) }
  /// The frame after the last one in which a voice sounded; 0 if none did.
  var lastSound: UInt64 { ak_synth_last_sound(pointer) }
  /// Voices that sound.
  package var sounding: Int { Int(ak_synth_sounding(pointer)) }
  /// Events that were refused because the queue was full.
  package var refused: UInt64 { ak_synth_refused(pointer) }
  /// Calls on its queue from the wrong thread.
  package var violations: UInt64 { ak_synth_violations(pointer) }
  /// Voices that a later note took over.
  package var stolen: UInt64 { ak_synth_stolen(pointer) }

  /// Renders the next frames, interleaved. Call it only if no audio thread renders.
  package func render(_ frames: Int) -> [Float] {
    [Float](unsafeUninitializedCapacity: frames * channels) { buffer, count in
      if frames > 0 {
        ak_synth_render(UnsafeMutableRawPointer(pointer), buffer.baseAddress, frames)
      }
      count = frames * channels
    }
  }
}
