/// Converts a device's interleaved samples to other channels and another rate.
///
/// What makes the sound smaller comes first: channels are mixed down before the rate is converted,
/// and up after it. Made once and reused; one thread at a time uses it.
package struct Converter: ~Copyable {
  private let mix: ChannelMix
  private var resampler: Resampler
  private let mixesFirst: Bool
  private let mixed = Scratch()

  /// Frames in a second that come out, Hz.
  package var outputRate: Int { resampler.outputRate }
  /// Channels that come out.
  package var outputChannels: Int { mix.outputs }

  /// Makes a converter from a device's format.
  package init(
    fromRate inputRate: Int, channels inputs: Int, toRate outputRate: Int,
    channels outputs: CaptureChannels, quality: ConversionQuality = .high
  ) throws(StreamError) {
    let mix = try ChannelMix(outputs, inputs: inputs)
    resampler = try Resampler(
      from: inputRate, to: outputRate, channels: min(mix.outputs, inputs), quality: quality)
    self.mix = mix
    mixesFirst = mix.outputs <= inputs
  }

  /// Whether it is the converter for such an input.
  package func converts(fromRate rate: Int, channels: Int) -> Bool {
    resampler.inputRate == rate && mix.inputs == channels
  }

  /// Converts whole frames; hands on what is there of the result, which may be nothing.
  package mutating func process(
    _ input: UnsafeBufferPointer<Float>, _ body: (UnsafeBufferPointer<Float>) -> Void
  ) throws(StreamError) {
    if mix.isIdentity { return try resampler.process(input, body) }
    let (mix, mixed) = (mix, mixed)
    if mixesFirst { return try resampler.process(mix.apply(input, mixed), body) }
    try resampler.process(input) { body(mix.apply($0, mixed)) }
  }

  /// Hands on the end of what was put in; then it is as new.
  package mutating func flush(_ body: (UnsafeBufferPointer<Float>) -> Void) throws(StreamError) {
    if mix.isIdentity || mixesFirst { return try resampler.flush(body) }
    let (mix, mixed) = (mix, mixed)
    try resampler.flush { body(mix.apply($0, mixed)) }
  }
}
