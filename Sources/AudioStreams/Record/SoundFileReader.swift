import AudioSession
import Glibc
import POSIX
import PulseTypes

#if SNDFILE
  import CSndFile
#endif

/// Reads a sound file of any format that libsndfile supports; only one thread at a time may use it.
final class SoundFileReader {
  /// Hz.
  let sampleRate: Int
  /// Samples in a frame.
  let channels: Int
  /// The positions of more than two channels: as the file names them, or in the order of WAV; nil
  /// if neither is known.
  let channelMap: ChannelMap?
  /// The positions of the channels; nil if that many have no usual ones.
  var positions: ChannelMap? { channelMap ?? ChannelMap.standard(channels: channels) }
  /// The number of frames according to the file.
  let frames: Int64
  private let path: String
  #if SNDFILE
    private let native: OpaquePointer
    /// Whether the file is shorter than its header says.
    private let isTruncated: Bool
    /// What ended the sound before the end of the file.
    private var damage: StreamError?
  #endif

  /// Opens a file; `-` is standard input; that and a pipe are read to their end first, or until that is
  /// stopped.
  init(path name: String, until stop: StopSignal = StopSignal()) throws(StreamError) {
    #if SNDFILE
      let input: PipedInput? =
        if name == "-" {
          try PipedInput(0, "standard input", stop)
        } else if File.status(name)?.isPipe == true {
          try .pipe(name, until: stop)
        } else {
          nil
        }
      let path = input?.path ?? name
      self.path = name == "-" ? "standard input" : name
      guard access(path, R_OK) == 0 else {
        let cause = SystemError.last
        var error = FileOutput.error("'\(self.path)' cannot be read", cause)
        if [ENOENT, ENOTDIR].contains(cause.number) { error.code = .fileNotFound }
        throw error
      }
      guard File.status(path)?.isFolder == false else {
        throw StreamError(
          .notASound, "'\(self.path)' is no sound file", details: SystemError(EISDIR).description)
      }
      var info = SF_INFO()
      let native = sf_open(path, Int32(SFM_READ), &info)
      withExtendedLifetime(input) {}
      guard let native else {
        throw StreamError(
          .notASound, "'\(self.path)' is no sound file",
          details: String(cString: sf_strerror(nil)))
      }
      self.native = native
      sampleRate = Int(info.samplerate)
      channels = Int(info.channels)
      channelMap = Self.channelMap(of: native, channels) ?? ChannelMap.inWAV(channels)
      // FLAC without a length, from a pipe, has the greatest number.
      frames = info.frames == .max ? 0 : info.frames
      isTruncated = Self.isTruncated(native)
    #else
      throw SoundLibrary.missing
    #endif
  }

  #if SNDFILE
    deinit { sf_close(native) }

    /// The positions that the file names; nil for one or two channels, or if it names none that the
    /// servers know.
    private static func channelMap(of native: OpaquePointer, _ channels: Int) -> ChannelMap? {
      guard channels > 2 else { return nil }
      var numbers = [Int32](repeating: 0, count: channels)
      let bytes = Int32(clamping: channels * MemoryLayout<Int32>.size)
      guard sf_command(native, Int32(SFC_GET_CHANNEL_MAP_INFO), &numbers, bytes) != 0 else {
        return nil
      }
      let known = ChannelOrder.bySoundLibrary
      let positions = numbers.compactMap { number in
        known.indices.contains(Int(number)) ? known[Int(number)] : nil
      }
      return positions.count == channels ? ChannelMap(positions) : nil
    }

    /// libsndfile reads what there is, and notes `data : 352800 (should be 49956)` in its log, for AIFF
    /// `SSND`, for AU `Data Size`. A header written for a pipe announces 0 or about 2 or 4 GB, which
    /// promises nothing.
    private static func isTruncated(_ native: OpaquePointer) -> Bool {
      var log = [CChar](repeating: 0, count: 8192)
      sf_command(native, Int32(SFC_GET_LOG_INFO), &log, Int32(log.count))
      let text = String(
        decoding: log.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      return text.split(separator: "\n").contains { line in
        let words = line.split { !$0.isLetter && !$0.isNumber }
        let names: [[Substring]] = [["data"], ["SSND"], ["Data", "Size"]]
        guard let name = names.first(where: { words.starts(with: $0) }),
          case let numbers = words.dropFirst(name.count), numbers.count == 4,
          numbers.dropFirst().starts(with: ["should", "be"]),
          let announced = Int(numbers[numbers.startIndex]),
          let present = Int(words[words.count - 1])
        else { return false }
        return announced > present && announced < 0x7F00_0000
      }
    }
  #endif

  /// Reads up to a number of interleaved frames; fewer at the end, none after it. What is no number is silence:
  /// converters and mixers would spread it. Throws only once all sound before the damage has been read.
  func read(frames count: Int) throws(StreamError) -> [Float] {
    #if SNDFILE
      if let damage { throw damage }
      let samples = [Float](unsafeUninitializedCapacity: count * channels) { buffer, used in
        used = Int(max(0, sf_readf_float(native, buffer.baseAddress, Int64(count)))) * channels
        for index in 0..<used where !buffer[index].isFinite { buffer[index] = 0 }
      }
      if sf_error(native) != 0 {
        let error = StreamError(
          .notASound, "'\(path)' is damaged or truncated",
          details: String(cString: sf_strerror(native)))
        if samples.isEmpty { throw error }
        damage = error
      }
      if samples.isEmpty, isTruncated {
        throw StreamError(
          .notASound, "'\(path)' is truncated: its header announces more sound than there is")
      }
      return samples
    #else
      throw SoundLibrary.missing
    #endif
  }
}
