import Glibc
import POSIX
import SessionCore

struct SystemCalls: FileCalls {
  var process: Int32 { getpid() }

  func open(_ path: String, _ mode: FileMode) throws(FileError) -> Int32 {
    let flags =
      switch mode {
      case .reading: O_RDONLY
      case .replacing: O_WRONLY | O_CREAT | O_TRUNC
      case .signing: O_RDWR | O_CREAT
      case .folder: O_RDONLY | O_DIRECTORY
      }
    // A pipe with the name of a file must not block the session.
    return try Self.check { Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600) }
  }

  func read(_ file: Int32, atMost limit: Int) throws(FileError) -> [UInt8] {
    do throws(SystemError) {
      return try readAll(atMost: limit) { start, room, count in
        pread(file, start, room, off_t(count))
      }
    } catch {
      throw FileError(error)
    }
  }

  func write(_ bytes: [UInt8], to file: Int32) throws(FileError) {
    var written = 0
    while written < bytes.count {
      written += try Self.check {
        bytes[written...].withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, written) }
      }
    }
  }

  func sync(_ file: Int32) throws(FileError) { _ = try Self.check { fsync(file) } }

  func close(_ file: Int32) throws(FileError) {
    // Not repeated after a signal: the descriptor is closed, and its number may be in use again.
    guard Glibc.close(file) == 0 || errno == EINTR else { throw FileError(.last) }
  }

  func lock(_ file: Int32, _ kind: LockKind) throws(FileError) -> Bool {
    let operation = kind == .shared ? LOCK_SH : LOCK_EX
    if flock(file, operation | LOCK_NB) == 0 { return true }
    if errno == EWOULDBLOCK || errno == EINTR { return false }
    throw FileError(.last)
  }

  func unlock(_ file: Int32) { flock(file, LOCK_UN) }

  func rename(_ path: String, to new: String) throws(FileError) {
    _ = try Self.check { Glibc.rename(path, new) }
  }

  func unlink(_ path: String) throws(FileError) {
    do throws(FileError) {
      _ = try Self.check { Glibc.unlink(path) }
    } catch {
      if error.kind != .missing { throw error }
    }
  }

  func isRunning(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 || errno != ESRCH else { return false }
    // A process that has ended keeps its number until it is reaped.
    guard let raw = processDescriptor(process) else { return true }
    let descriptor = Descriptor(owning: raw)
    return !poll([.input(descriptor.raw)], for: 0)[0]
  }

  private static func check<Result: SignedInteger>(_ call: () -> Result) throws(FileError) -> Result
  {
    do throws(SystemError) { return try retrying(call) } catch { throw FileError(error) }
  }
}

extension FileError {
  init(_ error: SystemError) {
    let kind: Kind =
      switch error.number {
      case ENOENT, ENOTDIR: .missing
      case ENOSPC, EDQUOT: .full
      case EMFILE, ENFILE: .outOfDescriptors
      case EINVAL, ENOTSUP: .unsupported
      default: .other
      }
    self.init(kind, error.description)
  }
}
