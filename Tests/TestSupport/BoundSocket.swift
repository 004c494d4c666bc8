package import Glibc
internal import POSIX

/// A Unix socket at a path, in place of what is there; the caller closes it.
package func boundSocket(_ kind: __socket_type, at path: String) throws -> Int32 {
  unlink(path)
  let socket = Glibc.socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0)
  guard socket >= 0, UnixAddress(path)?.with({ bind(socket, $0, $1) }) == 0
  else { throw SystemError.last }
  return socket
}
