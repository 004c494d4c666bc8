import ArgumentParser
import Testing

@testable import audiosession

/// Command lines that need no parser (`SessionCommand.plain`): each value is the parser's.
@Suite("Plain command lines")
struct PlainLineTests {
  /// The commands that have such lines, with operands that each accepts.
  private static let plain: [[String]] = [
    [], ["state"], ["stop"], ["revert"], ["devices"], ["profiles"], ["profiles", "list"],
    ["profiles", "show", "podcast"], ["plan", "podcast"], ["apply", "podcast"],
  ]

  @Test("need no parser, also with --json", arguments: plain)
  func need(_ line: [String]) {
    for line in [line, line + ["--json"]] { #expect(AudioSessionCommand.plain(line) != nil) }
  }

  @Test("a line with a word that is no operand is the parser's")
  func refused() {
    for word in ["", "-", "--", "-v", "-\u{301}", "--plain", "--json=true", "--no-json"] {
      for line in Self.plain {
        #expect(AudioSessionCommand.plain(line + [word]) == nil, "\(line) \(word)")
      }
    }
  }

  @Test("what is made, the parser makes, too", arguments: SchemaTests.commands + plain)
  func same(_ command: [String]) {
    for operands in [[], ["podcast"], ["help"], ["list"], ["a b", "c"]] {
      let line = command + operands
      let lines = [[], ["--json"], ["--json", "--json"]].flatMap { places(of: $0, in: line) }
      for line in lines {
        guard let made = AudioSessionCommand.plain(line) else { continue }
        let parsed = try? AudioSessionCommand.parseAsRoot(line)
        // Every stored value; of one that is not set, that it is not.
        #expect(String(describing: made) == parsed.map { String(describing: $0) }, "\(line)")
      }
    }
  }

  private func places(of words: [String], in line: [String]) -> [[String]] {
    (0...line.count).map { Array(line[..<$0]) + words + Array(line[$0...]) }
  }
}
