import Glibc
import POSIX

/// Tells a service manager how the program is doing: systemd's `sd_notify`, which is one datagram.
///
/// Has no effect without a service manager (`NOTIFY_SOCKET` is not set).
struct ServiceNotifier {
  private let path: String?

  init() { path = ProcessEnvironment["NOTIFY_SOCKET"] }

  func send(_ message: String) {
    guard let path, path.hasPrefix("/") || path.hasPrefix("@"), let address = UnixAddress(path),
      let socket = try? unixSocket(SOCK_DGRAM)
    else { return }
    // A manager that reads nothing must not keep the program from ending.
    var limit = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(
      socket.raw, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let text = Array(message.utf8)
    _ = address.with { sendto(socket.raw, text, text.count, 0, $0, $1) }
  }
}
