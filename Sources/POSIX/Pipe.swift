internal import Glibc

/// A pipe; both ends close on exec, so that only the child they are given to inherits one.
///
/// Frozen, so that other modules can take one end out of it.
@frozen @usableFromInline package struct Pipe: ~Copyable {
  package let reading: Descriptor
  package let writing: Descriptor

  package init() throws(SystemError) {
    let ends = try Self.rawEnds()
    reading = Descriptor(owning: ends.reading)
    writing = Descriptor(owning: ends.writing)
  }

  /// The descriptors of a pipe that the caller closes, or keeps until the process ends.
  package static func rawEnds() throws(SystemError) -> (reading: Int32, writing: Int32) {
    guard let pipe2 = GNU.pipe2 else { throw SystemError(ENOSYS) }
    var ends: [Int32] = [-1, -1]
    try retrying { pipe2(&ends, O_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
