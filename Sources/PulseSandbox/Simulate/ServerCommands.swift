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
    guard send(Array("hello\n".utf8)) else { throw ended }
    _ = try answer(until: deadline)
    for line in lines {
      // A newline ends a command, so none may be inside a line.
      let bytes = line.utf8.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
      guard send(bytes + [UInt8(ascii: "\n")]) else { throw ended }
      let answer = try answer(until: deadline)
      guard answer.isEmpty else {
        throw SandboxError(.refused, "the server could not run the line '\(line)': \(answer)")
      }
    }
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    Glibc.send(connection.raw, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// The server's output up to the next prompt; a command that succeeded prints nothing.
  private func answer(until deadline: ContinuousClock.Instant) throws(SandboxError) -> String {
    let prompt = Array(">>> ".utf8)
    var bytes: [UInt8] = []
    while !bytes.reversed().starts(with: prompt.reversed()) {
      let left = milliseconds(until: deadline)
      guard left > 0 else { throw SandboxError(.timedOut, "the server did not answer in time") }
      guard poll([.input(connection.raw)], for: left)[0] else { continue }
      guard connection.read(into: &bytes) else { throw ended }
    }
    let text = String(decoding: bytes.dropLast(prompt.count), as: UTF8.self)
    return text.split(separator: "\n").joined(separator: " ")
  }

  private var ended: SandboxError {
    SandboxError(.serverDied, "the server ended while it was at work")
  }
}
