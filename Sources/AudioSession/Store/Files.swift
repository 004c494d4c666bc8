import Glibc
import SessionCore

/// Small files, written whole or not at all.
enum Files {
  /// The content of a file; nil where there is none.
  static func read(_ path: String) throws(SessionError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure("read", path)
    }
    defer { close(descriptor) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return result }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("read", path)
      }
      result += buffer[..<count]
    }
  }

  /// Replaces a file: a reader finds the old content or the new, never a part.
  ///
  /// Only ever called with the session's lock held, so one name will do for the new file, and one
  /// that a killed process left is used again.
  static func write(_ bytes: [UInt8], to path: String) throws(SessionError) {
    let temporary = "\(path).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("write", path) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 {
        if errno == EINTR { continue }
        let error = failure("write", path)
        close(descriptor)
        unlink(temporary)
        throw error
      }
      written += count
    }
    guard close(descriptor) == 0, rename(temporary, path) == 0 else {
      let error = failure("write", path)
      unlink(temporary)
      throw error
    }
  }

  /// Removes a file, if it is there.
  static func remove(_ path: String) { unlink(path) }

  /// Makes a folder and those above it, for the user alone.
  static func makeFolder(_ path: String) throws(SessionError) {
    var built = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      built += "/\(part)"
      if mkdir(built, 0o700) != 0, errno != EEXIST { throw failure("make the folder", built) }
    }
  }

  static func failure(_ verb: String, _ path: String) -> SessionError {
    let error = errno
    let remedy =
      switch error {
      case EMFILE, ENFILE: "raise the limit on open files (ulimit -n)"
      case ENOSPC, EDQUOT: "make room there, or set XDG_STATE_HOME to another folder"
      default: "set XDG_STATE_HOME to a folder that can be written"
      }
    return SessionError(
      .storeFailed, stage: .session,
      "cannot \(verb) \(path): \(String(cString: strerror(error))); \(remedy)", value: path)
  }
}
