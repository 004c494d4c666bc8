internal import Glibc

/// A connection to a server's command language.
struct ServerCommands: ~Copyable {
  private let connection: Descriptor

  init(path: String) throws(SandboxError) {
    connection = try connectedSocket(path, SOCK_STREAM)
  }

  /// Runs the lines; an error has what the server wrote.
  func run(_ lines: [String], until deadline: ContinuousClock.Instant) throws(SandboxError) {
    // The word that makes it ask for each line, as it asks a person.
    guard send(Array("hello\n".utf8)) else { throw ended }
    _ = try answer(until: deadline)
    for line in lines {
      // A line's end ends a command, and so would one inside of it.
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

  /// What the server writes until it asks for the next line; a command that worked writes nothing.
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
