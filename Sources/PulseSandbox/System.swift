@preconcurrency internal import Glibc  // `environ` is a plain C variable

/// Functions of glibc that its headers declare only under _GNU_SOURCE, which Swift's Glibc module
/// does not define. Looked up by name: nil on a glibc that is older than the function.
enum GNU {
  static let pipe2 = function(
    "pipe2", as: (@convention(c) @Sendable (UnsafeMutablePointer<Int32>, Int32) -> Int32).self)

  static let addCloseFrom = function(
    "posix_spawn_file_actions_addclosefrom_np",
    as: (@convention(c) @Sendable (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) ->
      Int32).self)

  /// POSIX_SPAWN_SETSID, hidden by the same macro; a constant of the ABI.
  static let spawnInNewSession: Int32 = 0x80

  private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }
}

/// A file descriptor that is closed when its owner lets go of it.
struct Descriptor: ~Copyable {
  let raw: Int32

  /// Takes over `raw`. Numbers below 3 are moved up, so that a child's 0, 1 and 2 can be filled in
  /// any order even when this process was started with some of its own closed.
  init(owning raw: Int32) {
    guard (0...2).contains(raw) else {
      self.raw = raw
      return
    }
    self.raw = fcntl(raw, F_DUPFD_CLOEXEC, 3)
    _ = Glibc.close(raw)
  }

  deinit { _ = Glibc.close(raw) }

  /// Appends the available data; false at the end of the stream.
  func read(into bytes: inout [UInt8]) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { chunk in
      let count = Glibc.read(raw, chunk.baseAddress, chunk.count)
      if count > 0 { bytes.append(contentsOf: chunk[..<count]) }
      return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN))
    }
  }
}

/// A pipe; both ends close on exec, so that only the child they are given to inherits one.
struct Pipe: ~Copyable {
  let reading: Descriptor
  let writing: Descriptor

  init() throws(SandboxError) {
    var ends: [Int32] = [-1, -1]
    // Without pipe2 (never seen) another thread's fork could inherit the ends for a moment.
    let result = GNU.pipe2?(&ends, O_CLOEXEC) ?? Glibc.pipe(&ends)
    guard result == 0 else { throw .system(.spawn, "cannot make a pipe", errno: errno) }
    if GNU.pipe2 == nil { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
    reading = Descriptor(owning: ends[0])
    writing = Descriptor(owning: ends[1])
  }
}

/// The C library's words for an error number; `strerror` itself shares one buffer among threads.
func describe(errno number: Int32) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    buffer[0] = 0
    _ = strerror_r(number, buffer.baseAddress!, buffer.count)
    return String(cString: buffer.baseAddress!)
  }
}

/// The value of an environment variable; nil when it is unset or empty.
func environmentValue(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}

/// This process's environment.
func currentEnvironment() -> [String: String] {
  var result: [String: String] = [:]
  var entry = environ
  while let text = entry.pointee {
    let parts = String(cString: text).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
    entry += 1
  }
  return result
}

/// The milliseconds until `deadline`, rounded up for poll(2); 0 once it has passed.
func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
  let left = ContinuousClock.now.duration(to: deadline)
  guard left > .zero else { return 0 }
  return Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
}

/// An event of a descriptor for which a thread can wait; a negative descriptor never has one.
enum Happening {
  /// There is something to read, or the other end is closed.
  case input(Int32)
  /// The other end is closed, whatever is left to read.
  case end(Int32)
}

/// Waits until one of the events happens; the result shows which, all false at the time limit.
func poll(_ happenings: [Happening], for milliseconds: Int32) -> [Bool] {
  var entries = happenings.map { happening in
    switch happening {
    case .input(let descriptor): pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    case .end(let descriptor): pollfd(fd: descriptor, events: 0, revents: 0)  // POLLHUP: always
    }
  }
  // An interrupted wait looks like one in which nothing happened: callers loop on a deadline.
  guard Glibc.poll(&entries, nfds_t(entries.count), milliseconds) > 0 else {
    return happenings.map { _ in false }
  }
  return entries.map { $0.revents != 0 }
}
