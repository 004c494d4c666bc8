import PulseTypes

/// A check of `doctor`: a pure function of the facts.
package struct DoctorCheck: Sendable {
  /// The name of a check; raw values are the `code` of the JSON.
  package enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    case switchOnConnect, switchOnPortAvailable, streamRestore, roleModule, filter
    case equalRates, allowedRates, sessionManager, serverUnreachable, otherServer, cardShared
    case noDevice
    case environment, autospawn, cookie, staleMode, staleBaseline, leftover, damagedStore
    case unwritableStore
    case killedHolder, stoppedHolder, conflict, missingDevice
    case mutedInput, silentInput, deadChannel, dualMono, clippedInput, offsetInput
  }

  package let code: Code
  package let needsServer: Bool
  private let rule: @Sendable (MachineFacts) -> [Finding]

  /// - Parameter rule: returns the findings; called only with a server.
  init(_ code: Code, _ rule: @escaping @Sendable (MachineFacts, ServerSnapshot) -> [Finding]) {
    self.code = code
    needsServer = true
    self.rule = { facts in facts.snapshot.map { rule(facts, $0) } ?? [] }
  }

  /// - Parameter rule: returns the findings, with or without a server.
  init(offline code: Code, _ rule: @escaping @Sendable (MachineFacts) -> [Finding]) {
    self.code = code
    needsServer = false
    self.rule = rule
  }

  package func findings(_ facts: MachineFacts) -> [Finding] { rule(facts) }

  /// Every check, in the order for users.
  package static let all: [DoctorCheck] =
    serverChecks + sessionChecks + clientChecks + policyChecks + rateChecks + soundChecks
}
