import PulseSandbox
import Testing

@Suite("Signals")
struct SignalTests {
  @Test("a signal ends a command that waits for the server", .server)
  func waiting() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try await sandbox.freeze()
      for command in ["apply podcast", "state"] {
        let interrupt = "timeout --preserve-status -s INT 0.2 $A \(command) --timeout 9"
        #expect(try await sandbox.shell(interrupt).status == 130)
        let terminate = "timeout --preserve-status -s TERM 0.2 $A \(command) --timeout 9"
        #expect(try await sandbox.shell(terminate).status == 143)
      }
      try await sandbox.thaw()
    }
  }

  @Test("a signal ends a measurement, whatever it waits for, and it is called cancelled", .server)
  func measuring() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      for moment in ["0.2", "0.5", "1"] {
        let result = try await sandbox.shell(
          "timeout --preserve-status -s INT \(moment) $A verify test --duration 30s --timeout 50s")
        #expect(result.status == 130, "\(result)")
        #expect(!result.standardError.contains("stream"), "\(result)")
      }
    }
  }

  @Test("a signal at any moment leaves all applied, or nothing", .server)
  func atAnyMoment() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(
        profile: "test", Profiles.podcast + "\n[output]\nvolume = \"40 %\"\nmute = true\n")
      let before = try await sandbox.audiosession("devices", "--all")
      for delay in stride(from: 0.004, to: 0.05, by: 0.004) {
        let result = try await sandbox.shell(
          "timeout --preserve-status -s INT \(delay) $A apply test")
        let plan = try await sandbox.audiosession("plan", "test")
        let now = try await sandbox.audiosession("devices", "--all")
        switch result.status {
        case 0:
          #expect(plan.standardOutput == "nothing to do\n")
          #expect(try await sandbox.audiosession("revert").status == 0)
        case 130: #expect(now == before, "\(result.standardError)")
        default: Issue.record("status \(result.status): \(result.standardError)")
        }
      }
    }
  }
}
