import JSONCoding
import POSIX

/// All that a run has measured, for `--json FILE`.
struct Results: Encodable {
  struct Entry: Encodable {
    var name: String
    var medianSeconds: Double?
    var p95Seconds: Double?
    var p99Seconds: Double?
    var value: Double?
    var residentKiB: Double?
    var note = ""
  }

  private static let entries = Guarded([Entry]())

  private let schema = 1
  private let results: [Entry] = Results.entries.withLock { $0 }

  static func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }

  static func write(to path: String) throws {
    let text = try JSON.encode(Results(), .shown(isOneLine: false) { _ in false })
    try Process.write(String(decoding: text, as: UTF8.self) + "\n", to: path)
  }
}
