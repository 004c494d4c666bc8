/// The result of a command that has ended.
public struct CommandResult: Sendable, Hashable {
  /// The exit status; 128 + the signal's number if a signal ended the command; -1 if it is unknown,
  /// because this process ignores SIGCHLD.
  public let status: Int32
  /// The standard output. Invalid UTF-8 is replaced.
  public let standardOutput: String
  /// The standard error. Invalid UTF-8 is replaced.
  public let standardError: String
}
