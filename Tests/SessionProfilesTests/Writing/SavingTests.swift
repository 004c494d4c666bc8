import Glibc
import POSIX
import SessionCore
import SessionProfiles
import TestSupport
import Testing

/// Profiles that a person saves.
@Suite struct SavingTests {
  private let folder = TemporaryFolder()
  private var environment: [String: String] { ["XDG_CONFIG_HOME": "\(folder.path)/deep/config"] }

  @Test func `a saved profile is found by its name`() throws {
    let path = try Profile.save("sample-rate = 48000", as: "mine", environment: environment)
    #expect(path == "\(folder.path)/deep/config/audiosession/profiles/mine.toml")
    let profile = try Profile.named("mine", environment: environment)
    #expect(profile.mode.sampleRate == 48000)
    #expect(profile.source == .file(path))
    #expect(try Profile.text("mine", environment: environment) == "sample-rate = 48000")
  }

  @Test func `one with a mistake is not saved, wherever it shows`() {
    for text in ["sample-rate = 0", "extends = 'nowhere'", "extends = 'mine'"] {
      #expect(throws: SessionError.self) {
        try Profile.save(text, as: "mine", environment: environment)
      }
    }
    #expect(throws: SessionError.self) { try Profile.named("mine", environment: environment) }
  }

  @Test func `one that is there stays, unless it is to be replaced`() throws {
    try Profile.save("sample-rate = 48000", as: "mine", environment: environment)
    let error = try #require(throws: SessionError.self) {
      try Profile.save("", as: "mine", environment: environment)
    }
    #expect(error.message.hasPrefix("there is a profile \"mine\" already: /"))
    try Profile.save("", as: "mine", overwrite: true, environment: environment)
    #expect(try Profile.text("mine", environment: environment) == "")
  }

  @Test func `a link stays, and its file is replaced and keeps its permissions`() throws {
    let path = try Profile.save("", as: "mine", environment: environment)
    let file = folder.write("sample-rate = 44100", to: "dotfiles/mine.toml")
    try #require(unlink(path) == 0 && symlink("../../../../dotfiles/mine.toml", path) == 0)
    for mode: mode_t in [0o600, 0o666] {
      try #require(chmod(file, mode) == 0)
      let text = "sample-rate = 48000  # \(mode)"
      let saved = try Profile.save(text, as: "mine", overwrite: true, environment: environment)
      #expect(saved == path && File.link(path) != nil)
      #expect(folder.text("dotfiles/mine.toml") == text)
      #expect(File.status(file).map { $0.st_mode & 0o777 } == mode)
    }
    #expect(Folder.names(folder.path + "/dotfiles") == ["mine.toml"])
  }

  @Test func `a link without a file counts as a profile, and its file is made`() throws {
    let path = try Profile.save("", as: "mine", environment: environment)
    try #require(unlink(path) == 0 && symlink("\(folder.path)/file", path) == 0)
    let error = try #require(throws: SessionError.self) {
      try Profile.save("", as: "mine", environment: environment)
    }
    #expect(error.message.hasPrefix("there is a profile \"mine\" already: /"))
    #expect(folder.text("file") == nil)
    try Profile.save("# new", as: "mine", overwrite: true, environment: environment)
    #expect(folder.text("file") == "# new" && File.link(path) != nil)
  }

  @Test func `a link to itself, or to no regular file, is replaced itself`() throws {
    let path = try Profile.save("", as: "mine", environment: environment)
    let pipe = folder.path + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    for target in ["mine.toml", pipe] {
      try #require(unlink(path) == 0 && symlink(target, path) == 0)
      try Profile.save("# \(target)", as: "mine", overwrite: true, environment: environment)
      #expect(try Profile.text("mine", environment: environment) == "# \(target)")
    }
    #expect(File.status(pipe)?.isPipe == true)
  }

  @Test(arguments: [
    ("", "it is empty"), (".", "it begins with '.'"), ("..", "it begins with '.'"),
    (".hidden", "it begins with '.'"), ("a/b", "it has a '/'"), ("../a", "it begins with '.'"),
    ("a\nb", "it has a control character"), ("a\0b", "it has a control character"),
    ("a b ", "it begins or ends with a space"), (" a", "it begins or ends with a space"),
  ])
  func `a name must be one of a file`(_ name: String, _ reason: String) throws {
    let error = try #require(throws: SessionError.self) {
      try Profile.save("", as: name, environment: environment)
    }
    #expect(error.code == .invalidValue)
    #expect(error.message.hasSuffix(" is no name for a profile: \(reason)"), "\(error)")
  }

  @Test func `a name can be as long as the rule says`() throws {
    let name = String(repeating: "x", count: 200)
    try Profile.save("", as: name, environment: environment)
    let error = try #require(throws: SessionError.self) {
      try Profile.save("", as: name + "é", environment: environment)
    }
    let reason = " is no name for a profile: it has 202 bytes, and can have at most 200"
    #expect(error.message.hasSuffix(reason), "\(error)")
  }

  @Test(arguments: ["*", "$(id)", "a\\b", "a b", "-x", "Büro (groß)"])
  func `any other name is one`(_ name: String) throws {
    try Profile.save("sample-rate = 48000", as: name, environment: environment)
    #expect(try Profile.named(name, environment: environment).mode.sampleRate == 48000)
  }

  @Test func `a name is not that of its file`() throws {
    let error = try #require(throws: SessionError.self) {
      try Profile.save("", as: "mine.toml", environment: environment)
    }
    #expect(error.code == .invalidValue)
    #expect(error.message == "\"mine.toml\" is no name for a profile; do you mean 'mine'?")
    #expect(!Profile.all(environment: environment).contains { $0.name.hasPrefix("mine") })
  }

  @Test func `a broken text is not saved`() {
    #expect(throws: SessionError.self) {
      try Profile.save("sample-rate = 0", as: "mine", environment: environment)
    }
    #expect(!Profile.all(environment: environment).contains { $0.name == "mine" })
  }

  @Test func `without a place to write to it says so`() throws {
    let homeless = try #require(throws: SessionError.self) {
      try Profile.save("", as: "mine", environment: [:])
    }
    #expect(homeless.code == .storeFailed)
    let file = folder.write("", to: "file")
    let blocked = try #require(throws: SessionError.self) {
      try Profile.save("", as: "mine", environment: ["XDG_CONFIG_HOME": file])
    }
    #expect(blocked.code == .storeFailed)
    #expect(blocked.message.hasSuffix(": Not a directory"))
  }
}
