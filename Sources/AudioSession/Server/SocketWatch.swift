import Glibc
import Pulse

/// Watches the folder of a server's socket. Make it before a connection attempt, so that a socket
/// that appears during the attempt is not missed.
///
/// If the folder does not exist yet, its nearest existing parent is watched. If there is nothing to
/// watch (a network address), only the time limit ends the wait.
struct SocketWatch: ~Copyable {
  private let descriptor: Int32
  /// The name that must appear in the folder: the socket's, or that of the next folder of its path.
  private let name: String

  /// - Parameter address: the server's canonical address; only `unix:/…` can be watched.
  init(address: String) {
    guard address.hasPrefix("unix:") else {
      (descriptor, name) = (-1, "")
      return
    }
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    let place = Self.place(of: address.dropFirst(5))
    name = place.name
    let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB)
    inotify_add_watch(descriptor, place.folder, mask)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Waits until the name appears in the folder or the time limit passes; true if it appeared.
  func wait(atMost limit: Duration, on loop: PulseLoop) async -> Bool {
    let deadline = Deadline(after: limit)
    while true {
      // The wait closes its own copy of the descriptor in any case.
      let copy = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1
      guard copy >= 0 else {
        await deadline.pass(on: loop)
        return false
      }
      let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
      let watch = DescriptorWatch(copy, on: loop, isOnce: true) { wake.finish() }
      let alarm = deadline.onPassing(on: loop) { wake.finish() }
      for await _ in wakes {}
      withExtendedLifetime(watch) { alarm.cancel() }
      if Watch.names(in: descriptor).contains(name) { return true }
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
