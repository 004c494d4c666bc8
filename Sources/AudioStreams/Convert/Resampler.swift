#if SOXR
  import CSoxr
#endif

/// Converts interleaved samples from one rate to another; made for one pair of rates.
///
/// The first output frame has the time of the first input frame, and `flush` completes the output
/// to the input's duration. Only one thread at a time may use it.
struct Resampler: ~Copyable {
  let inputRate: Int
  let outputRate: Int
  let channels: Int
  #if SOXR
    /// Nil if the rates are equal.
    private let native: soxr_t?
  #endif
  private let scratch = Scratch()

  /// Whether this build can convert rates; equal rates need no conversion.
  static var isAvailable: Bool {
    #if SOXR
      true
    #else
      false
    #endif
  }

  /// Makes a converter; rates in Hz.
  init(
    from inputRate: Int, to outputRate: Int, channels: Int, quality: ConversionQuality
  ) throws(StreamError) {
    self.inputRate = inputRate
    self.outputRate = outputRate
    self.channels = channels
    #if SOXR
      native =
        inputRate == outputRate ? nil : try Self.make(inputRate, outputRate, channels, quality)
    #else
      guard inputRate == outputRate else {
        throw StreamError(
          .converterFailed,
          "\(inputRate) Hz cannot become \(outputRate) Hz: this build has no libsoxr; install "
            + "libsoxr-dev, remove ~/.cache/org.swift.swiftpm/manifests, and build again")
      }
    #endif
  }

  deinit {
    #if SOXR
      if let native { soxr_delete(native) }
    #endif
  }

  /// Converts; passes on the available result, which may be empty.
  mutating func process(
    _ input: UnsafeBufferPointer<Float>, _ body: (UnsafeBufferPointer<Float>) -> Void
  ) throws(StreamError) {
    guard inputRate != outputRate else { return body(input) }
    #if SOXR
      let frames = input.count / channels
      let output = scratch.reserve((frames * outputRate / inputRate + 64) * channels)
      var done = 0
      while done < frames {
        var (used, made) = (0, 0)
        let error = soxr_process(
          native, input.baseAddress! + done * channels, frames - done, &used,
          output.baseAddress, output.count / channels, &made)
        try Self.check(error)
        body(UnsafeBufferPointer(rebasing: output[..<(made * channels)]))
        done += used
      }
    #endif
  }

  /// Passes on the rest of the result, and resets the converter.
  mutating func flush(_ body: (UnsafeBufferPointer<Float>) -> Void) throws(StreamError) {
    #if SOXR
      guard let native else { return }
      let output = scratch.reserve(4096 * channels)
      while true {
        var made = 0
        let error = soxr_process(
          native, nil, 0, nil, output.baseAddress, output.count / channels, &made)
        try Self.check(error)
        guard made > 0 else { break }
        body(UnsafeBufferPointer(rebasing: output[..<(made * channels)]))
      }
      try Self.check(soxr_clear(native))
    #endif
  }

  #if SOXR
    private static func make(
      _ inputRate: Int, _ outputRate: Int, _ channels: Int, _ quality: ConversionQuality
    ) throws(StreamError) -> soxr_t {
      let recipe =
        switch quality {
        case .low: 1
        case .medium: 2
        case .high: 4
        case .veryHigh: 6
        }
      var error: soxr_error_t?
      var format = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
      var spec = soxr_quality_spec(UInt(recipe), 0)
      var runtime = soxr_runtime_spec(1)
      // libsoxr filters whole blocks of a Fourier transform, and holds sound back until one is full. Its
      // smallest ones halve the wait for the same samples.
      runtime.log2_min_dft_size = 8
      runtime.log2_large_dft_size = 8
      let native = soxr_create(
        Double(inputRate), Double(outputRate), UInt32(channels), &error, &format, &spec, &runtime)
      guard let native, error == nil else {
        throw StreamError(
          .converterFailed, "\(inputRate) Hz cannot become \(outputRate) Hz",
          details: error.map { String(cString: $0) })
      }
      return native
    }

    private static func check(_ error: soxr_error_t?) throws(StreamError) {
      guard let error else { return }
      throw StreamError(
        .conversionFailed, "converting the rate failed", details: String(cString: error))
    }
  #endif
}
