internal import Glibc
internal import POSIX

extension SandboxError {
  /// The error of a failed system call.
  static func system(_ code: Code, _ what: String, _ error: SystemError = .last) -> SandboxError {
    SandboxError(code, "\(what): \(error)")
  }

  /// The error of a file or folder that could not be made or written.
  ///
  /// - Parameter path: where that failed.
  static func folder(
    _ what: String, _ path: String, _ error: SystemError = .last
  ) -> SandboxError {
    let remedy = [ENOSPC, EDQUOT].contains(error.number) ? "; make room there" : ""
    return SandboxError(.folder, "\(what): \(error)\(remedy)", value: path)
  }
}

/// The result of a system call, whose error is one of the sandbox.
func attempt<Result: ~Copyable>(
  _ code: SandboxError.Code, _ what: @autoclosure () -> String,
  _ call: () throws(SystemError) -> Result
) throws(SandboxError) -> Result {
  do throws(SystemError) { return try call() } catch { throw .system(code, what(), error) }
}

extension Descriptor {
  /// What another process writes up to a mark, without it; throws `late` at the deadline, and `ended`
  /// at the end of the stream.
  func text(
    upTo mark: String = "\n", until deadline: ContinuousClock.Instant, late: SandboxError,
    ended: SandboxError
  ) throws(SandboxError) -> String {
    var bytes: [UInt8] = []
    while !bytes.reversed().starts(with: mark.utf8.reversed()) {
      let left = milliseconds(until: deadline)
      guard left > 0 else { throw late }
      if poll([.input(raw)], for: left)[0], !read(into: &bytes) { throw ended }
    }
    return String(decoding: bytes.dropLast(mark.utf8.count), as: UTF8.self)
  }

  /// Sends to a socket; false if it failed. (write(2) would raise SIGPIPE if the reader is gone.)
  @discardableResult
  func send(_ bytes: some Collection<UInt8>) -> Bool {
    let bytes = Array(bytes)
    return Glibc.send(raw, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }
}

extension Pipe {
  static func make() throws(SandboxError) -> Pipe {
    try attempt(.spawn, "cannot make a pipe") { () throws(SystemError) in try Pipe() }
  }
}

extension Launch {
  /// Starts the program. The caller must reap the child.
  func start() throws(SandboxError) -> Int32 {
    try attempt(.spawn, "cannot start \(program)", spawn)
  }
}
