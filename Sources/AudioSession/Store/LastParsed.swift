import POSIX
import SessionCore

/// The last file of a kind that was parsed: a command reads the same bytes several times, and their
/// value depends on nothing else.
final class LastParsed<Value: Sendable>: Sendable {
  private let last = Guarded<(bytes: [UInt8], value: Value)?>(nil)

  /// The value of a file's bytes; errors are not kept, because they name the file.
  func value(
    of bytes: [UInt8], parsing parse: ([UInt8]) throws(SessionError) -> Value
  ) throws(SessionError) -> Value {
    if let known = last.withLock({ $0 }), known.bytes == bytes { return known.value }
    let value = try parse(bytes)
    last.withLock { $0 = (bytes, value) }
    return value
  }
}
