import AudioStreams
import PulseSandbox
import TestSupport
import Testing

@Suite("A profile for one command's streams", .server, .timeLimit(.minutes(10)))
struct OwnSessionTests {
  private static let own = """
    scope = "application"
    category = "record"
    [input]
    prefer = ["usb_mic"]
    """

  @Test("a command without streams refuses the scope, and says what has them")
  func refused() async throws {
    try await PulseSandbox.with(.nullDevices) { sandbox in
      let path = try await sandbox.write(file: "own.toml", Self.own)
      let check = try await sandbox.audiosession("profiles", "check", path)
      #expect(check.status == 0, "\(check.standardError)")
      for command in [["apply"], ["plan"], ["apply", "--keep"], ["watch"]] {
        let result = try await sandbox.capture([builtProgram] + command + [path])
        #expect(result.status == 65, "\(command): \(result.standardError)")
        #expect(result.standardError.contains("a program's own streams"), "\(command)")
      }
      let state = try await sandbox.audiosession("state", "--json")
      #expect(try JSONValue(state.standardOutput)["active"] == .bool(false))
    }
  }

  @Test("record takes any profile for itself, and leaves the server as it is", .soundFiles)
  func records() async throws {
    try await PulseSandbox.with(.nullDevices) { sandbox in
      let path = try await sandbox.write(
        file: "usb.toml", "sample-rate = 48000\ngain = 1\n")
      let bad = try await sandbox.audiosession("record", "/tmp/never.wav", "--profile", path)
      #expect(bad.status == 65, "\(bad.standardError)")
      let missing = try await sandbox.audiosession("play", "/none", "--profile", "none")
      #expect(missing.status == 66, "\(missing.standardError)")
      let many = try await sandbox.write(file: "many.toml", "category = 'multi-route'\n")
      let combined = try await sandbox.audiosession("record", "/tmp/n.wav", "--profile", many)
      #expect(combined.status == 65, "\(combined.standardError)")
      let before = try await sandbox.capture(["pactl", "info"]).standardOutput
      let own = try await sandbox.write(file: "own.toml", Self.own)
      let file = sandbox.directory + "/a.wav"
      let recorded = try await sandbox.audiosession(
        "record", file, "--profile", own, "--duration", "300ms")
      #expect(recorded.status == 0, "\(recorded.standardError)")
      let after = try await sandbox.capture(["pactl", "info"]).standardOutput
      #expect(Self.defaults(before).count >= 2, "\(before)")
      #expect(Self.defaults(after) == Self.defaults(before))
    }
  }

  private static func defaults(_ info: String) -> [Substring] {
    info.split(separator: "\n").filter { $0.hasPrefix("Default S") }
  }
}
