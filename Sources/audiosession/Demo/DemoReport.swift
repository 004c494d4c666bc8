import AudioSession
import JSONCoding

struct DemoStep: EncodableWithNulls, Sendable {
  let step: String
  let ok: Bool
  let text: String
  /// The measured time.
  var seconds: Double?
}

/// `demo --json`
struct DemoReport: Encodable, Sendable {
  struct Server: Encodable, Sendable {
    let kind: ServerKind
    let name: String
    let version: String
  }

  let schema = 1
  let server: Server
  let steps: [DemoStep]
  let ok: Bool
}
