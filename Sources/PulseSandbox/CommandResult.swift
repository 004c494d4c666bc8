/// Tells how a command ended that ran inside a sandbox, and what it wrote.
public struct CommandResult: Sendable, Hashable {
  /// The exit status; 128 + the signal's number for a command that a signal ended.
  public let status: Int32
  /// What it wrote to its standard output. Bytes that are not UTF-8 are replaced.
  public let standardOutput: String
  /// What it wrote to its standard error. Bytes that are not UTF-8 are replaced.
  public let standardError: String
}
