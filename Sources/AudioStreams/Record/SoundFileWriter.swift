import AudioSession
import POSIX
public import PulseTypes

#if SNDFILE
  import CSndFile
#endif

/// Writes a sound file, buffer by buffer; only one thread at a time may use it.
///
/// Sound up to the last `checkpoint()` can be read even if the process is killed. `AudioRecorder`
/// does all of this by itself, on a thread of its own; a write to a slow disk blocks its thread. So
/// does one into a pipe whose reader reads nothing; it fails 0.2 s after the task is cancelled.
public final class SoundFileWriter {
  /// The format of the file.
  public let format: RecordingFormat
  /// Frames per second, Hz.
  public let sampleRate: Int
  /// Samples in a frame.
  public let channels: Int
  /// The number of frames written so far.
  public private(set) var frames: Int64 = 0
  private let path: String
  private let output: FileOutput
  /// Whether it leads to a file, not to a pipe or a device.
  var isFile: Bool { output.isFile }
  /// Nil if the channels stay as they come, without names.
  private let order: ChannelOrder?
  #if SNDFILE
    private var native: OpaquePointer?
  #endif

  /// The greatest number of bytes of samples in a WAV file.
  static let longestWAV: Int64 = 0xFFFF_0000

  /// Creates the file, or empties the one that is there; `-` is standard output. For a
  /// named pipe this waits until it has a reader, or until the task is cancelled.
  ///
  /// - Parameters:
  ///   - path: where the file is; its suffix chooses the format, if none is given.
  ///   - format: WAV or FLAC with its kind of samples.
  ///   - sampleRate: 1 to 655350 Hz.
  ///   - channels: 1 to 32; FLAC has up to 8.
  ///   - channelMap: what the channels of the samples are, in their order. A WAV file with more than two
  ///     names them, and a FLAC file has them in FLAC's order, if it has one for them. Nil leaves them as they
  ///     are, without names.
  /// - Throws: `invalidFormat`, `missingPackage` without libsndfile, `permissionDenied`,
  ///   `fileFailed`.
  public convenience init(
    path: String, format: RecordingFormat? = nil, sampleRate: Int, channels: Int,
    channelMap: ChannelMap? = nil
  ) throws(StreamError) {
    try self.init(
      path: path, format: format, sampleRate: sampleRate, channels: channels,
      channelMap: channelMap, output: nil, until: StopSignal())
  }

  /// - Parameters:
  ///   - opened: the file, if it is open already.
  ///   - stop: is raised when a pipe's reader that stalls is to be abandoned.
  init(
    path: String, format: RecordingFormat?, sampleRate: Int, channels: Int,
    channelMap: ChannelMap?, output opened: FileOutput?, until stop: StopSignal
  ) throws(StreamError) {
    let format = format ?? RecordingFormat(path: path)
    guard (1...655_350).contains(sampleRate) else {
      throw StreamError(
        .invalidFormat, "a sample rate of \(sampleRate) Hz; it can be 1 to 655350 Hz")
    }
    guard (1...32).contains(channels) else {
      throw StreamError(.invalidFormat, "\(channels) channels; it can be 1 to 32")
    }
    if let channelMap, channelMap.count != channels {
      throw StreamError(
        .invalidFormat, "\(channels) channels in a map of \(channelMap.count)")
    }
    self.path = path
    self.format = format
    order = channelMap.flatMap { ChannelOrder(of: $0, isFLAC: format.isFLAC) }
    self.sampleRate = sampleRate
    self.channels = channels
    #if SNDFILE
      if let refusal = format.refusal(ofChannels: channels) {
        throw StreamError(.invalidFormat, refusal)
      }
      // libFLAC's encoder: what a player can begin in the middle of.
      guard !format.isFLAC || sampleRate < 65_536 || sampleRate.isMultiple(of: 10) else {
        throw StreamError(
          .invalidFormat, "FLAC has rates above 65535 Hz in steps of 10, not \(sampleRate); use WAV"
        )
      }
      if let opened {
        output = opened
      } else {
        output = try FileOutput(path: path, until: stop)
      }
      var info = SF_INFO()
      info.samplerate = Int32(sampleRate)
      info.channels = Int32(channels)
      info.format = format.native(namesChannels: order != nil)
      output.channelMask = order?.mask
      var functions = Self.functions
      // Not retained: the writer closes the file before it releases the output.
      native = sf_open_virtual(
        &functions, Int32(SFM_WRITE), &info, Unmanaged.passUnretained(output).toOpaque())
      guard native != nil else { throw failure() }
      sf_command(native, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
      if !format.isFLAC, var numbers = order?.numbers {
        let bytes = Int32(numbers.count * MemoryLayout<Int32>.size)
        sf_command(native, Int32(SFC_SET_CHANNEL_MAP_INFO), &numbers, bytes)
      }
    #else
      throw SoundLibrary.missing
    #endif
  }

  #if SNDFILE
    deinit { if let native { end(native) } }

    /// Completes the file. libsndfile writes FLAC's header with the first sound, and an encoder that began
    /// cannot begin again.
    private func end(_ native: OpaquePointer) {
      if format.isFLAC, frames == 0 { sf_command(native, Int32(SFC_UPDATE_HEADER_NOW), nil, 0) }
      sf_close(native)
    }
  #endif

  /// Appends interleaved samples; full scale is -1 to 1, and what exceeds it is clipped in a format of
  /// whole numbers.
  ///
  /// - Throws: `invalidValue` if the last frame is not complete; `fileFailed` also after `close()` and
  ///   at the end of a WAV file, 4 GB; `closedPipe`.
  public func write(_ samples: [Float]) throws(StreamError) {
    guard samples.count % channels == 0 else {
      throw StreamError(
        .invalidValue, "\(samples.count) samples are no whole frames of \(channels) channels")
    }
    try samples.withUnsafeBufferPointer { samples throws(StreamError) in try write(samples) }
  }

  /// Appends a captured buffer, after silence for the frames that are missing before it.
  ///
  /// - Throws: `invalidFormat` if the buffer has another rate or other channels than the file; the
  ///   errors of a write.
  public func write(_ buffer: CaptureBuffer) throws(StreamError) {
    guard buffer.sampleRate == sampleRate, buffer.channels == channels else {
      throw StreamError(
        .invalidFormat,
        "a buffer of \(buffer.sampleRate) Hz with \(buffer.channels) channels; "
          + "the file has \(sampleRate) Hz with \(channels)")
    }
    try writeSilence(frames: buffer.framesMissingBefore)
    try write(buffer.samples)
  }

  /// Appends interleaved samples.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(StreamError) {
    #if SNDFILE
      guard native != nil else {
        throw StreamError(.fileFailed, "'\(path)' is closed; nothing more can be written")
      }
      // What is no number would end a FLAC file, and be full scale in a WAV of whole numbers.
      guard !samples.contains(where: \.isNaN) else {
        return try samples.map { $0.isNaN ? 0 : $0 }.withUnsafeBufferPointer {
          numbers throws(StreamError) in try write(numbers)
        }
      }
      let count = Int64(samples.count / channels)
      guard count > 0 else { return }
      let bytes = (frames + count) * Int64(channels * format.sampleBytes)
      guard format.isFLAC || output.isPipe || bytes <= Self.longestWAV else {
        throw StreamError(.fileFailed, "a WAV file ends at 4 GB; record FLAC")
      }
      let written =
        if let order, !order.isKept {
          sf_writef_float(native, order.ordered(samples), count)
        } else {
          sf_writef_float(native, samples.baseAddress, count)
        }
      frames += max(0, written)
      guard written == count, output.failure == 0 else { throw failure() }
    #endif
  }

  func writeSilence(frames count: Int64) throws(StreamError) {
    guard count > 0 else { return }
    let second = [Float](repeating: 0, count: sampleRate * channels)
    var left = count
    while left > 0 {
      let part = min(left, Int64(sampleRate))
      try second.withUnsafeBufferPointer { silence throws(StreamError) in
        try write(UnsafeBufferPointer(rebasing: silence[..<(Int(part) * channels)]))
      }
      left -= part
    }
  }

  /// Updates the file's header to its current length: another program can read what was written.
  ///
  /// Errors: `fileFailed`, for a full disk for example.
  public func checkpoint() throws(StreamError) {
    #if SNDFILE
      guard native != nil, !output.isPipe else { return }
      if format.isFLAC {
        patchFLAC()
      } else {
        sf_command(native, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
      }
      if output.failure != 0 { throw failure() }
    #endif
  }

  /// Completes and closes the file; a second call has no effect.
  ///
  /// Errors: `fileFailed` if its end could not be written.
  public func close() throws(StreamError) {
    #if SNDFILE
      guard let native else { return }
      self.native = nil
      end(native)
      output.finish()
      if output.failure != 0 { throw failure() }
    #endif
  }
}

#if SNDFILE
  extension SoundFileWriter {
    private func failure() -> StreamError {
      let name = path == "-" ? "standard output" : "'\(path)'"
      if output.isAbandoned { return .stalledReader(of: name) }
      if output.failure != 0 {
        return FileOutput.error("\(name) cannot be written", SystemError(output.failure))
      }
      return StreamError(
        .fileFailed, "\(name) cannot be written", details: String(cString: sf_strerror(native)))
    }

    /// A FLAC file gets its length only at its end: this writes the number of complete blocks so
    /// far, in 36 bits after the lower four of the sample's size.
    private func patchFLAC() {
      let block: Int64 = 4096
      // The encoder is one frame behind.
      let whole = max(0, frames - 1) / block * block
      let total = withUnsafeBytes(of: UInt32(truncatingIfNeeded: whole).bigEndian) { Array($0) }
      let sampleBits = UInt8((format.sampleBytes * 8 - 1) & 15) << 4
      output.patch([sampleBits | UInt8(truncatingIfNeeded: whole >> 32) & 15] + total, at: 21)
    }

    /// The functions through which libsndfile uses a `FileOutput`.
    private static var functions: SF_VIRTUAL_IO {
      SF_VIRTUAL_IO(
        get_filelen: { user in borrowOutput(user).length },
        seek: { offset, whence, user in borrowOutput(user).seek(offset, whence) },
        read: { _, _, _ in 0 },
        write: { bytes, count, user in
          Int64(borrowOutput(user).write(UnsafeRawBufferPointer(start: bytes, count: Int(count))))
        },
        tell: { user in borrowOutput(user).position })
    }
  }

  private func borrowOutput(_ user: UnsafeMutableRawPointer?) -> FileOutput {
    Unmanaged<FileOutput>.fromOpaque(user!).takeUnretainedValue()  // the writer owns it
  }
#endif
