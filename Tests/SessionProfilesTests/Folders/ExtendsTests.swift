import PulseTypes
import SessionCore
import SessionProfiles
import TestSupport
import Testing

/// Profiles that are made of others.
@Suite struct ExtendsTests {
  private let folder = TemporaryFolder()
  private var environment: [String: String] { ["XDG_CONFIG_HOME": folder.path] }

  private func write(_ name: String, _ text: String) {
    folder.write(text, to: "audiosession/profiles/\(name).toml")
  }

  private func path(_ name: String) -> String {
    "\(folder.path)/audiosession/profiles/\(name).toml"
  }

  private func error(_ name: String) throws -> SessionError {
    try #require(throws: SessionError.self) {
      try Profile.named(name, environment: environment)
    }
  }

  @Test func `what a profile leaves open is taken from the one it extends`() throws {
    write("a", "extends = 'b'\nsample-rate = 96000")
    write("b", "extends = 'c'\nsample-rate = 48000\ninput.gain = '50 %'\n[match]\ninputs = ['x']")
    write("c", "description = 'the base'\ncategory = 'record'\ninput.gain = '10 %'")
    let profile = try Profile.named("a", environment: environment)
    #expect(profile.mode.sampleRate == 96000)
    #expect(profile.mode.inputGain == Volume(fraction: 0.5))
    #expect(profile.mode.category == .record)
    #expect(profile.extends == "b")
    // These say something of one file, so they are its own.
    #expect(profile.description == nil)
    #expect(profile.match.isEmpty)
  }

  @Test func `a channel map takes the place of a polar pattern, and the reverse`() throws {
    write("turned", "extends = 'high-quality-stereo'\n[input]\nchannel-map = 'swap'")
    let turned = try Profile.named("turned", environment: environment).mode
    #expect(turned.channelMap == .swap && turned.polarPattern == nil)
    write("stereo", "extends = 'turned'\n[input]\npolar-pattern = 'stereo'")
    let stereo = try Profile.named("stereo", environment: environment).mode
    #expect(stereo.channelMap == nil && stereo.polarPattern == .stereo)
  }

  @Test func `a polar pattern may have its input in the base`() throws {
    write("pattern", "extends = 'device'\ninput.polar-pattern = 'stereo'")
    write("device", "[input]\nprefer = ['default']\nport = ['*']")
    #expect(try Profile.named("pattern", environment: environment).mode.polarPattern == .stereo)
  }

  @Test func `an error of the whole is at the file that says it`() throws {
    write("outer", "extends = 'inner'\n\ninput.polar-pattern = 'stereo'")
    write("inner", "sample-rate = 48000")
    #expect(try error("outer").message.hasPrefix("\(path("outer")):3:1: polar pattern"))
    #expect(try error("outer").code == .missingDataSourceName)
    write("inner", "\nsample-rate = 7")
    #expect(try error("outer").message.hasPrefix("\(path("inner")):2:1: sample-rate is 7 Hz"))
  }

  @Test func `a profile that extends itself`() throws {
    write("me", "# \nextends = 'me'")
    let error = try error("me")
    #expect(error.message == "\(path("me")):2:1: a profile that extends itself: me → me")
    #expect(error.code == .invalidValue)
  }

  @Test func `a cycle of three`() throws {
    write("a", "extends = 'b'")
    write("b", "extends = 'c'")
    write("c", "extends = 'a'")
    #expect(
      try error("a").message
        == "\(path("c")):1:1: a profile that extends itself: a → b → c → a")
  }

  @Test func `a cycle through other spellings of a path`() throws {
    let file = folder.write("extends = '../x/self.toml'", to: "x/self.toml")
    #expect(throws: SessionError.self) { try Profile.named(file, environment: [:]) }
    let plain = folder.write("extends = 'plain'", to: "x/plain.toml")
    let error = try #require(throws: SessionError.self) {
      try Profile.named(plain, environment: [:])
    }
    #expect(error.message == "\(plain):1:1: a profile that extends itself: plain → plain")
  }

  @Test func `a chain without end`() throws {
    for number in 0..<40 { write("p\(number)", "extends = 'p\(number + 1)'") }
    #expect(try error("p0").message.contains("more than 32 deep"))
  }

  @Test func `a missing base, with the nearest names`() throws {
    write("mine", "category = 'record'\nextends = 'podcats'")
    let error = try error("mine")
    #expect(
      error.message
        == "\(path("mine")):2:1: there is no profile 'podcats'; do you mean 'podcast'? "
        + "'audiosession profiles' lists all")
    #expect(error.code == .profileNotFound)
  }

  @Test func `a base beside the file, where the search finds none`() throws {
    folder.write("sample-rate = 48000", to: "project/common.toml")
    let file = folder.write("extends = 'common'", to: "project/mine.toml")
    #expect(try Profile.named(file, environment: environment).mode.sampleRate == 48000)
    write("common", "sample-rate = 96000")
    #expect(try Profile.named(file, environment: environment).mode.sampleRate == 96000)
  }

  @Test func `a file may extend the built-in profile of its name`() throws {
    let file = folder.write("extends = 'podcast'\nsample-rate = 44100", to: "podcast.toml")
    let profile = try Profile.named(file, environment: environment)
    #expect(profile.mode.sampleRate == 44100)
    #expect(profile.mode.category == .record)
  }
}
