import AudioSession
import Glibc

/// Keeps a command from replacing a file that someone may still want.
enum FileGuard {
  /// Throws if a regular file exists at a path and is not to be replaced.
  static func check(_ path: String, replaces: Bool) throws(SessionError) {
    var status = stat()
    guard !replaces, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size > 0
    else { return }
    throw SessionError(
      .invalidValue, stage: .configuration, "'\(path)' exists already; --force replaces it",
      value: path)
  }
}
