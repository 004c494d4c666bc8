import Dispatch
import Glibc

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
  func wait(atMost limit: Duration) async -> Bool {
    let deadline = Deadline(after: limit)
    while true {
      // The wait closes a descriptor of its own when it ends, whichever way.
      let copy = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1
      guard copy >= 0 else {
        await deadline.onPassing {}.value
        return false
      }
      let reading = Reading(copy)
      let alarm = deadline.onPassing { reading.end() }
      await reading.value()
      alarm.cancel()
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

/// One wait for a descriptor, which it closes: ended by what comes first, something to read or `end`.
private final class Reading: @unchecked Sendable {  // a dispatch source may be used from any thread
  private let descriptor: Int32
  private let source: any DispatchSourceRead

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
  }

  func value() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      source.setEventHandler { [source] in source.cancel() }
      // However often it is cancelled, this runs once.
      source.setCancelHandler { [descriptor] in
        close(descriptor)
        continuation.resume()
      }
      source.activate()
    }
  }

  func end() { source.cancel() }
}
