package import Glibc

/// A file descriptor that is closed when its owner lets go of it.
@frozen @usableFromInline package struct Descriptor: ~Copyable, Sendable {
  package let raw: Int32

  /// Takes over `raw`. Numbers below 3 are moved up, so that a child's 0, 1 and 2 can be filled in
  /// any order even when this process was started with some of its own closed.
  package init(owning raw: Int32) {
    guard (0...2).contains(raw) else {
      self.raw = raw
      return
    }
    self.raw = fcntl(raw, F_DUPFD_CLOEXEC, 3)
    _ = Glibc.close(raw)
  }

  /// Opens a file, which a child does not inherit.
  package init(opening path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemError) {
    // A path with a zero byte would be cut off there.
    guard !path.utf8.contains(0) else { throw SystemError(ENOENT) }
    self.init(owning: try retrying { open(path, flags | O_CLOEXEC, mode) })
  }

  deinit { _ = Glibc.close(raw) }

  /// Closes it; some systems report a failed write only here.
  package consuming func close() throws(SystemError) {
    let raw = raw
    discard self
    // Not repeated after a signal: the descriptor is closed, and its number may be in use again.
    guard Glibc.close(raw) == 0 || errno == EINTR else { throw .last }
  }

  /// Appends the available data; false at the end of the stream.
  package func read(into bytes: inout [UInt8]) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { chunk in
      let count = Glibc.read(raw, chunk.baseAddress, chunk.count)
      if count > 0 { bytes.append(contentsOf: chunk[..<count]) }
      return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN))
    }
  }

  /// Writes all bytes.
  ///
  /// - Parameter deadline: how long to wait while a non-blocking descriptor has no room. After that, or
  ///   at once without a deadline, the write fails with EAGAIN.
  package func write(
    _ bytes: some Collection<UInt8>, until deadline: ContinuousClock.Instant? = nil
  ) throws(SystemError) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      do throws(SystemError) {
        let count = try retrying {
          rest.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
        }
        guard count > 0 else { throw SystemError(ENOSPC) }
        rest = rest.dropFirst(count)
      } catch {
        guard error.number == EAGAIN, let deadline, ContinuousClock.now < deadline else {
          throw error
        }
        poll([.output(raw)], for: milliseconds(until: deadline))
      }
    }
  }
}
