package import Glibc
internal import POSIX

/// A Unix socket at a path, in place of what is there.
package func boundSocket(_ kind: __socket_type, at path: String) throws -> Int32 {
  unlink(path)
  let socket = unixSocket(kind)
  guard UnixAddress(path)?.with({ bind(socket, $0, $1) }) == 0 else { throw SystemError.last }
  return socket
}
