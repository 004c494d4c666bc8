internal import Glibc
internal import POSIX

/// Connects to the Unix socket at `path`; does not wait for the server to accept.
///
/// Throws `notRunning` if no process listens there.
func connectedSocket(_ path: String, _ kind: __socket_type) throws(SandboxError) -> Descriptor {
  let client = try makeSocket(kind)
  guard try address(path).with({ connect(client.raw, $0, $1) }) == 0 else {
    let error = SystemError.last
    guard [ENOENT, ECONNREFUSED].contains(error.number) else {
      throw .system(.refused, "cannot connect to \(path)", error)
    }
    throw .system(.notRunning, "no process answers at \(path)", error)
  }
  return client
}

/// Listens on a Unix socket at `path` for packets; each keeps its boundaries.
func listeningSocket(_ path: String) throws(SandboxError) -> Descriptor {
  let server = try makeSocket(__socket_type(SOCK_SEQPACKET.rawValue), isBlocking: false)
  guard try address(path).with({ bind(server.raw, $0, $1) }) == 0, listen(server.raw, 16) == 0
  else { throw .folder("cannot listen at \(path)", path) }
  return server
}

private func makeSocket(
  _ kind: __socket_type, isBlocking: Bool = true
) throws(SandboxError) -> Descriptor {
  try attempt(.spawn, "cannot make a socket") { () throws(SystemError) in
    try unixSocket(kind, isBlocking: isBlocking)
  }
}

private func address(_ path: String) throws(SandboxError) -> UnixAddress {
  guard let address = UnixAddress(path) else {
    throw .folder("no socket can be at \(path)", path, SystemError(ENAMETOOLONG))
  }
  return address
}
