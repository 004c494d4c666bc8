import Glibc
import POSIX
import Pulse

/// Watches the folder of a server's socket. Make it before a connection attempt, so that a socket
/// that appears during the attempt is not missed.
///
/// If the folder does not exist yet, its nearest existing parent is watched. If there is nothing to
/// watch (a network address), only the time limit ends the wait.
struct SocketWatch: ~Copyable {
  /// -1 if there is nothing to watch.
  private let descriptor: Descriptor
  /// The name that must appear in the folder: the socket's, or that of the next folder of its path.
  private let name: String

  /// - Parameter address: the server's canonical address; only `unix:/…` can be watched.
  init(address: String) {
    guard address.hasPrefix("unix:") else {
      descriptor = Descriptor(owning: -1)
      name = ""
      return
    }
    let place = Self.place(of: address.dropFirst(5))
    descriptor = Descriptor(
      owning: FolderWatch.descriptor(of: place.folder, for: .appearing) ?? -1)
    name = place.name
  }

  /// Waits until the name appears in the folder or the time limit passes; true if it appeared.
  func wait(atMost limit: Duration, on loop: PulseLoop) async -> Bool {
    let deadline = Deadline(after: limit)
    while true {
      // The wait closes its own copy of the descriptor in any case.
      let copy = fcntl(descriptor.raw, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else {
        await deadline.pass(on: loop)
        return false
      }
      let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
      let watch = DescriptorWatch(copy, on: loop, isOnce: true) { wake.finish() }
      let alarm = deadline.onPassing(on: loop) { wake.finish() }
      for await _ in wakes {}
      withExtendedLifetime(watch) { alarm.cancel() }
      if FolderWatch.names(in: descriptor.raw).contains(name) { return true }
      if deadline.hasPassed { return false }
    }
  }

  /// The nearest existing folder of the socket's path, and the next name in it.
  private static func place(of path: Substring) -> (folder: String, name: String) {
    let parts = path.split(separator: "/")
    for count in stride(from: parts.count - 1, through: 0, by: -1) {
      let folder = "/" + parts[..<count].joined(separator: "/")
      if access(folder, R_OK | X_OK) == 0 { return (folder, String(parts[count])) }
    }
    return ("/", "")
  }
}
