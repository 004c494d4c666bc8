import FoundationEssentials
import TestSupport
import Testing

/// Every name that the page "Coming from AVAudioSession" promises is in the sources.
@Suite("Coming from AVAudioSession")
struct ComingFromTests {
  /// A source file's words, and those on its lines that declare something.
  private struct Source {
    var words: Set<[UInt8]> = []
    var declared: Set<[UInt8]> = []

    private static let keywords = Set(
      ["case", "var", "let", "func", "struct", "enum", "actor", "protocol", "init"]
        .map { Array($0.utf8) })

    init(_ text: String) {
      for line in Array(text.utf8).split(separator: UInt8(ascii: "\n")) {
        let found = Set(line.split { !Self.isOfWord($0) }.map(Array.init))
        words.formUnion(found)
        guard !line.drop(while: { $0 == UInt8(ascii: " ") }).starts(with: "//".utf8),
          !found.isDisjoint(with: Self.keywords)
        else { continue }
        declared.formUnion(found)
      }
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
        true
      default: false
      }
    }
  }

  /// All sources of the library.
  private static func sources() throws -> [Source] {
    try ["AudioSession", "SessionCore", "PulseTypes", "SessionProfiles"].flatMap { target in
      let folder = "\(packageFolder)/Sources/\(target)"
      return try FileManager.default.subpathsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".swift") }
        .map { Source(try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
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

  private static func isDeclared(_ name: String, of type: String?, in files: [Source]) -> Bool {
    files.contains { file in
      (type.map { file.words.contains(Array($0.utf8)) } ?? true)
        && file.declared.contains(Array(name.utf8))
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
