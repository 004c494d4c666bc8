import Dispatch
import Glibc
import POSIX
import PulseSandbox

/// The C program of a few lines that stands for the least that libpulse allows: see `Bare/bare.c`.
struct Bare {
  let path: String

  /// Builds the program in a sandbox's folder.
  init(in sandbox: PulseSandbox) throws {
    let source = sandbox.directory + "/bare.c"
    try Process.write(String(decoding: PackageResources.bare_c, as: UTF8.self), to: source)
    path = sandbox.directory + "/bare"
    _ = try Process.run(
      ["clang", "-O2", "-o", path, source, "-lpulse"], ["PATH": Process.searchPath])
  }

  /// Makes changes one at a time, and measures how long each lasts.
  func outsider(_ arguments: [String], _ environment: [String: String]) throws -> Outsider {
    try Outsider([path, "change"] + arguments, environment)
  }
}

/// A process that changes a setting for each line that it gets, waits until it is back, and answers
/// with the time.
final class Outsider: Sendable {
  private let process: pid_t
  private let input: Descriptor
  private let output: Descriptor
  /// Reading blocks, so it has its own thread.
  private let queue = DispatchQueue(label: "outsider")

  fileprivate init(_ command: [String], _ environment: [String: String]) throws {
    let input = try Pipe()
    let output = try Pipe()
    process = try Process.spawn(
      command, environment, descriptors: [(0, input.reading.raw), (1, output.writing.raw)])
    self.input = input.writing
    self.output = output.reading
  }

  /// Makes a change; returns how long it lasted. Throws if it lasted for ten seconds.
  func change(_ kind: Heal.Change) async throws -> Duration {
    let text = await withCheckedContinuation { continuation in
      queue.async { [self] in
        // It knows a change by the first letter.
        try? input.write("\(kind.rawValue.prefix(1))\n".utf8)
        var answer: [UInt8] = []
        if poll([.input(output.raw)], for: 10_000)[0] {
          _ = output.read(into: &answer)
        }
        continuation.resume(returning: String(decoding: answer, as: UTF8.self))
      }
    }
    guard let time = Int(text.filter(\.isNumber)) else {
      throw Process.Failure(description: "a changed \(kind.rawValue) was not put back")
    }
    return .microseconds(time)
  }

  func end() {
    kill(process, SIGTERM)
    reap(process)
  }
}
