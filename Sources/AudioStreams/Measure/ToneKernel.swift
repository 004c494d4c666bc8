import CAudioKernel
import PulseTypes

/// The tones in C.
final class ToneKernel: @unchecked Sendable {  // the C side says which thread does what
  let pointer: OpaquePointer
  let frames: UInt64

  init(_ segments: [TonePlayer.Segment], sampleRate: Double, channels: Int) {
    let native = segments.map { segment in
      ak_tone_segment(
        frames: UInt64(saturating: segment.seconds * sampleRate), from: segment.from,
        to: segment.to,
        amplitude: Float(segment.amplitude),
        channels: segment.channels.map { $0.reduce(0) { $0 | 1 << UInt64($1) } } ?? UInt64.max)
    }
    frames = native.reduce(0) { $0.addingSaturating($1.frames) }
    pointer = ak_tone_create(sampleRate, UInt32(channels), native, native.count)!
  }

  deinit { ak_tone_destroy(pointer) }

  /// Renders the next frames; call it only without an audio thread.
  func render(_ frames: Int, channels: Int) -> [Float] {
    [Float](unsafeUninitializedCapacity: frames * channels) { buffer, count in
      ak_tone_render(UnsafeMutableRawPointer(pointer), buffer.baseAddress, frames)
      count = frames * channels
    }
  }
}
