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

  @Test func `one that is there stays, unless it is to be replaced`() throws {
    try Profile.save("sample-rate = 48000", as: "mine", environment: environment)
    let error = try #require(throws: SessionError.self) {
      try Profile.save("", as: "mine", environment: environment)
    }
    #expect(error.message.hasPrefix("there is a profile \"mine\" already: /"))
    try Profile.save("", as: "mine", overwrite: true, environment: environment)
    #expect(try Profile.text("mine", environment: environment) == "")
  }

  @Test(arguments: ["", ".", "..", ".hidden", "a/b", "../a", "a\nb", "a\0b"])
  func `a name must be one of a file`(_ name: String) throws {
    let error = try #require(throws: SessionError.self) {
      try Profile.save("", as: name, environment: environment)
    }
    #expect(error.code == .invalidValue)
    #expect(error.message.contains("is no name for a profile"))
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
