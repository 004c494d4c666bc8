import Foundation
import Testing

/// Each thing has one room: what is known in one place is asked for by name everywhere else.
@Suite struct RoomTests {
  /// The lines of the sources that a pattern finds, as `path: line`, but for some targets and files.
  private func lines(_ pattern: String, except rooms: [String]) throws -> [String] {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let files = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String }
    let expression = try Regex(pattern)
    var result: [String] = []
    for file in files ?? []
    where file.hasSuffix(".swift") && !rooms.contains(where: file.hasPrefix) {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains(expression) {
        result.append("\(file): \(line.drop { $0 == " " })")
      }
    }
    return result
  }

  @Test func `the kind of server is asked for in one place, and in five others at most`() throws {
    let rooms = [
      "SessionCore/Server/ServerTraits.swift", "PulseTypes/ServerInfo.swift", "PulseSandbox/",
      "audiosession-benchmark/",
    ]
    let places = try lines(#"server\.kind|== \.(pipewire|pulseaudio)\b"#, except: rooms)
    #expect(places.count <= 5, "\(places.joined(separator: "\n"))")
    #expect(try !lines(#"server\.kind"#, except: []).isEmpty)
  }
}
