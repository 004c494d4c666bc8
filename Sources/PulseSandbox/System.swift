internal import POSIX

extension SandboxError {
  /// The error of a failed system call.
  static func system(_ code: Code, _ what: String, _ error: SystemError = .last) -> SandboxError {
    SandboxError(code, "\(what): \(error)")
  }
}

/// The result of a system call, whose error is one of the sandbox.
func attempt<Result: ~Copyable>(
  _ code: SandboxError.Code, _ what: @autoclosure () -> String,
  _ call: () throws(SystemError) -> Result
) throws(SandboxError) -> Result {
  do throws(SystemError) { return try call() } catch { throw .system(code, what(), error) }
}

extension Pipe {
  static func make() throws(SandboxError) -> Pipe {
    try attempt(.spawn, "cannot make a pipe") { () throws(SystemError) in try Pipe() }
  }
}

extension Launch {
  /// Starts the program. The caller must reap the child.
  func start() throws(SandboxError) -> Int32 {
    try attempt(.spawn, "cannot start \(program)", spawn)
  }
}
