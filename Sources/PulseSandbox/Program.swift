internal import Glibc
internal import POSIX

/// Runs a program in a new process group, and collects its output.
///
/// - Parameters:
///   - command: The program, looked up in `PATH`, and its arguments.
///   - adding: Variables to add to those of this process.
///   - input: The standard input; empty means `/dev/null`.
///   - timeout: The time limit. At its end, or when the task is cancelled, the whole group is
///     killed.
///   - limit: How many bytes of each output stream are kept; the rest is read and dropped.
/// - Throws: `commandNotFound`, `spawn`, `timedOut`, and `folder` if the input cannot be written to `/tmp`.
package func runProgram(
  _ command: [String], timeout: Duration, adding variables: [String: String] = [:],
  input: String = "", keeping limit: Int = .max
) async throws(SandboxError) -> CommandResult {
  var launch = try Launch(command, ProcessEnvironment.all.merging(variables) { _, new in new })
  guard !input.isEmpty else { return try await launch.collect(within: timeout, keeping: limit) }
  let text = try temporaryFile(input)
  launch.descriptors = [(0, text.raw)]
  return try await launch.collect(within: timeout, keeping: limit)
}

extension Launch {
  /// - Parameter command: The program, looked up in the environment's `PATH`, and its arguments.
  init(_ command: [String], _ environment: [String: String]) throws(SandboxError) {
    guard let name = command.first,
      let program = File.program(name, path: environment["PATH"] ?? "/usr/bin:/bin")
    else {
      let name = command.first ?? ""
      throw SandboxError(
        .commandNotFound,
        name.contains("/") && File.exists(name)
          ? "'\(name)' cannot be run: it is no executable file"
          : "there is no program '\(name)' on this machine")
    }
    self.init(program: program, arguments: Array(command.dropFirst()), environment: environment)
  }

  /// Runs the program in a new process group, without input if it has none, and collects its output.
  func collect(
    within timeout: Duration, keeping limit: Int = .max
  ) async throws(SandboxError) -> CommandResult {
    var launch = self
    launch.group = .own
    if launch.descriptors.isEmpty { launch.files = [(0, "/dev/null", O_RDONLY)] }
    let capture = try Capture(launch)
    let deadline = ContinuousClock.now + timeout
    return try await PulseSandbox.cancelling(capture.command, with: SIGKILL) {
      () throws(SandboxError) in
      try capture.result(until: deadline, keeping: limit)
    }
  }
}

/// An unnamed file with a text, positioned at its start. Unlike a pipe, it cannot block the writer
/// if the program does not read it.
private func temporaryFile(_ text: String) throws(SandboxError) -> Descriptor {
  var path = Array("/tmp/audiosession-XXXXXX".utf8CString)
  let file = Descriptor(owning: mkstemp(&path))
  guard file.raw >= 0 else { throw .folder("cannot make a file in /tmp", "/tmp") }
  _ = fcntl(file.raw, F_SETFD, FD_CLOEXEC)
  unlink(path)
  do throws(SystemError) { try file.write(text.utf8) } catch {
    throw .folder("cannot write to /tmp", "/tmp", error)
  }
  lseek(file.raw, 0, SEEK_SET)
  return file
}
