import Dispatch
import Glibc
import POSIX

/// A process of the program `Bare` that works for each line that it gets, and answers with the time.
final class Outsider: Sendable {
  private let process: pid_t
  private let input: Descriptor
  private let output: Descriptor
  /// Reading blocks, so it has its own thread.
  private let queue = DispatchQueue(label: "outsider")

  init(_ command: [String], _ environment: [String: String]) throws {
    let input = try Pipe()
    let output = try Pipe()
    process = try Process.spawn(
      command, environment, descriptors: [(0, input.reading.raw), (1, output.writing.raw)])
    self.input = input.writing
    self.output = output.reading
  }

  /// Asks for some work; returns how long it took. Throws if it took ten seconds, or the process ended.
  func time(_ work: String) async throws -> Duration {
    let text: String? = await withCheckedContinuation { continuation in
      queue.async { [self] in
        // It knows the work by the first letter.
        try? input.write("\(work.prefix(1))\n".utf8)
        var answer: [UInt8] = []
        var hasEnded = false
        if poll([.input(output.raw)], for: 10_000)[0] {
          hasEnded = !output.read(into: &answer)
        }
        continuation.resume(returning: hasEnded ? nil : String(decoding: answer, as: UTF8.self))
      }
    }
    guard let text else {
      throw Process.Failure(description: "the program that measures '\(work)' has ended")
    }
    guard let time = Int(text.filter(\.isNumber)) else {
      throw Process.Failure(description: "'\(work)' was not over after 10 s")
    }
    return .microseconds(time)
  }

  func end() {
    kill(process, SIGTERM)
    reap(process)
  }
}
