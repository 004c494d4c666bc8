import Glibc
import POSIX
import SessionCore

extension MachineFacts.Cookie {
  /// The size of a valid cookie, in bytes.
  private static let size = 256

  /// Inspects the file.
  static func read(_ path: String) -> MachineFacts.Cookie {
    guard let info = File.status(path) else {
      return errno == ENOENT ? .missing : .unreadable(SystemError.last.description)
    }
    guard info.isRegular else { return .unreadable("it is no file") }
    guard access(path, R_OK) == 0 else { return .unreadable(SystemError.last.description) }
    guard info.st_size == size else { return .wrongSize(Int(info.st_size)) }
    return info.st_mode & 0o077 == 0 ? .good : .exposed(info.st_mode & 0o777)
  }
}
