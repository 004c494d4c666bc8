/// An error of a sandbox: what failed and why, and what would help.
public struct SandboxError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for callers; ``message`` is for users. Later versions may have more.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Code: String, Sendable, CaseIterable {
    /// A program of the server, or one that a fault needs, is not on this machine: install the package.
    case programMissing
    /// The sandbox's folder or a file in it could not be created: fix the machine.
    case folder
    /// A process, a thread or a socket could not be made: the machine is out of a resource; try again.
    case spawn
    /// A line of ``SandboxConfiguration/modules`` or ``SandboxConfiguration/commands`` failed.
    case configuration
    /// The server ended while a call waited for it.
    case serverDied
    /// A deadline passed.
    case timedOut
    /// The sandbox has no running server, because it was killed or terminated: restart it.
    case notRunning
    /// The sandbox was closed: start a new one.
    case closed
    /// The command to run was not found, or is not executable.
    case commandNotFound
    /// The sandbox has no device, card or port of that name, or several: see ``message``.
    case noSuchDevice
    /// The server refused what a fault needs, or a socket of the sandbox refused the connection.
    case refused
  }

  /// The kind of failure.
  public let code: Code
  /// What failed, with the value, in one sentence, followed by the server's own words.
  public let message: String
  /// What to do about it; nil if there is no advice.
  public let remedy: String?
  /// The name that the sandbox does not have, or the file or folder that could not be made or written; nil of
  /// other failures.
  package let value: String?
  /// The names that it has.
  package let alternatives: [String]

  /// Makes the error of a name that the sandbox does not have.
  init(noSuch what: String, _ name: String, has names: [String]) {
    (code, message) = (.noSuchDevice, "there is no \(what) '\(name)' in the sandbox")
    remedy = "it has: " + names.joined(separator: ", ")
    (value, alternatives) = (name, names)
  }

  init(
    _ code: Code, _ message: String, remedy: String? = nil, value: String? = nil,
    alternatives: [String] = []
  ) {
    self.code = code
    self.message = message
    self.remedy = remedy
    self.value = value
    self.alternatives = alternatives
  }

  /// The message, and the remedy on a separate line.
  public var description: String {
    remedy.map { "\(message)\n\($0)" } ?? message
  }
}
