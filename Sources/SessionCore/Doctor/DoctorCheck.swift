import PulseTypes

/// One thing that `doctor` looks for: a pure function of the facts.
public struct DoctorCheck: Sendable {
  /// What a check is called; raw values are the `code` of the JSON.
  public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    case switchOnConnect, switchOnPortAvailable, streamRestore, roleModule, filter
    case equalRates, allowedRates, sessionManager, serverUnreachable, otherServer, cardShared
    case environment, autospawn, cookie, staleWish, staleBaseline, leftover, damagedStore
    case mutedInput, silentInput, deadChannel, dualMono, clippedInput, offsetInput
  }

  /// What it is called.
  public let code: Code
  /// Whether it can be done without a server.
  public let needsServer: Bool
  private let rule: @Sendable (MachineFacts) -> [Finding]

  /// - Parameter rule: what it finds; called with a server only.
  init(_ code: Code, _ rule: @escaping @Sendable (MachineFacts, ServerSnapshot) -> [Finding]) {
    self.code = code
    needsServer = true
    self.rule = { facts in facts.snapshot.map { rule(facts, $0) } ?? [] }
  }

  /// - Parameter rule: what it finds, with a server or without.
  init(offline code: Code, _ rule: @escaping @Sendable (MachineFacts) -> [Finding]) {
    self.code = code
    needsServer = false
    self.rule = rule
  }

  /// What it finds on a machine.
  public func findings(_ facts: MachineFacts) -> [Finding] { rule(facts) }

  /// Every check, in the order that people read.
  public static let all: [DoctorCheck] =
    serverChecks + clientChecks + policyChecks + rateChecks + soundChecks
}
