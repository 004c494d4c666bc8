import AudioSession
import TestSupport
import Testing

@Suite("What can be had on which server")
struct FeatureTests {
  @Test("the table of the documentation is the one that the tests use")
  func table() throws {
    let rows = try #require(Article.named("Servers")).rows(after: "servers")
    func words(_ support: Feature.Support) -> String {
      switch support {
      case .yes: "yes"
      case .no(let reason): reason
      }
    }
    #expect(
      rows
        == Feature.allCases.map { feature in
          "| \(feature.rawValue) | \(words(feature.support(on: .pulseaudio))) | "
            + "\(words(feature.support(on: .pipewire))) |"
        })
  }

  @Test(
    "each row has its test, which runs on the servers that the row names",
    arguments: Feature.allCases)
  func proved(_ feature: Feature) throws {
    let parts = feature.test.split(separator: ".").map(String.init)
    let lines = Article.suite(parts[0])
    let at = try #require(
      parts.count == 1
        ? lines.firstIndex { $0.contains("struct \(parts[0])") }
        : lines.firstIndex { $0.contains("func \(parts[1])(") }, "no test \(feature.test)")
    guard feature.servers.count > 1 else { return }
    // Its arguments are servers, by whatever name the suite has for them.
    let start = lines[..<at].lastIndex { $0.contains("@Test") } ?? at
    let words = ["Feature.", "Place.allCases", "arguments: headsets", "arguments: machines"]
    let text = (parts.count == 1 ? lines : Array(lines[start...at])).joined(separator: " ")
    #expect(
      (words + ["arguments: servers", "arguments: [ServerKind.pulseaudio, .pipewire]"])
        .contains { text.contains($0) }, "\(feature.test) runs on one server only")
  }
}
