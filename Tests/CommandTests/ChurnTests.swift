import PulseSandbox
import TestSupport
import Testing

@Suite("Ten thousand random events")
struct ChurnTests {
  /// Plugs, jacks, profiles, defaults, volumes, modules, restarts and freezes against one `watch`; the
  /// same program does more of them, with other seeds, by hand.
  @Test(
    "afterwards the server is as the plan says, told from outside", .simulatedCard,
    .timeLimit(.minutes(5)))
  func converges() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.capture(
        [builtProgram + "-benchmark", "churn", "10000", "7"], timeout: .seconds(280))
      #expect(result.status == 0, "\(result.standardOutput.suffix(2000))")
      #expect(result.standardOutput.contains("10000 random events"))
    }
  }
}
