internal import Glibc

/// Connects to the Unix socket at `path`; does not wait for the server to accept.
func connectedSocket(_ path: String, _ kind: __socket_type) throws(SandboxError) -> Descriptor {
  let flags = kind.rawValue | SOCK_CLOEXEC.rawValue
  let client = Descriptor(owning: socket(AF_UNIX, Int32(flags), 0))
  guard withAddress(path, { connect(client.raw, $0, $1) }) == 0 else {
    throw .system(.notRunning, "no process answers at \(path)", errno: errno)
  }
  return client
}

/// Listens on a Unix socket at `path` for packets; each keeps its boundaries.
func listeningSocket(_ path: String) throws(SandboxError) -> Descriptor {
  let flags = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
  let server = Descriptor(owning: socket(AF_UNIX, Int32(flags), 0))
  guard withAddress(path, { bind(server.raw, $0, $1) }) == 0, listen(server.raw, 16) == 0 else {
    throw .system(.folder, "cannot listen at \(path)", errno: errno)
  }
  return server
}

/// Runs `body` with a Unix socket's address; -1 for a path that is too long.
private func withAddress(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let fits = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
    guard path.utf8.count < buffer.count else { return false }
    buffer.copyBytes(from: path.utf8)
    return true
  }
  guard fits else {
    errno = ENAMETOOLONG
    return -1
  }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
