import PulseSandbox
import TestSupport
import Testing

@Suite("Two thousand random events", .timeLimit(.minutes(10)))
struct ChurnTests {
  /// Plugs, jacks, profiles, defaults, volumes, modules, restarts and freezes against one `watch`; the
  /// same program does more of them, with other seeds, by hand, and 40 times as many in
  /// `.ci/nightly seeds`.
  @Test(
    "afterwards the server is as the plan says, told from outside", .simulatedCard,
    .timeLimit(.minutes(10)))
  func converges() async throws {
    let count = 2000 * SeedBlock.factor
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.capture(
        [builtProgram + "-benchmark", "churn", "\(count)", "7"], timeout: .seconds(280))
      #expect(
        result.status == 0, "\(result.standardError)\n\(result.standardOutput.suffix(2000))")
      #expect(result.standardOutput.contains("\(count) random events"))
    }
  }
}
