import Glibc
import SessionCore
import SessionProfiles
import TestSupport
import Testing

/// Files that are no profiles.
@Suite struct FileTests {
  private let folder = TemporaryFolder()

  private func error(_ path: String) throws -> SessionError {
    try #require(throws: SessionError.self) { try Profile.named(path, environment: [:]) }
  }

  @Test func `an empty file is a valid, empty mode`() throws {
    let profile = try Profile.named(folder.write("", to: "empty.toml"), environment: [:])
    #expect(profile.mode == AudioMode())
    #expect(profile.name == "empty")
    #expect(profile.source == .file(folder.path + "/empty.toml"))
  }

  @Test func `a file that is not there`() throws {
    let error = try error("/nowhere/at/all.toml")
    #expect(error.message == "/nowhere/at/all.toml: there is no such file")
    #expect(error.code == .profileNotFound)
  }

  @Test func `a directory`() throws {
    let error = try error(folder.path)
    #expect(error.message == "\(folder.path): this is a directory; a profile is a file")
    #expect(error.code == .invalidValue)
  }

  @Test func `a binary file`() throws {
    let path = folder.write([0x7F, 0x45, 0x0A, 0x00, 0xFF], to: "program.toml")
    let error = try error(path)
    #expect(
      error.message == "\(path):2:1: this is not a text file: there is a NUL byte in this line")
    #expect(error.code == .invalidValue)
  }

  @Test func `a file in another encoding`() throws {
    let path = folder.write(
      Array("category = 'record'\ndescription = '".utf8) + [0xFC] + Array("'\n".utf8),
      to: "latin.toml")
    let error = try error(path)
    #expect(error.message == "\(path):2:1: this line is not UTF-8; a profile must be")
    #expect(error.code == .invalidValue)
  }

  @Test func `a file over 1 MiB`() throws {
    let path = folder.write(String(repeating: "#", count: (1 << 20) + 1), to: "long.toml")
    let error = try error(path)
    #expect(error.message == "\(path): this file is longer than 1 MiB; no profile is")
    #expect(error.code == .invalidValue)
    #expect(throws: SessionError.self) { try Profile.named("/dev/zero", environment: [:]) }
  }

  /// Permissions do not stop root, so the file is one that nobody can read from its beginning.
  @Test func `a file that cannot be read`() throws {
    let path = "/proc/self/mem"
    let error = try error(path)
    #expect(error.message == "\(path): this file cannot be read: Input/output error")
    #expect(error.code == .invalidValue)
  }

  @Test func `a path with a NUL in it names nothing`() throws {
    let path = folder.write("", to: "a.toml")
    #expect(try error(path + "\0b").code == .profileNotFound)
  }
}
