import AudioSession
import Glibc

/// The other end of `ServiceNotifier`: hears when a program that this one started is ready.
struct NotifyListener: ~Copyable {
  private let descriptor: Int32
  /// What `NOTIFY_SOCKET` is to be: a name that no file has, and that goes with this process.
  let address: String

  init() throws(SessionError) {
    descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    let name = "audiosession-\(getpid())"
    address = "@" + name
    var socketAddress = sockaddr_un()
    socketAddress.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: [0] + name.utf8) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
    let descriptor = descriptor
    let result = withUnsafePointer(to: &socketAddress) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard descriptor >= 0, result == 0 else {
      throw SessionError(
        .activationFailed, stage: .session,
        "cannot make a socket to hear from the keeping process: \(String(cString: strerror(errno)))"
      )
    }
  }

  deinit { close(descriptor) }

  /// False where the process ends before, or the time is over.
  func waitForReady(of child: pid_t, atMost limit: Duration) async -> Bool {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      poll(&wanted, 1, 20)
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0, String(decoding: buffer[..<count], as: UTF8.self).contains("READY=1") {
        return true
      }
      var status: Int32 = 0
      if waitpid(child, &status, WNOHANG) == child { return false }
    }
    return false
  }
}
