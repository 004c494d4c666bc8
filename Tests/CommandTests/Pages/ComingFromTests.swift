import FoundationEssentials
import TestSupport
import Testing

/// Every name that the page "Coming from AVAudioSession" promises is in the sources.
@Suite("Coming from AVAudioSession")
struct ComingFromTests {
  /// The lines of all sources of the library.
  private static func sources() throws -> [String] {
    try ["AudioSession", "SessionCore", "PulseTypes", "SessionProfiles"].flatMap { target in
      let folder = "\(packageFolder)/Sources/\(target)"
      return try FileManager.default.subpathsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".swift") }
        .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
    }
  }

  /// The last two names of each link of the page: a type and its member, or a type alone.
  private static func promises() throws -> [(type: String?, name: String)] {
    let page = try String(
      contentsOfFile:
        "\(packageFolder)/Sources/AudioSession/AudioSession.docc/ComingFromAVAudioSession.md",
      encoding: .utf8)
    // Code between fences is no link.
    let text = page.split(separator: "```").enumerated().filter { $0.offset % 2 == 0 }
      .map(\.element).joined()
    return text.split(separator: "``", omittingEmptySubsequences: false).enumerated().filter {
      $0.offset % 2 == 1
    }.map {
      let names = $0.element.split(separator: "(")[0].split(separator: "/").map(String.init)
      return (names.dropLast().last, names.last ?? "")
    }
  }

  private static func isDeclared(_ name: String, of type: String?, in files: [String]) -> Bool {
    let words = ["case", "var", "let", "func", "struct", "enum", "actor", "protocol", "init"]
    return files.contains { file in
      guard type.map({ file.contains(word: $0) }) ?? true else { return false }
      return file.split(separator: "\n").contains { line in
        guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { return false }
        return words.contains { String(line).contains(word: $0) }
          && String(line).contains(word: name)
      }
    }
  }

  @Test("each name that the page promises is declared")
  func names() throws {
    let files = try Self.sources()
    let promises = try Self.promises()
    #expect(promises.count > 100)
    for (type, name) in promises {
      #expect(Self.isDeclared(name, of: type, in: files), "\(type ?? "-")/\(name)")
    }
    #expect(!Self.isDeclared("echoCancelling", of: "Capabilities", in: files), "the test can fail")
  }
}

extension String {
  fileprivate func contains(word: String) -> Bool {
    ranges(of: word).contains { range in
      let before = range.lowerBound == startIndex ? " " : self[index(before: range.lowerBound)]
      let after = range.upperBound == endIndex ? " " : self[range.upperBound]
      return !(before.isLetter || before.isNumber || before == "_")
        && !(after.isLetter || after.isNumber || after == "_")
    }
  }
}
