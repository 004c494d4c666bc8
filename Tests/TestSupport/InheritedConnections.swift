import Glibc

/// Copies of the descriptors of this process's connections to a server, such as a child process has that was
/// forked. As long as they are open the server does not see that a connection was closed.
package struct InheritedConnections: ~Copyable {
  private let descriptors: [Int32]

  /// How many connections there are.
  package var count: Int { descriptors.count }

  /// - Parameter server: the server's address, `unix:/...`.
  package init(to server: String) {
    descriptors = (0..<4096).filter { peer(of: $0).map { "unix:" + $0 } == server }
      .map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}

/// The path of the socket that a descriptor is connected to.
private func peer(of descriptor: Int32) -> String? {
  var address = sockaddr_un()
  var size = socklen_t(MemoryLayout<sockaddr_un>.size)
  let isConnected = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
  }
  guard isConnected == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
  return withUnsafePointer(to: &address.sun_path) {
    $0.withMemoryRebound(to: CChar.self, capacity: 108) { String(cString: $0) }
  }
}
