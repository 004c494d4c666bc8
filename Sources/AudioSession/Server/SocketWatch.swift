import Glibc
import Pulse

/// A watch on the folder of a server's socket: begun before a connection is tried, so that a socket
/// which appears meanwhile is not missed.
///
/// Where the folder does not exist yet, its nearest parent is watched; where there is nothing to
/// watch (a network address), only the time wakes.
struct SocketWatch: ~Copyable {
  private let descriptor: Int32
  /// What must appear in the folder: the socket, or the next folder on the way to it.
  private let name: String

  /// - Parameter address: the server's, canonical; only `unix:/…` can be watched.
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

  /// Waits until it appears in the folder, or the time is over; true for the former.
  func wait(atMost limit: Duration, on loop: PulseLoop) async -> Bool {
    let deadline = Deadline(after: limit)
    while true {
      // The wait closes a descriptor of its own when it ends, whichever way.
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

  /// The nearest folder on the way to the socket that exists, and what is next on it.
  private static func place(of path: Substring) -> (folder: String, name: String) {
    let parts = path.split(separator: "/")
    for count in stride(from: parts.count - 1, through: 0, by: -1) {
      let folder = "/" + parts[..<count].joined(separator: "/")
      if access(folder, R_OK | X_OK) == 0 { return (folder, String(parts[count])) }
    }
    return ("/", "")
  }
}
