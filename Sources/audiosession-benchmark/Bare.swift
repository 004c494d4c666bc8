import Dispatch
import Glibc
import PulseSandbox

/// The C program of a few lines that stands for the least that libpulse allows: see `Bare/bare.c`.
struct Bare {
  let path: String

  /// Builds the program in a sandbox's folder.
  init(in sandbox: PulseSandbox) throws {
    let source = sandbox.directory + "/bare.c"
    guard let file = fopen(source, "we") else { throw Process.Failure(description: source) }
    fwrite(PackageResources.bare_c, 1, PackageResources.bare_c.count, file)
    fclose(file)
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
  private let input: Int32
  private let output: Int32
  /// Reading blocks, so it has its own thread.
  private let queue = DispatchQueue(label: "outsider")

  fileprivate init(_ command: [String], _ environment: [String: String]) throws {
    var (down, up): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&down) == 0, pipe(&up) == 0 else { throw Process.Failure(description: "no pipe") }
    for end in down + up { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, down[0], 0)
    posix_spawn_file_actions_adddup2(&actions, up[1], 1)
    process = try Process.spawn(command, environment, &actions)
    close(down[0])
    close(up[1])
    (input, output) = (down[1], up[0])
  }

  /// Makes a change; returns how long it lasted. Throws if it lasted for ten seconds.
  func change(_ kind: Heal.Change) async throws -> Duration {
    let text = await withCheckedContinuation { continuation in
      queue.async { [input, output] in
        _ = write(input, kind.word + "\n", 2)
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = poll(&ready, 1, 10_000) == 1 ? read(output, &buffer, buffer.count) : 0
        continuation.resume(returning: String(decoding: buffer[..<max(0, count)], as: UTF8.self))
      }
    }
    guard let time = Int(text.filter(\.isNumber)) else {
      throw Process.Failure(description: "a changed \(kind.name) was not put back")
    }
    return .microseconds(time)
  }

  func end() {
    close(input)
    kill(process, SIGTERM)
    waitpid(process, nil, 0)
    close(output)
  }
}
