import PulseSandbox
import TestSupport
import Testing

@testable import AudioStreams

extension PulseSandbox {
  /// Runs a body with a server. The test fails if the frames of a stream of this process on it disagreed with
  /// the clock, whoever opened it, and also if its error was let pass.
  ///
  /// - Parameters:
  ///   - expectsWrongRate: whether they may.
  ///   - report: is given what fails the test.
  static func watched(
    _ configuration: SandboxConfiguration, expectsWrongRate: Bool = false,
    report: (String) -> Void = { Issue.record("\($0)") },
    _ body: (PulseSandbox) async throws -> Void
  ) async throws {
    let server = Shared<String?>(nil)
    // Once the server has ended, and with it a stream that the body left open.
    defer {
      if let server = server.value {
        for stream in WrongRates.take(on: server) where !expectsWrongRate {
          report("frames against the clock: \(stream)")
        }
      }
    }
    try await with(configuration) { sandbox in
      server.update { $0 = sandbox.address }
      try await body(sandbox)
    }
  }
}
