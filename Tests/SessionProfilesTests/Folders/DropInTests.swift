import PulseTypes
import SessionCore
import SessionProfiles
import TestSupport
import Testing

/// Files that change a profile without replacing it.
@Suite struct DropInTests {
  private let folder = TemporaryFolder()
  private var environment: [String: String] {
    ["XDG_CONFIG_HOME": "\(folder.path)/home", "XDG_CONFIG_DIRS": "\(folder.path)/system"]
  }

  @discardableResult
  private func write(_ text: String, _ place: String, _ name: String) -> String {
    folder.write(text, to: "\(place)/audiosession/profiles/\(name)")
  }

  @Test func `they count before the profile, the last by name most`() throws {
    write("category = \"record\"\nsample-rate = 8000\n[input]\ngain = \"10 %\"", "system", "x.toml")
    write("sample-rate = 16000", "system", "x.toml.d/10-rate.toml")
    write("sample-rate = 48000\ndescription = \"mine\"", "home", "x.toml.d/20-rate.toml")
    let profile = try Profile.named("x", environment: environment)
    #expect(profile.mode.sampleRate == 48000)
    #expect(profile.mode.category == .record)
    #expect(profile.mode.inputGain == Volume(fraction: 0.1))
    #expect(profile.description == "mine")
  }

  @Test func `many of them are no chain of many profiles`() throws {
    for number in 10..<50 { write("", "home", "x.toml.d/\(number).toml") }
    write("extends = \"podcast\"", "home", "x.toml")
    #expect(try Profile.named("x", environment: environment).mode.sampleRate == 48000)
  }

  @Test func `of two with one name the nearer folder's counts`() throws {
    write("sample-rate = 8000", "system", "x.toml")
    write("sample-rate = 16000", "system", "x.toml.d/rate.toml")
    write("", "home", "x.toml.d/rate.toml")
    #expect(try Profile.named("x", environment: environment).mode.sampleRate == 8000)
  }

  @Test func `a built-in profile can be changed, and what is extended`() throws {
    write("[input]\ngain = \"50 %\"", "home", "podcast.toml.d/gain.toml")
    write("extends = \"podcast\"", "home", "mine.toml")
    for name in ["podcast", "mine"] {
      let profile = try Profile.named(name, environment: environment)
      #expect(profile.mode.inputGain == Volume(fraction: 0.5))
      #expect(profile.mode.sampleRate == 48000)
    }
  }

  @Test func `a key of [match] replaces that key, also with nothing`() throws {
    write("[match]\ninputs = [\"a\"]\noutputs = [\"b\"]", "system", "x.toml")
    write("[match]\ninputs = [\"c\"]", "home", "x.toml.d/m.toml")
    #expect(
      try Profile.named("x", environment: environment).match
        == ProfileMatch(inputs: ["c"], outputs: ["b"]))
    write("[match]\ninputs = []\noutputs = []", "home", "x.toml.d/m.toml")
    #expect(try Profile.named("x", environment: environment).match.isEmpty)
  }

  @Test func `what is wrong is said with its file; extends is`() throws {
    write("", "home", "x.toml")
    let bad = write("\nsample-rate = \"x\"", "home", "x.toml.d/a.toml")
    let error = try #require(throws: SessionError.self) {
      try Profile.named("x", environment: environment)
    }
    #expect(error.message.hasPrefix("\(bad):2:"))
    write("extends = \"podcast\"", "home", "x.toml.d/a.toml")
    let extended = try #require(throws: SessionError.self) {
      try Profile.named("x", environment: environment)
    }
    #expect(extended.message.contains("cannot extend"))
  }

  @Test func `a part need not be whole, the whole must`() throws {
    write("[input]\nprefer = [\"a\"]\nport = [\"b\"]", "home", "x.toml")
    let part = write("[input]\npolar-pattern = \"stereo\"", "home", "x.toml.d/a.toml")
    #expect(Profile.check(file: part, environment: environment) == [])
    #expect(try Profile.named("x", environment: environment).mode.polarPattern == .stereo)
    write("[input]\nprefer = [\"a\"]", "home", "x.toml")
    let error = try #require(throws: SessionError.self) {
      try Profile.named("x", environment: environment)
    }
    #expect(error.message.hasPrefix(part))
  }

  @Test func `a check of the whole finds what a drop-in asks of it, and each mistake once`() throws
  {
    let whole = write("[input]\nprefer = [\"a\"]", "home", "x.toml")
    let part = write("[input]\npolar-pattern = \"stereo\"", "home", "x.toml.d/a.toml")
    let mistakes = Profile.check(file: "x", environment: environment)
    #expect(mistakes.map(\.file) == [part])
    write("sample-rate = 1\n[input]\nprefer = [\"a\"]", "home", "x.toml")
    #expect(Profile.check(file: "x", environment: environment).count { $0.file == whole } == 1)
  }

  @Test func `profiles that are saved at once are each whole`() async throws {
    let environment = environment
    await withTaskGroup { group in
      for number in 0..<40 {
        group.addTask {
          _ = try? Profile.save(
            "sample-rate = \(8000 + number)", as: "p\(number)", overwrite: true,
            environment: environment)
        }
      }
    }
    for number in 0..<40 {
      let profile = try Profile.named("p\(number)", environment: environment)
      #expect(profile.mode.sampleRate == 8000 + number)
    }
  }

  @Test func `a profile by its path has none, and they are no profiles`() throws {
    let path = write("sample-rate = 8000", "home", "x.toml")
    write("sample-rate = 16000", "home", "x.toml.d/a.toml")
    #expect(try Profile.named(path, environment: environment).mode.sampleRate == 8000)
    #expect(Profile.all(environment: environment).filter { $0.name == "a" } == [])
  }
}
