import POSIX
import TestSupport
import Testing

/// One page of the documentation.
struct Article: Sendable, CustomTestStringConvertible {
  let name: String
  let lines: [String]

  var testDescription: String { name }

  /// Every page of every catalogue.
  static let all: [Article] = {
    let modules = Folder.visibleNames(packageFolder + "/Sources")
    return modules.flatMap { module in
      files(".md", below: "\(packageFolder)/Sources/\(module)/\(module).docc").map {
        Article(name: name(of: $0), lines: lines(of: $0))
      }
    }
  }()

  /// The files of the tests.
  private static let tests = files(".swift", below: packageFolder + "/Tests").sorted()

  /// The files of a folder and of the folders in it.
  private static func files(_ suffix: String, below folder: String) -> [String] {
    Folder.visibleNames(folder).flatMap { name in
      if name.hasSuffix(suffix) { return ["\(folder)/\(name)"] }
      return name.contains(".") ? [] : files(suffix, below: "\(folder)/\(name)")
    }
  }

  private static func name(of path: String) -> String {
    String(path.split(separator: "/").last?.prefix { $0 != "." } ?? "")
  }

  /// The code that the tests have between `: begin` and `end`, each as the page shows it.
  static let snippets: [[String]] = {
    let files = ["ArticleSnippets", "SnippetTests", "SynthesizerSnippetTests"]
    var result: [[String]] = []
    var isInside = false
    for line in files.flatMap(suite) {
      if line.hasPrefix("// "), line.hasSuffix(": begin") {
        isInside = true
        result.append([])
      } else if line == "// end" {
        isInside = false
      } else if isInside {
        result[result.count - 1].append(
          line.hasPrefix("@Test(.server)") ? "@Test" + line.dropFirst(14) : line)
      }
    }
    return result
  }()

  /// What the modules that are documented declare, without its parameters.
  static let declared: Set<String> = {
    let modules = [
      "AudioSession", "AudioStreams", "PulseSandbox", "PulseTypes", "SessionCore",
      "SessionProfiles",
    ]
    return modules.reduce(into: Set(modules + ["init"])) {
      $0.formUnion(declared(below: "\(packageFolder)/Sources/\($1)"))
    }
  }()

  /// The rows of the table after a mark, without its head.
  func rows(after mark: String) -> [String] {
    Array(lines.drop { $0 != "<!-- \(mark) -->" }.dropFirst(3).prefix { $0.hasPrefix("|") })
  }

  static func named(_ name: String) -> Article? { all.first { $0.name == name } }

  /// Whether a suite, which has a file named after it, has such a test.
  static func declaresTest(_ test: String, in suite: String) -> Bool {
    tests.contains { path in
      name(of: path) == suite && lines(of: path).contains { $0.contains("func \(test)(") }
    }
  }

  /// The lines of a suite, which has a file named after it.
  static func suite(_ name: String) -> [String] {
    tests.first { self.name(of: $0) == name }.map(lines) ?? []
  }

  /// The blocks of code in a language.
  func blocks(_ language: String) -> [[String]] {
    var result: [[String]] = []
    var isInside = false
    for line in lines {
      if line == "```\(language)" {
        isInside = true
        result.append([])
      } else if line == "```" {
        isInside = false
      } else if isInside {
        result[result.count - 1].append(line)
      }
    }
    return result
  }

  /// What stands in double back quotes.
  var links: [String] {
    lines.filter { !$0.hasPrefix("```") }.flatMap { line in
      line.split(separator: "``", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
  }

  private static func declared(below folder: String) -> Set<String> {
    let keywords: Set = ["var", "let", "func", "enum", "struct", "actor", "class"]
    return files(".swift", below: folder).reduce(into: []) { result, path in
      var isList = false
      for line in lines(of: path) {
        let words = line.utf8.split { !isPartOfAName($0) }.map { String(Substring($0)) }
        // A list of cases may go on in the next line.
        isList = isList || words.first == "case"
        if isList { result.formUnion(words) }
        isList = isList && line.hasSuffix(",")
        for (word, next) in zip(words, words.dropFirst()) where keywords.contains(word) {
          result.insert(next)
        }
      }
    }
  }

  private static func isPartOfAName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The lines of a file; none if there is no such file.
  private static func lines(of path: String) -> [String] {
    let text = File.text(path)
    return text.isEmpty
      ? [] : text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
