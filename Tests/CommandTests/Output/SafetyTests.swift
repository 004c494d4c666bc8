import PulseSandbox
import TestSupport
import Testing

@Suite("What reaches a terminal", .timeLimit(.minutes(10)))
struct SafetyTests {
  @Test("control characters in names never get out raw", .server)
  func controlCharacters() async throws {
    var configuration = SandboxConfiguration.minimal
    configuration.commands = [
      "update-source-proplist mic device.description=\"a\u{1b}[31mb\u{9b}c\u{202e}d\""
    ]
    try await PulseSandbox.with(configuration) { sandbox in
      for arguments in [["devices"], ["devices", "--json"], ["state"], ["state", "--json"]] {
        let result = try await sandbox.capture([builtProgram] + arguments)
        #expect(result.status == 0)
        for scalar in result.standardOutput.unicodeScalars where scalar != "\n" {
          #expect(!(scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)))
          #expect(scalar != "\u{202e}")
        }
      }
      let text = try await sandbox.audiosession("devices")
      #expect(text.standardOutput.contains("a\\u{1b}[31mb\\u{9b}c\\u{202e}d"))
      let json = try JSONValue(try await sandbox.audiosession("devices", "--json").standardOutput)
      let input = try #require(json["inputs"]?.array.first)
      #expect(input["description"] == .string("a\u{1b}[31mb\u{9b}c\u{202e}d"))
    }
  }

  @Test("in error messages neither", .server)
  func errors() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let path = try await sandbox.write(file: "bad.toml", "\"cat\\u001begory\" = 1\n")
      for arguments in [["apply", path], ["profiles", "check", path], ["apply", "x\u{1b}[31m"]] {
        let result = try await sandbox.capture([builtProgram] + arguments)
        #expect(result.status == 65 || result.status == 66)
        #expect(!(result.standardError + result.standardOutput).contains("\u{1b}"))
      }
    }
  }

  @Test("no colour in a pipe; on a terminal there is, but not with NO_COLOR", .server)
  func colour() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      #expect(!(try await sandbox.audiosession("devices")).standardOutput.contains("\u{1b}"))
      // script(1) gives the command a terminal.
      let onTerminal = "script -qec \"$A devices\" /dev/null"
      let coloured = try await sandbox.shell("env -u NO_COLOR TERM=xterm \(onTerminal)")
      #expect(coloured.standardOutput.contains("\u{1b}[1minputs"))
      let plain = try await sandbox.shell("env NO_COLOR=1 TERM=xterm \(onTerminal)")
      #expect(!plain.standardOutput.contains("\u{1b}"))
    }
  }
}
