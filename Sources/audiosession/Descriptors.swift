import AudioSession
import Glibc

/// The standard descriptors, and the limit of open files.
enum Descriptors {
  /// Gives each closed standard descriptor a placeholder that fails when it is used.
  ///
  /// Call it before anything that opens a file: an internal pipe would get the free number, and messages
  /// would be written into it.
  static func reserveStandard() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// The greatest number of files that a holding command opens, with a reserve: connection, loop,
  /// lock, store.
  private static let needed = 16

  /// Throws if the limit is too low: libraries would end the program without a message.
  ///
  /// Call it before anything that may start a thread, for which no descriptor might be left.
  static func check() throws(SessionError) {
    var taken: [Int32] = []
    defer { for descriptor in taken { close(descriptor) } }
    while taken.count < needed {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        throw SessionError(
          .activationFailed, stage: .session,
          "no room for the files that a session needs: \(limit.rlim_cur) may be open, "
            + "\(taken.count) of \(needed) more could be; raise the limit (ulimit -n)",
          value: String(limit.rlim_cur))
      }
      taken.append(descriptor)
    }
  }
}
