import AudioSession
import Glibc

/// The files that the program may have open.
enum Descriptors {
  /// What a command that holds has open at most, with some to spare: connection, loop, lock, store.
  private static let needed = 16

  /// Throws if the limit leaves no room: libraries below would end the program without a word.
  ///
  /// Must come before anything that may start a thread, which would find none left in the meantime.
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
