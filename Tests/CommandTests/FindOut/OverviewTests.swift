import AudioSession
import PulseSandbox
import TestSupport
import Testing

@testable import audiosession

@Suite("Without a command", .timeLimit(.minutes(10)))
struct OverviewTests {
  @Test("the devices in use, the session, and what to do next", .server)
  func overview() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let none = try await sandbox.audiosession()
      #expect(none.status == 0)
      #expect(
        none.standardOutput == """
          input    Microphone
          output   Built-in Speakers
          session  none; nothing is maintained

          What you can do next:
            audiosession doctor                find what interferes with a stable setup
            audiosession profiles              list the profiles that can be applied
            audiosession apply podcast --keep  apply one, and maintain it

          """)
      _ = try await sandbox.audiosession("apply", "test")
      let applied = try await sandbox.audiosession()
      #expect(
        applied.standardOutput.contains(
          "\nsession  profile test; no running process maintains it\n"))
      #expect(applied.standardOutput.contains("  audiosession apply test --keep  maintain it"))
      _ = try await sandbox.shell("pactl set-source-volume mic 30%")
      #expect(
        try await sandbox.audiosession().standardOutput.contains(
          "\nsession  profile test, not in effect: input gain; no running process maintains it\n"))
      let kept = try await sandbox.shell("$A apply test --keep > /dev/null && $A")
      #expect(kept.standardOutput.contains("; maintained by audiosession (process "), "\(kept)")
      #expect(kept.standardOutput.contains("  audiosession stop    end the process"), "\(kept)")
      let json = try JSONValue(try await sandbox.audiosession("--json").standardOutput)
      #expect(try JSONSchema("state").problems(of: json) == [])
      #expect(try await sandbox.audiosession("stop").status == 0)
    }
  }

  @Test("without a server: 69, what is stored, and what helps", .server)
  func withoutServer() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      _ = try await sandbox.audiosession("apply", "test")
      try await sandbox.terminate()
      let result = try await sandbox.audiosession()
      #expect(result.status == 69)
      #expect(result.standardOutput.hasPrefix("session  profile test"), "\(result)")
      #expect(result.standardOutput.contains("  audiosession doctor  find out why no server"))
      #expect(result.standardError.hasPrefix("audiosession: "))
    }
  }

  @Test("no line is wider than the screen", arguments: [40, 80, 120])
  func width(_ width: Int) {
    var state = SessionState(
      input: nil, mode: AudioMode(), server: nil, profile: "podcast", active: true)
    state.server = SessionState.Server(
      kind: .pulseaudio, name: "pulseaudio", version: "16.1", address: "unix:/x")
    let lines = OverviewView.lines(state, width: width)
    for line in lines { #expect(line.width <= width, "\(line.rendered(colour: false))") }
  }

  @Test("apply without --keep reads as a success, and says what is not maintained", .simulatedCard)
  func applyWithoutHolder() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let result = try await sandbox.audiosession("apply", "podcast")
      #expect(result.status == 0)
      #expect(result.standardOutput.contains("IO buffer duration  granted  10 ms\n"), "\(result)")
      #expect(!result.standardOutput.contains("pending"))
      #expect(
        result.standardError == """
          audiosession: note: no process maintains the session now: sample rate and IO buffer duration \
          are no longer held. Add --keep to maintain it

          """)
    }
  }

  @Test("the help has groups, a command's own options first, and names the topics", .server)
  func help() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let main = try await sandbox.audiosession("--help").standardOutput
      let titles = ["SESSION:", "PROFILES:", "FIND OUT:", "SOUND:", "MORE:"]
      let found = main.split(separator: "\n").map(String.init).filter { titles.contains($0) }
      #expect(found == titles)
      for topic in ["'audiosession help profile'", "'help json'", "'help hooks'"] {
        #expect(main.replacing("\n", with: " ").contains(topic))
      }
      let lines = try await sandbox.audiosession("apply", "--help").standardOutput
        .split(separator: "\n").map(String.init)
      let own = try #require(lines.firstIndex(of: "OPTIONS:"))
      let shared = try #require(lines.firstIndex(of: "OPTIONS FOR EVERY COMMAND:"))
      #expect(own < shared)
    }
  }
}
