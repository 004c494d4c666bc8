/// Converts a device's interleaved samples to other channels and another rate.
///
/// The step that reduces the data comes first: channels are mixed down before the rate is
/// converted, and up after it. Made once and reused; only one thread at a time may use it.
package struct Converter: ~Copyable {
  private let mix: ChannelMix
  private var resampler: Resampler
  private let mixesFirst: Bool
  private let mixed = Scratch()

  package var outputChannels: Int { mix.outputs }
  /// Whether the channels stay what they are.
  var keepsChannels: Bool { mix.isIdentity }

  /// Makes a converter from a device's format.
  package init(
    fromRate inputRate: Int, channels inputs: Int, toRate outputRate: Int,
    channels outputs: CaptureChannels, quality: ConversionQuality = .high
  ) throws(StreamError) {
    try self.init(
      fromRate: inputRate, toRate: outputRate, ChannelMix(outputs, inputs: inputs),
      quality: quality)
  }

  init(
    fromRate inputRate: Int, toRate outputRate: Int, _ mix: ChannelMix,
    quality: ConversionQuality = .high
  ) throws(StreamError) {
    resampler = try Resampler(
      from: inputRate, to: outputRate, channels: min(mix.outputs, mix.inputs), quality: quality)
    self.mix = mix
    mixesFirst = mix.outputs <= mix.inputs
  }

  /// Whether it converts this input format.
  package func converts(fromRate rate: Int, channels: Int) -> Bool {
    resampler.inputRate == rate && mix.inputs == channels
  }

  /// Converts whole frames; passes on the available result, which may be empty.
  package mutating func process(
    _ input: UnsafeBufferPointer<Float>, _ body: (UnsafeBufferPointer<Float>) -> Void
  ) throws(StreamError) {
    if mix.isIdentity { return try resampler.process(input, body) }
    let (mix, mixed) = (mix, mixed)
    if mixesFirst { return try resampler.process(mix.apply(input, mixed), body) }
    try resampler.process(input) { body(mix.apply($0, mixed)) }
  }

  /// Passes on the rest of the result, and resets the converter.
  package mutating func flush(_ body: (UnsafeBufferPointer<Float>) -> Void) throws(StreamError) {
    if mix.isIdentity || mixesFirst { return try resampler.flush(body) }
    let (mix, mixed) = (mix, mixed)
    try resampler.flush { body(mix.apply($0, mixed)) }
  }
}
