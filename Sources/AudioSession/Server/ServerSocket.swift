import Glibc

/// A server's Unix socket, checked without libpulse, which reports a full backlog as a refusal.
package struct ServerSocket {
  private var address = sockaddr_un()

  /// - Parameter address: the server's address; nil if it is not a Unix socket, or too long for
  ///   one.
  init?(_ address: String?) {
    guard let address else { return nil }
    let canonical = SessionStore.canonical(address)
    guard canonical.hasPrefix("unix:") else { return nil }
    let path = Array(canonical.utf8.dropFirst(5))
    self.address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &self.address.sun_path) { buffer in
      guard path.count < buffer.count else { return false }
      buffer.copyBytes(from: path)
      return true
    }
    guard fits else { return nil }
  }

  /// Whether a process listens, even with a full backlog.
  var hasListener: Bool {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 || errno == EAGAIN
  }

  /// Whether a process listens at an address (nil: the environment's), even with a full backlog.
  package static func hasListener(_ address: String?) -> Bool {
    Self(address ?? SessionStore.environmentAddress())?.hasListener ?? false
  }
}
