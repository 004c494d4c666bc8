import Glibc
import POSIX

/// A program run to its end, without output, as a shell would time it.
enum Process {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static var searchPath: String { ProcessEnvironment["PATH"] ?? "/usr/bin:/bin" }

  static func run(_ command: [String], _ environment: [String: String]) throws -> Duration {
    let start = ContinuousClock.now
    let status = reap(
      try spawn(
        command, environment,
        files: [(1, "/dev/null", O_WRONLY), (2, "/dev/null", O_WRONLY)]))
    let time = ContinuousClock.now - start
    guard status == 0 else {
      throw Failure(description: "\(command.joined(separator: " ")) ended with \(status)")
    }
    return time
  }

  /// Starts a program, which is looked up in the search path.
  static func spawn(
    _ command: [String], _ environment: [String: String],
    descriptors: [(child: Int32, parent: Int32)] = [],
    files: [(child: Int32, path: String, flags: Int32)] = []
  ) throws -> pid_t {
    let launch = Launch(
      program: File.program(command[0], path: searchPath) ?? command[0],
      arguments: Array(command.dropFirst()), environment: environment, descriptors: descriptors,
      files: files)
    guard let process = try? launch.spawn() else {
      throw Failure(description: "cannot run \(command[0])")
    }
    return process
  }

  /// Writes a file for a program.
  static func write(_ text: some StringProtocol, to path: String) throws {
    do throws(SystemError) {
      try File.write(text.utf8, to: path)
    } catch {
      throw Failure(description: "cannot write \(path): \(error)")
    }
  }
}
