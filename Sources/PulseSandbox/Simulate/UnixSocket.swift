internal import Glibc
internal import POSIX

/// Connects to the Unix socket at `path`; does not wait for the server to accept.
func connectedSocket(_ path: String, _ kind: __socket_type) throws(SandboxError) -> Descriptor {
  let client = Descriptor(owning: unixSocket(kind))
  guard try address(path).with({ connect(client.raw, $0, $1) }) == 0 else {
    throw .system(.notRunning, "no process answers at \(path)")
  }
  return client
}

/// Listens on a Unix socket at `path` for packets; each keeps its boundaries.
func listeningSocket(_ path: String) throws(SandboxError) -> Descriptor {
  let kind = __socket_type(SOCK_SEQPACKET.rawValue)
  let server = Descriptor(owning: unixSocket(kind, isBlocking: false))
  guard try address(path).with({ bind(server.raw, $0, $1) }) == 0, listen(server.raw, 16) == 0
  else { throw .system(.folder, "cannot listen at \(path)") }
  return server
}

private func address(_ path: String) throws(SandboxError) -> UnixAddress {
  guard let address = UnixAddress(path) else {
    throw .system(.folder, "no socket can be at \(path)", SystemError(ENAMETOOLONG))
  }
  return address
}
