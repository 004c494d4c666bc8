import POSIX
import TestSupport
import Testing

/// The texts that the fuzzer found to reach most of the code (`Tests/Fuzz/run`), and those that once
/// broke something.
@Suite struct CorpusTests {
  private static let folder = packageFolder + "/Tests/Fuzz/Corpus"
  private static let files = Folder.visibleNames(folder)

  @Test func `there is a corpus`() { #expect(Self.files.count >= 50) }

  @Test(arguments: files) func `what holds of any profile holds of`(_ file: String) throws {
    let bytes = try File.bytes(of: "\(Self.folder)/\(file)")
    let text = try #require(String(validating: bytes, as: UTF8.self), "not a text")
    #expect(ProfileProperties.violation(of: text) == nil)
  }
}
