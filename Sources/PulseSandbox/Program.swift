internal import Glibc

/// Runs a program without input, in a process group of its own, and collects what it writes.
///
/// - Parameters:
///   - command: The program, looked up in `PATH`, and its arguments.
///   - timeout: How long it may take; then its whole group is killed.
/// - Throws: `commandNotFound`, `spawn`, `timedOut`.
package func runProgram(
  _ command: [String], timeout: Duration
) async throws(SandboxError) -> CommandResult {
  let environment = currentEnvironment()
  guard let name = command.first,
    let program = executable(name, path: environment["PATH"] ?? "/usr/bin:/bin")
  else {
    throw SandboxError(
      .commandNotFound, "there is no program '\(command.first ?? "")' on this machine")
  }
  let launch = Launch(
    program: program, arguments: Array(command.dropFirst()), environment: environment,
    files: [(0, "/dev/null", O_RDONLY)], group: .own)
  let capture = try Capture(launch)
  let deadline = ContinuousClock.now + timeout
  return try await onOwnThread { () throws(SandboxError) in try capture.result(until: deadline) }
}
