import Glibc
import SessionCore
import TestSupport
import Testing

@testable import SessionProfiles

/// What is no file where a profile is looked for.
@Suite struct PipeTests {
  private static let refusal = "this is a pipe or a device that gives no profile; name a file"

  private func message(_ path: String) -> String? {
    do throws(ProfileDiagnostic) {
      _ = try TextFile.read(path)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `a pipe that gives nothing is an error, not a wait`() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/pipe.toml"
    try #require(mkfifo(path, 0o600) == 0)
    #expect(message(path) == Self.refusal)
    // A writer that writes nothing.
    let writer = open(path, O_RDWR | O_CLOEXEC)
    try #require(writer >= 0)
    defer { close(writer) }
    #expect(message(path) == Self.refusal)
    #expect(message("/dev/null") == Self.refusal)
  }

  @Test func `a pipe of another program gives its text`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let text = Array("category = \"record\"\n".utf8)
    #expect(write(ends[1], text, text.count) == text.count)
    close(ends[1])
    defer { close(ends[0]) }
    #expect(try TextFile.read("/dev/fd/\(ends[0])") == "category = \"record\"\n")
  }
}
