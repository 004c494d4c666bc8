import AudioSession
import Testing

@Suite("What can be had on which server")
struct FeatureTests {
  @Test("the table in README.md is the one that the tests go by")
  func readme() {
    let rows = ReadmeTests.block(after: "<!-- servers -->").dropFirst(2)
    func words(_ support: Feature.Support) -> String {
      switch support {
      case .yes: "yes"
      case .no(let reason): reason
      }
    }
    #expect(
      Array(rows)
        == Feature.allCases.map { feature in
          "| \(feature.rawValue) | \(words(feature.support(on: .pulseaudio))) | "
            + "\(words(feature.support(on: .pipewire))) |"
        })
  }
}
