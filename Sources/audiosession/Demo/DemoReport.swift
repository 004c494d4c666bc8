import AudioSession

/// The result of a step of the demo.
struct DemoStep: Encodable, Sendable {
  let step: String
  let ok: Bool
  let text: String
  /// The measured time.
  var seconds: Double?

  private enum Key: String, CodingKey { case step, ok, text, seconds }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(step, forKey: .step)
    try values.encode(ok, forKey: .ok)
    try values.encode(text, forKey: .text)
    try values.encode(seconds, forKey: .seconds)
  }
}

/// `demo --json`
struct DemoReport: Encodable, Sendable {
  /// The private server.
  struct Server: Encodable, Sendable {
    let kind: ServerKind
    let name: String
    let version: String
  }

  let schema = 1
  let server: Server
  let steps: [DemoStep]
  let ok: Bool

  private enum Key: String, CodingKey { case schema, server, steps, ok }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(schema, forKey: .schema)
    try values.encode(server, forKey: .server)
    try values.encode(steps, forKey: .steps)
    try values.encode(ok, forKey: .ok)
  }
}
