internal import Glibc
internal import POSIX

/// Detects when a server accepts connections.
///
/// PulseAudio loads the native protocol last, so a server that answers has tried every other
/// module. The watch is for the socket's appearance; a connection then shows whether it belongs to
/// the new server, or was left by a killed one. (The server sees a client connect and disconnect.)
struct Readiness: ~Copyable {
  enum Outcome { case ready, died, timedOut }

  private let watch: Descriptor
  private let socket: String

  /// Starts to watch. Make it before the server is started; otherwise its socket may be missed.
  ///
  /// A user may have only a limited number of inotify instances (128 by default) and watches; without
  /// one, this polls.
  init(socket: String, in folder: SandboxFolder) {
    self.socket = socket
    watch = Descriptor(owning: FolderWatch.descriptor(of: folder.path, for: .appearing) ?? -1)
  }

  /// Waits for the first of these: the server answers, the server ends, the deadline.
  func await(_ daemon: Daemon, until deadline: ContinuousClock.Instant) -> Outcome {
    // bind(2) makes an event, but listen(2) a moment later makes none: so this tries again soon
    // after an event, then ever less often.
    let longest = watch.raw >= 0 ? Int32.max / 2 : 16
    var pause = longest
    while true {
      if acceptsConnections(socket) { return .ready }
      let left = milliseconds(until: deadline)
      guard left > 0 else { return .timedOut }
      let happened = poll([.input(watch.raw), daemon.ending], for: min(left, pause))
      if happened[1] { return .died }
      if happened[0] {
        _ = FolderWatch.names(in: watch.raw)
        pause = 1
      } else {
        pause = min(pause, longest / 2) * 2
      }
    }
  }
}

/// Whether a server listens on the Unix socket at `path`.
func acceptsConnections(_ path: String) -> Bool { UnixAddress(path)?.hasListener ?? false }

/// A TCP port of the loopback interface that was free a moment ago.
func freePort() throws(SandboxError) -> Int {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
  let server = try attempt(.spawn, "cannot make a socket") { () throws(SystemError) in
    Descriptor(owning: try retrying { socket(AF_INET, Int32(kind), 0) })
  }
  let result = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(server.raw, $0, size) == 0 ? getsockname(server.raw, $0, &size) : -1
    }
  }
  guard result == 0 else { throw .system(.spawn, "no free TCP port on 127.0.0.1") }
  return Int(in_port_t(bigEndian: address.sin_port))
}
