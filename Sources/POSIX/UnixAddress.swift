package import Glibc

package struct UnixAddress {
  private var address = sockaddr_un()
  private let length: socklen_t

  /// The address of a path, or of a name outside the file system if it begins with `@`; nil if it
  /// is too long.
  package init?(_ path: String) {
    let isAbstract = path.hasPrefix("@")
    let bytes = isAbstract ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
    address.sun_family = sa_family_t(AF_UNIX)
    let size = MemoryLayout.size(ofValue: address.sun_path)
    guard bytes.count < size else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    // The zero byte of an abstract name is part of it, and one at its end would be, too.
    length = socklen_t(
      isAbstract
        ? MemoryLayout<sa_family_t>.size + bytes.count : MemoryLayout<sockaddr_un>.size)
  }

  /// Calls `bind`, `connect` or the like with the address.
  package func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// Whether a process listens, even with a full backlog.
  package var hasListener: Bool {
    // Not blocking: a stopped server leaves its queue full, which is EAGAIN.
    guard let client = try? unixSocket(SOCK_STREAM, isBlocking: false) else { return false }
    return with { connect(client.raw, $0, $1) } == 0 || errno == EAGAIN
  }
}

/// A Unix socket that children do not inherit.
package func unixSocket(
  _ kind: __socket_type, isBlocking: Bool = true
) throws(SystemError) -> Descriptor {
  let flags = SOCK_CLOEXEC.rawValue | (isBlocking ? 0 : SOCK_NONBLOCK.rawValue)
  return Descriptor(owning: try retrying { socket(AF_UNIX, Int32(kind.rawValue | flags), 0) })
}
