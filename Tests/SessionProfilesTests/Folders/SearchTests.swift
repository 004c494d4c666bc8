import Foundation
import Glibc
import SessionCore
import SessionProfiles
import TestSupport
import Testing

/// Where profiles are looked up, in which order.
@Suite struct SearchTests {
  private let folder = TemporaryFolder()
  private var environment: [String: String] {
    [
      "XDG_CONFIG_HOME": "\(folder.path)/home",
      "XDG_CONFIG_DIRS": "\(folder.path)/one:\(folder.path)/two",
      "HOME": "/nowhere",
    ]
  }

  @discardableResult
  private func write(_ base: String, _ name: String, rate: Int) -> String {
    folder.write(
      "description = 'in \(base)'\nsample-rate = \(rate)",
      to: "\(base)/audiosession/profiles/\(name).toml")
  }

  private func rate(_ name: String) throws -> Int? {
    try Profile.named(name, environment: environment).mode.sampleRate
  }

  @Test func `home, then the system's folders in their order, then built-in`() throws {
    #expect(try Profile.named("podcast", environment: environment).source == .builtIn)
    write("two", "podcast", rate: 8000)
    #expect(try rate("podcast") == 8000)
    write("one", "podcast", rate: 16000)
    #expect(try rate("podcast") == 16000)
    write("home", "podcast", rate: 32000)
    #expect(try rate("podcast") == 32000)
    let found = try Profile.named("podcast", environment: environment)
    #expect(found.source == .file("\(folder.path)/home/audiosession/profiles/podcast.toml"))
    #expect(found.name == "podcast")
  }

  @Test func `a path goes before all of them`() throws {
    write("home", "mine", rate: 8000)
    let path = folder.write("sample-rate = 96000", to: "mine.toml")
    #expect(try Profile.named(path, environment: environment).mode.sampleRate == 96000)
    #expect(try rate("mine") == 8000)
  }

  @Test func `the folders, with the defaults of the specification`() {
    let system = ["/etc/xdg/audiosession/profiles", "/usr/share/audiosession/profiles"]
    #expect(
      Profile.searchPath(environment: ["HOME": "/home/u"])
        == ["/home/u/.config/audiosession/profiles"] + system)
    #expect(Profile.searchPath(environment: [:]) == system)
    #expect(
      Profile.searchPath(environment: ["XDG_CONFIG_HOME": "relative", "XDG_CONFIG_DIRS": "a::b/"])
        == ["/usr/share/audiosession/profiles"])
    #expect(
      Profile.searchPath(environment: ["XDG_CONFIG_HOME": "/c/", "XDG_CONFIG_DIRS": "/d"])
        == [
          "/c/audiosession/profiles", "/d/audiosession/profiles",
          "/usr/share/audiosession/profiles",
        ])
  }

  @Test func `the first found is taken even if it is broken`() throws {
    write("two", "mine", rate: 8000)
    write("one", "mine", rate: 0)
    let error = try #require(throws: SessionError.self) { try rate("mine") }
    #expect(error.message.hasPrefix("\(folder.path)/one/audiosession/profiles/mine.toml:2:1: "))
  }

  @Test func `a link to a missing file is not replaced by another profile of its name`() throws {
    write("two", "podcast", rate: 8000)
    let path = write("one", "other", rate: 8000).replacing("other.toml", with: "podcast.toml")
    try #require(symlink("missing", path) == 0)
    let error = try #require(throws: SessionError.self) { try rate("podcast") }
    #expect(error.code == .profileNotFound)
    #expect(error.message == "\(path): there is no such file")
  }

  /// Permissions do not stop root, so the folder is a link that leads nowhere else than to itself.
  private func loop(_ path: String) throws -> String {
    let whole = "\(folder.path)/\(path)"
    try FileManager.default.createDirectory(
      atPath: String(whole[..<(whole.lastIndex(of: "/") ?? whole.endIndex)]),
      withIntermediateDirectories: true)
    try #require(symlink(whole, whole) == 0)
    return whole
  }

  @Test func `a folder that cannot be read does not count as empty`() throws {
    write("one", "podcast", rate: 16000)
    let path = try loop("home/audiosession/profiles")
    for name in ["podcast", "zzz"] {
      let error = try #require(throws: SessionError.self) { try rate(name) }
      #expect(
        error.message.hasPrefix("\(path): this folder of profiles cannot be read: "), "\(error)")
    }
    let reading = ProfileInventory(environment: environment)
    #expect(reading.unreadable.count == 1)
    #expect(reading.listings.contains { $0.name == "podcast" }, "the other folders are listed")
  }

  @Test func `a folder of drop-ins that cannot be read is an error of its profile`() throws {
    write("home", "mine", rate: 16000)
    let path = try loop("one/audiosession/profiles/mine.toml.d")
    let error = try #require(throws: SessionError.self) { try rate("mine") }
    #expect(error.message.hasPrefix("\(path): this folder of profiles cannot be read: "))
    #expect(Profile.check(file: "mine", environment: environment).count == 1)
  }

  @Test func `a folder that is not there is empty`() throws {
    folder.write("", to: "home")
    #expect(try Profile.named("podcast", environment: environment).source == .builtIn)
    #expect(ProfileInventory(environment: environment).unreadable.isEmpty)
  }

  @Test(arguments: [
    ("podcats", "do you mean 'podcast'? "), ("voicechat", "do you mean 'voice-chat'? "),
    ("podcast.toml", "do you mean 'podcast'? "), ("", ""), ("..", ""), ("zzz", ""),
  ])
  func `no such profile: the nearest names and how to list all`(
    _ name: String, _ hint: String
  ) throws {
    let error = try #require(throws: SessionError.self) { try rate(name) }
    let list = "'audiosession profiles' lists all"
    #expect(error.message == "there is no profile '\(name)'; \(hint)\(list)")
    #expect(error.code == .profileNotFound)
    #expect(error.alternatives.isEmpty == hint.isEmpty)
  }

  @Test func `the list has each name once, and the broken ones with their error`() throws {
    write("home", "podcast", rate: 32000)
    write("two", "podcast", rate: 8000)
    write("one", "broken", rate: -1)
    folder.write("x", to: "one/audiosession/profiles/notes.txt")
    let list = Profile.all(environment: environment)
    #expect(list.map(\.name) == list.map(\.name).sorted())
    #expect(Set(list.map(\.name)).count == list.count)
    let podcast = try #require(list.first { $0.name == "podcast" })
    #expect(podcast.description == "in home")
    #expect(podcast.error == nil)
    let broken = try #require(list.first { $0.name == "broken" })
    #expect(broken.error?.code == .invalidValue)
    #expect(list.contains { $0.name == "voice-chat" && $0.source == .builtIn })
    #expect(!list.contains { $0.name == "notes" })
  }
}
