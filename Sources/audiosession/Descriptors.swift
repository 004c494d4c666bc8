import AudioSession
import Glibc

/// The limit of open files.
enum Descriptors {
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
