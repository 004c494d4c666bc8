import AudioSession
import Glibc
import POSIX

/// Writes the bytes of a sound file to a descriptor, for libsndfile's virtual files.
///
/// It keeps the first error number, which libsndfile loses for some formats. A pipe cannot be
/// rewritten, and neither can an output that is appended to what is there: later changes of the
/// beginning are omitted, and the sizes in a WAV's header mean "until the end".
final class FileOutput {
  private let descriptor: Int32
  private let closes: Bool
  private var isClosed = false
  /// Whether it is written from here on only.
  let isPipe: Bool
  /// Whether it leads to a file, which takes everything at once.
  let isFile: Bool
  /// Raised when the recording is to end: then a reader that stalls is abandoned.
  private let stop: StopSignal
  private(set) var position: Int64 = 0
  private(set) var length: Int64 = 0
  /// What a WAV's header names its channels. libsndfile opens the file with the usual ones, and corrects them
  /// later, which a pipe does not get.
  var channelMask: UInt32?
  /// `errno` of the first write that failed; 0 without one.
  private(set) var failure: Int32 = 0

  /// Whether a pipe's reader stalled when the recording was to end: what it had not read is lost.
  var isAbandoned: Bool { failure == EAGAIN }

  /// Opens and truncates a file; `-` is standard output.
  init(path: String, until stop: StopSignal) throws(StreamError) {
    self.stop = stop
    closes = path != "-"
    descriptor = closes ? Self.opened(path) : 1
    guard descriptor >= 0 else { throw Self.error("'\(path)' cannot be written") }
    // With `O_APPEND` every write goes to the end, wherever it was to go (pwrite(2)).
    var status = stat()
    isFile = fstat(descriptor, &status) == 0 && status.isRegular
    isPipe = lseek(descriptor, 0, SEEK_CUR) != 0 || fcntl(descriptor, F_GETFL) & O_APPEND != 0
  }

  deinit { finish() }

  /// Closes the file; on some file systems (NFS, quotas) only this reports a write that failed.
  func finish() {
    guard closes, !isClosed else { return }
    isClosed = true
    if close(descriptor) < 0, errno != EINTR, failure == 0 { failure = errno }
  }

  /// Opens a file; waits for the reader of a named pipe until the task is cancelled.
  private static func opened(_ path: String) -> Int32 {
    while true {
      let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK
      let descriptor = open(path, flags, 0o666)
      guard descriptor < 0, errno == ENXIO, !Task.isCancelled else { return descriptor }
      guard File.status(path)?.isPipe == true else {
        errno = ENXIO
        return -1
      }
      usleep(20_000)
    }
  }

  static func error(_ what: String, _ error: SystemError = .last) -> StreamError {
    let code: StreamError.Code =
      switch error.number {
      case EPIPE: .closedPipe
      case EACCES, EPERM, EROFS: .permissionDenied
      default: .fileFailed
      }
    return StreamError(code, what, details: error.description)
  }

  func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    switch whence {
    case SEEK_SET: position = offset
    case SEEK_CUR: position += offset
    default: position = length + offset
    }
    return position
  }

  /// Writes all bytes; fewer if that fails.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    if isPipe { return writeToPipe(bytes) }
    let done = put(bytes, at: position)
    advance(done)
    return done
  }

  private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
    var done = 0
    while done < bytes.count {
      let count = withoutSignals {
        pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, Int(offset) + done)
      }
      guard note(count) else { break }
      done += max(0, count)
    }
    return done
  }

  private func writeToPipe(_ bytes: UnsafeRawBufferPointer) -> Int {
    // A reader that continues must not get what comes after a hole.
    guard !isAbandoned else { return 0 }
    // Changes of bytes that were sent already count as written.
    let old = Int(min(Int64(bytes.count), max(0, length - position)))
    var rest = Array(bytes[old...])
    if length == 0 {
      Self.openEnd(&rest)
      if let channelMask { Self.name(channelMask, &rest) }
    }
    var done = 0
    // What is opened here does not block; standard output may, so it gets what it has room for.
    while done < rest.count, closes || waitForRoom() {
      let most = closes ? rest.count - done : min(rest.count - done, Int(PIPE_BUF))
      let count = rest.withUnsafeBytes { rest in
        withoutSignals { Glibc.write(descriptor, rest.baseAddress! + done, most) }
      }
      guard note(count) else { break }
      done += max(0, count)
    }
    advance(old + done)
    return old + done
  }

  /// Writes on any program's thread: by default SIGPIPE ends it if a pipe's reader has left, and SIGXFSZ
  /// if the file reaches the process's limit (`ulimit -f`).
  private func withoutSignals(_ write: () -> Int) -> Int {
    var (signals, former) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    for signal in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
    func isPending(_ signal: Int32) -> Bool {
      var pending = sigset_t()
      sigpending(&pending)
      return sigismember(&pending, signal) == 1
    }
    let wasPending = (pipe: isPending(SIGPIPE), size: isPending(SIGXFSZ))
    pthread_sigmask(SIG_BLOCK, &signals, &former)
    let count = write()
    let number = errno
    let raised: Int32? =
      switch number {
      case EPIPE where count < 0 && !wasPending.pipe: SIGPIPE
      case EFBIG where count < 0 && !wasPending.size: SIGXFSZ
      default: nil
      }
    if let raised, isPending(raised) {
      var (one, taken) = (sigset_t(), Int32(0))
      sigemptyset(&one)
      sigaddset(&one, raised)
      sigwait(&one, &taken)
    }
    pthread_sigmask(SIG_SETMASK, &former, nil)
    errno = number
    return count
  }

  /// Whether to continue after a write; an interrupted write is repeated.
  private func note(_ count: Int) -> Bool {
    if count > 0 { return true }
    if count < 0, errno == EINTR { return true }
    if count < 0, errno == EAGAIN { return waitForRoom() }
    if failure == 0 { failure = count < 0 ? errno : ENOSPC }
    return false
  }

  /// Waits until a pipe has room; false if its reader reads nothing for 0.2 s when the recording
  /// is to end.
  private func waitForRoom() -> Bool {
    var end: ContinuousClock.Instant?
    // In pieces, because the signal does not end the wait.
    while !poll([.output(descriptor)], for: 50)[0] {
      guard stop.isRaised || Task.isCancelled else { continue }
      let last = end ?? ContinuousClock.now + .milliseconds(200)
      end = last
      guard ContinuousClock.now >= last else { continue }
      if failure == 0 { failure = EAGAIN }
      return false
    }
    return true
  }

  private func advance(_ count: Int) {
    position += Int64(count)
    length = max(length, position)
  }

  /// Overwrites written bytes.
  func patch(_ bytes: [UInt8], at offset: Int64) {
    if !isPipe { _ = bytes.withUnsafeBytes { put($0, at: offset) } }
  }

  /// Sets the mask in the header of a `WAVE_FORMAT_EXTENSIBLE` file.
  private static func name(_ mask: UInt32, _ header: inout [UInt8]) {
    guard header.count >= 44, header[20] == 0xFE, header[21] == 0xFF else { return }
    header.replaceSubrange(40..<44, with: (0..<4).map { UInt8(mask >> (8 * $0) & 0xFF) })
  }

  /// Sets the sizes in a WAV's header to the greatest value, which readers interpret as "until the
  /// end".
  private static func openEnd(_ header: inout [UInt8]) {
    let endless: [UInt8] = [255, 255, 255, 255]
    guard header.count >= 44, header.starts(with: Array("RIFF".utf8)) else { return }
    header.replaceSubrange(4..<8, with: endless)
    // The data chunk is the last one: its name and size end the header.
    if Array(header.suffix(8).prefix(4)) == Array("data".utf8) {
      header.replaceSubrange((header.count - 4)..., with: endless)
    }
  }
}
