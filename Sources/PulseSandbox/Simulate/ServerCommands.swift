internal import Glibc
internal import POSIX

/// A connection to a server's command language.
struct ServerCommands: ~Copyable {
  private let connection: Descriptor

  init(path: String) throws(SandboxError) {
    connection = try connectedSocket(path, SOCK_STREAM)
  }

  /// Runs the lines; an error contains the server's output.
  func run(_ lines: [String], until deadline: ContinuousClock.Instant) throws(SandboxError) {
    // The word that makes the server prompt for each line, as for a person.
    guard connection.send("hello\n".utf8) else { throw ended }
    _ = try answer(until: deadline)
    for line in lines {
      // A newline ends a command, so none may be inside a line.
      let bytes = line.utf8.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
      guard connection.send(bytes + [UInt8(ascii: "\n")]) else { throw ended }
      let answer = try answer(until: deadline)
      guard answer.isEmpty else {
        throw SandboxError(.refused, "the server could not run the line '\(line)': \(answer)")
      }
    }
  }

  /// The server's output up to the next prompt; a command that succeeded prints nothing.
  private func answer(until deadline: ContinuousClock.Instant) throws(SandboxError) -> String {
    let text = try connection.text(
      upTo: ">>> ", until: deadline,
      late: SandboxError(.timedOut, "the server did not answer in time"), ended: ended)
    return text.split(separator: "\n").joined(separator: " ")
  }

  private var ended: SandboxError {
    SandboxError(.serverDied, "the server ended while it was at work")
  }
}
