import Glibc

/// Tells a service manager how the program is doing: systemd's `sd_notify`, which is one datagram.
///
/// Has no effect without a service manager (`NOTIFY_SOCKET` is not set).
struct ServiceNotifier {
  private let path: String?

  init() { path = getenv("NOTIFY_SOCKET").map { String(cString: $0) } }

  func send(_ message: String) {
    var address = sockaddr_un()
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard let path, path.hasPrefix("/") || path.hasPrefix("@"), path.utf8.count < room else {
      return
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    address.sun_family = sa_family_t(AF_UNIX)
    // "@" represents the zero byte of Linux's abstract names.
    let bytes = path.hasPrefix("@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = MemoryLayout<sa_family_t>.size + bytes.count
    let text = Array(message.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, text, text.count, 0, $0, socklen_t(length))
      }
    }
  }
}
