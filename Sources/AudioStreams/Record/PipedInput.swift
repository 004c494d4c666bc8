import AudioSession
import Glibc
import POSIX

/// A copy of standard input, or of a named pipe, in a file without a name: most sound formats cannot be
/// read from a pipe.
final class PipedInput {
  /// The path by which the copy can be opened while this object lives.
  let path: String
  private let file: UnsafeMutablePointer<FILE>

  static func pipe(_ name: String, until stop: StopSignal) throws(StreamError) -> PipedInput {
    let pipe: Descriptor
    do throws(SystemError) {
      // Otherwise opening waits for a writer.
      pipe = try Descriptor(opening: name, O_RDONLY | O_NONBLOCK)
    } catch {
      throw FileOutput.error("'\(name)' cannot be read", error)
    }
    return try PipedInput(pipe.raw, "'\(name)'", stop)
  }

  /// Reads to the end, or until it is stopped or the task is cancelled.
  init(_ input: Int32, _ title: String, _ stop: StopSignal) throws(StreamError) {
    guard let file = tmpfile() else {
      throw FileOutput.error("\(title) cannot be copied")
    }
    _ = fcntl(fileno(file), F_SETFD, FD_CLOEXEC)
    self.file = file
    path = "/proc/self/fd/\(fileno(file))"
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      // A pipe whose writer pauses must not keep a task that is to end.
      let hasNews = poll([.input(input)], for: 100)[0]
      if stop.isRaised || Task.isCancelled {
        throw StreamError(.fileFailed, "stopped while \(title) was read")
      }
      guard hasNews else { continue }
      let count = read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else { throw FileOutput.error("\(title) cannot be read") }
      guard count > 0 else { break }
      guard fwrite(buffer, 1, count, file) == count else {
        throw FileOutput.error("\(title) cannot be copied")
      }
    }
    guard fflush(file) == 0 else { throw FileOutput.error("\(title) cannot be copied") }
  }

  deinit { fclose(file) }
}
