import Glibc
import POSIX

/// A copy of standard input in a file without a name: most sound formats cannot be read from a pipe.
final class StandardInput {
  /// The path by which the copy can be opened while this object lives.
  let path: String
  private let file: UnsafeMutablePointer<FILE>

  /// Reads standard input to its end, or until the task is cancelled.
  init() throws(StreamError) {
    guard let file = tmpfile() else {
      throw FileOutput.error("standard input cannot be copied")
    }
    self.file = file
    path = "/proc/self/fd/\(fileno(file))"
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      // A pipe whose writer pauses must not keep a cancelled task.
      let hasNews = poll([.input(0)], for: 100)[0]
      if Task.isCancelled {
        throw StreamError(.fileFailed, "cancelled while standard input was read")
      }
      guard hasNews else { continue }
      let count = read(0, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileOutput.error("standard input cannot be read") }
      guard count > 0 else { break }
      guard fwrite(buffer, 1, count, file) == count else {
        throw FileOutput.error("standard input cannot be copied")
      }
    }
    fflush(file)
  }

  deinit { fclose(file) }
}
