/// Says why a sandbox could not do what was asked, and what would help.
public struct SandboxError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure this is; callers branch on it, people read ``message``.
  public enum Code: String, Sendable, CaseIterable {
    /// No `pulseaudio` program on this machine: install the package.
    case programMissing
    /// The sandbox's folder or a file in it could not be made: fix the machine.
    case folder
    /// A process could not be started: the machine is out of something; try again.
    case spawn
    /// A line of ``SandboxConfiguration/modules`` or ``SandboxConfiguration/commands`` failed.
    case configuration
    /// The server ended while something was waiting for it.
    case serverDied
    /// A deadline passed.
    case timedOut
    /// The sandbox has no running server: it was killed or terminated; restart it.
    case notRunning
    /// The sandbox was closed: start a new one.
    case closed
    /// The command to run inside was not found, or is not executable.
    case commandNotFound
    /// The sandbox has no device, card or port of that name, or several: see ``message``.
    case noSuchDevice
    /// The server did not do what a fault needs.
    case refused
  }

  /// The kind of failure.
  public let code: Code
  /// What went wrong, with the value that did; one sentence, and the server's own words below it.
  public let message: String
  /// What to do about it; nil if there is nothing to advise.
  public let remedy: String?

  init(_ code: Code, _ message: String, remedy: String? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// The message, and the remedy on a line of its own.
  public var description: String {
    remedy.map { "\(message)\n\($0)" } ?? message
  }
}

extension SandboxError {
  /// A failed system call, with the C library's words for `errno`.
  static func system(_ code: Code, _ what: String, errno number: Int32) -> SandboxError {
    SandboxError(code, "\(what): \(describe(errno: number))")
  }
}
