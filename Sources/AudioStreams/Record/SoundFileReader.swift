import Glibc

#if SNDFILE
  import CSndFile
#endif

/// Reads a sound file of any format that libsndfile supports; only one thread at a time may use it.
final class SoundFileReader {
  /// Hz.
  let sampleRate: Int
  /// Samples in a frame.
  let channels: Int
  /// The number of frames according to the file.
  let frames: Int64
  private let path: String
  #if SNDFILE
    private let native: OpaquePointer
  #endif

  /// Opens a file.
  init(path: String) throws(StreamError) {
    self.path = path
    #if SNDFILE
      guard access(path, R_OK) == 0 else {
        let number = errno
        var error = FileOutput.error("'\(path)' cannot be read", number)
        if number == ENOENT || number == ENOTDIR { error.code = .fileNotFound }
        throw error
      }
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
        throw StreamError(
          .notASound, "'\(path)' is no sound file", details: String(cString: strerror(EISDIR)))
      }
      var info = SF_INFO()
      guard let native = sf_open(path, Int32(SFM_READ), &info) else {
        throw StreamError(
          .notASound, "'\(path)' is no sound file", details: String(cString: sf_strerror(nil)))
      }
      self.native = native
      sampleRate = Int(info.samplerate)
      channels = Int(info.channels)
      frames = info.frames
    #else
      throw SoundLibrary.missing
    #endif
  }

  #if SNDFILE
    deinit { sf_close(native) }
  #endif

  /// Reads up to a number of interleaved frames; fewer at the end, none after it.
  func read(frames count: Int) throws(StreamError) -> [Float] {
    #if SNDFILE
      let samples = [Float](unsafeUninitializedCapacity: count * channels) { buffer, used in
        used = Int(max(0, sf_readf_float(native, buffer.baseAddress, Int64(count)))) * channels
      }
      guard sf_error(native) == 0 else {
        throw StreamError(
          .fileFailed, "'\(path)' cannot be read", details: String(cString: sf_strerror(native)))
      }
      return samples
    #else
      throw SoundLibrary.missing
    #endif
  }
}
