internal import Glibc

/// A system call that failed, by its error number.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  /// The error of this thread's last call.
  package static var last: SystemError { SystemError(errno) }

  /// Whether it says that nothing has this path.
  package var isOfMissingFile: Bool { [ENOENT, ENOTDIR, ENAMETOOLONG].contains(number) }

  /// The C library's words; `strerror` itself shares one buffer among threads.
  package var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      buffer[0] = 0
      _ = strerror_r(number, buffer.baseAddress!, buffer.count)
      return String(cString: buffer.baseAddress!)
    }
  }
}

/// The result of a call, which is repeated if a signal interrupts it.
@discardableResult
package func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemError) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    if errno != EINTR { throw .last }
  }
}
