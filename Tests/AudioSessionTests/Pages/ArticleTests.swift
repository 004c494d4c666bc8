import AudioSession
import PulseSandbox
import SessionProfiles
import TestSupport
import Testing

/// The documentation's articles (`Sources/*/*.docc`); `.ci/docs` reads them as DocC does.
@Suite("The articles of the documentation", .timeLimit(.minutes(10)))
struct ArticleTests {
  @Test("show code that is compiled and run", arguments: Article.all)
  func snippets(_ article: Article) throws {
    let tested = Article.snippets
    for block in article.blocks("swift") {
      let code = block.filter { !$0.hasPrefix("import ") }.drop { $0.isEmpty }
      let isTested = tested.contains { $0.elementsEqual(code) }
      #expect(isTested, "\(code.joined(separator: "\n"))")
    }
  }

  @Test("use each snippet of the tests")
  func noSnippetIsLeftOver() {
    let shown = Article.all.flatMap { $0.blocks("swift") }.count
    #expect(Article.snippets.count == shown)
    #expect(shown >= 7)
  }

  @Test("show profiles that can be read", arguments: Article.all)
  func profiles(_ article: Article) throws {
    for block in article.blocks("toml") {
      _ = try Profile.parse(block.joined(separator: "\n"), name: article.name)
    }
  }

  /// Phrases that need a second reading; the page Concepts has the terms.
  private static let phrases = [
    "somebody", "nobody", " anew", "wished", "in force", "made so", "makes it so", "mended",
    "goes on", "is told", "puts it back", "in one breath", "not to be had",
  ]

  @Test("are in plain English", arguments: Article.all)
  func language(_ article: Article) {
    for line in article.lines {
      for phrase in Self.phrases { #expect(!line.lowercased().contains(phrase), "\(line)") }
    }
  }

  @Test("name what is declared", arguments: Article.all)
  func names(_ article: Article) {
    for link in article.links {
      for part in link.split(separator: "/") {
        #expect(Article.declared.contains(String(part.prefix { $0 != "(" })), "\(link)")
      }
    }
  }

  @Test("compare every part of AVAudioSession with ours")
  func comparison() throws {
    let article = try #require(Article.named("ComingFromAVAudioSession"))
    let rows = article.lines.filter { $0.hasPrefix("| `") || $0.hasPrefix("| not there") }
    #expect(rows.count > 150)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.drop { $0 == " " } }
      let isOurs = cells[1].hasPrefix("``")
      // What has nothing here says why.
      #expect(
        isOurs || (cells[1].hasPrefix("none") && cells.count == 3 && !cells[2].isEmpty), "\(row)")
      // A remark names only what is declared here, or what is a row of its own.
      let remark = (cells.count == 3 ? cells[2] : "").replacing("``", with: "")
      let parts = remark.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      for (offset, name) in parts where offset % 2 == 1 && name.allSatisfy(\.isLetter) {
        let isDeclared = Article.declared.contains(String(name))
        #expect(isDeclared || rows.contains { $0.hasPrefix("| `\(name)") }, "\(name) in \(row)")
      }
    }
    let text = article.lines.joined(separator: "\n")
    for value in Category.allCases { #expect(text.contains("``Category/\(value)``")) }
    for value in Mode.allCases { #expect(text.contains("``Mode/\(value)``")) }
    for value in CategoryOption.allCases { #expect(text.contains("``CategoryOption/\(value)``")) }
    for value in PortType.allCases { #expect(text.contains("``PortType/\(value)``")) }
    for value in PolarPattern.allCases { #expect(text.contains("``PolarPattern/\(value)``")) }
    for value in RouteChangeReason.allCases {
      #expect(text.contains("``RouteChangeReason/\(value)``"))
    }
  }

  @Test("and the fault matrix names tests that exist")
  func faultMatrix() throws {
    let rows = try #require(Article.named("FaultMatrix")).rows(after: "fault matrix")
    #expect(rows.count >= 15)
    for row in rows {
      // Idle and applying have a test each; every name is one that a suite declares.
      let cells = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
      #expect(cells.count == 6, "\(row)")
      for cell in cells.dropFirst().prefix(2) { #expect(cell.contains("`"), "\(row)") }
      for name in row.split(separator: "`").filter({ $0.contains("Tests.") }) {
        let parts = name.split(separator: ".")
        #expect(Article.declaresTest(String(parts[1]), in: String(parts[0])), "\(name)")
      }
    }
  }

  @Test("run as they are shown", .server, .timeLimit(.minutes(10)))
  func run() async throws {
    try await Rig.with(.nullDevices) { rig in
      async let following: Void = follow(rig.session)
      try await preview(AudioMode(category: .record), on: rig.session)
      await activate(rig.session, AudioMode(category: .record)).value
      try await apply(profile: "measurement", on: rig.session)
      try await prepareCall(rig.session)
      try await explain(rig.session)
      let state = try await rig.session.getSessionState()
      #expect(state.properties[.category]?.verdict == .applied)
      await rig.session.close()
      await following
    }
  }
}
