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

/// The bytes that a call reads until the end of a file, or a limit.
///
/// - Parameter call: reads some into the memory of so many bytes, after so many that were read before.
package func readAll(
  atMost limit: Int, _ call: (_ start: UnsafeMutableRawPointer?, _ room: Int, _ count: Int) -> Int
) throws(SystemError) -> [UInt8] {
  var result: [UInt8] = []
  while result.count < limit {
    // Only what is read is touched: most files have a few hundred bytes.
    let room = min(16384, limit - result.count)
    var failure: SystemError?
    let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      let start = UnsafeMutableRawPointer(buffer.baseAddress)
      do throws(SystemError) {
        count = try retrying { call(start, room, result.count) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    if part.isEmpty { break }
    result += part
  }
  return result
}
