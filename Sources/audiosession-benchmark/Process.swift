import Glibc

/// A program run to its end, without output, as a shell would time it.
enum Process {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The search path of this process.
  static var searchPath: String { getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin" }

  static func run(_ command: [String], _ environment: [String: String]) throws -> Duration {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var status: Int32 = 0
    let start = ContinuousClock.now
    let process = try spawn(command, environment, &actions)
    waitpid(process, &status, 0)
    let time = ContinuousClock.now - start
    guard status == 0 else {
      throw Failure(description: "\(command.joined(separator: " ")) ended with \(status >> 8)")
    }
    return time
  }

  /// Starts a program.
  static func spawn(
    _ command: [String], _ environment: [String: String],
    _ actions: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    guard posix_spawnp(&process, command[0], &actions, nil, &arguments, &variables) == 0 else {
      throw Failure(description: "cannot run \(command[0])")
    }
    return process
  }

  /// The folder of this program, where its sibling is.
  static var folder: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path = String(
      decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
  }
}
