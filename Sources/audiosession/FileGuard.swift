import AudioSession
import Glibc
import POSIX

/// Keeps a command from replacing a file that someone may still want.
enum FileGuard {
  /// Throws if a regular file exists at a path and is not to be replaced.
  static func check(_ path: String, replaces: Bool) throws(SessionError) {
    guard !replaces, let status = File.status(path), status.isRegular, status.st_size > 0
    else { return }
    throw SessionError(
      .invalidValue, stage: .configuration, "'\(path)' exists already; --force replaces it",
      value: path)
  }
}
