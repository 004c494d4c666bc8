import AudioSession
import Glibc
import JSONCoding
import POSIX

/// A file that a trace is written to, a line of JSON an entry.
final class TraceFile: Sendable {
  /// How long an entry may wait for a pipe's reader: the session waits, too.
  private static let patience = Duration.milliseconds(500)

  private let file: Descriptor
  /// Entries are written by the session's thread, events by another one.
  private let turn = Lock()
  /// Called once with the reason for the end of the trace: a line that is cut off would spoil those
  /// behind it.
  private let onFailure: @Sendable (String) -> Void
  private let hasFailed = Guarded(false)

  /// - Parameter replaces: whether an existing file is replaced; a pipe or a device always is written to.
  init(
    _ path: String, replaces: Bool, onFailure: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(SessionError) {
    self.onFailure = onFailure
    try FileGuard.check(path, replaces: replaces)
    do throws(SystemError) {
      file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND)
    } catch {
      throw SessionError(
        .storeFailed, stage: .session, "cannot write the trace \(path): \(error)", value: path)
    }
    var status = stat()
    guard fstat(file.raw, &status) == 0, !status.isRegular else { return }
    _ = fcntl(file.raw, F_SETFL, O_APPEND | O_NONBLOCK)
  }

  func write(_ entry: TraceEntry) {
    let line = TraceLine(time: TimedEvent.now(.applied).time, entry: entry)
    guard var bytes = try? JSON.encode(line) else { return }
    bytes.append(UInt8(ascii: "\n"))
    let failure: SystemError? = turn.withLock {
      guard !hasFailed.withLock({ $0 }) else { return nil }
      do throws(SystemError) {
        try file.write(bytes, until: ContinuousClock.now + Self.patience)
      } catch {
        hasFailed.withLock { $0 = true }
        return error
      }
      return nil
    }
    guard let failure else { return }
    onFailure(failure.number == EAGAIN ? "its reader does not read it" : failure.description)
  }

  /// The lines of a trace; throws with the number of the first that is not one.
  ///
  /// - Returns: the lines, and the number of the last one if the trace was cut off within it.
  static func read(_ path: String) throws -> (lines: [TraceLine], cut: Int?) {
    guard let file = fopen(path, "r") else { throw unreadable(path, .last) }
    defer { fclose(file) }
    var lines: [TraceLine] = []
    var buffer: UnsafeMutablePointer<CChar>?
    var size = 0
    defer { free(buffer) }
    while true {
      let count = getline(&buffer, &size, file)
      guard count > 0, let buffer else {
        guard ferror(file) == 0 else { throw unreadable(path, .last) }
        guard !lines.isEmpty else {
          throw SessionError(
            .invalidValue, stage: .configuration,
            "\(path) is empty, and so no trace; 'watch --trace FILE' writes traces", value: path)
        }
        return (lines, nil)
      }
      let line = UnsafeRawBufferPointer(start: buffer, count: count)
      do {
        lines.append(try JSON.decode(TraceLine.self, from: line))
      } catch {
        if !lines.isEmpty, line.last != UInt8(ascii: "\n") { return (lines, lines.count + 1) }
        throw SessionError(
          .invalidValue, stage: .configuration,
          "\(path):\(lines.count + 1): not a line of a trace, or one of another version; "
            + "'watch --trace FILE' writes traces",
          value: path)
      }
    }
  }

  private static func unreadable(_ path: String, _ error: SystemError) -> SessionError {
    let code: SessionError.Code =
      switch error.number {
      case ENOENT, ENOTDIR: .fileNotFound
      case EACCES, EPERM: .accessDenied
      default: .invalidValue
      }
    return SessionError(
      code, stage: .configuration,
      "cannot read the trace \(path): \(error)", value: path)
  }
}
