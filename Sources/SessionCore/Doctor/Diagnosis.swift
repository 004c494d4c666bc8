/// The diagnosis of a machine.
package struct Diagnosis: Sendable, Hashable {
  /// The findings, the worst first.
  package var findings: [Finding] = []
  /// The checks that were made.
  package var checked: [DoctorCheck.Code] = []
  /// The checks that were not made, or not for every input, with the reason.
  package var notMade: [NotMade] = []

  /// Checks that could not be made.
  package struct NotMade: Sendable, Hashable {
    /// The reason: `nothing was recorded`.
    package var reason: String
    package var checks: [DoctorCheck.Code]
  }

  /// The checks that were not made, or not for every input.
  package var skipped: [DoctorCheck.Code] { notMade.flatMap(\.checks) }

  /// Makes every check for which there are facts.
  package init(_ facts: MachineFacts) {
    for check in DoctorCheck.all {
      guard let reason = check.obstacle(facts) else {
        checked.append(check.code)
        findings += check.findings(facts)
        continue
      }
      if let at = notMade.firstIndex(where: { $0.reason == reason }) {
        notMade[at].checks.append(check.code)
      } else {
        notMade.append(NotMade(reason: reason, checks: [check.code]))
      }
      // Only recorded inputs are checked.
      if check.code.needsSound, facts.recordings != nil { findings += check.findings(facts) }
    }
    // Stable: within one severity the order of the checks stays.
    findings = Finding.Severity.allCases.flatMap { severity in
      findings.filter { $0.severity == severity }
    }
    for at in findings.indices {
      // Who has a card open is no matter of the server that was asked.
      guard findings[at].code != .cardShared else { continue }
      let command = findings[at].remedy.command
      findings[at].remedy.command = command.flatMap { Self.addressed($0, facts) }
    }
  }

  /// A remedy's command for the server that was asked; nil if it would change the user's server, and
  /// another one was asked.
  private static func addressed(_ command: String, _ facts: MachineFacts) -> String? {
    if !facts.isUsersServer, command.hasPrefix("systemctl") { return nil }
    return Words.command(command, on: facts.namedServer)
  }
}

extension DoctorCheck {
  /// Why a check cannot be made, or not for every input; nil if it can.
  fileprivate func obstacle(_ facts: MachineFacts) -> String? {
    if needsServer, facts.snapshot == nil { return "no server answers" }
    if let host = facts.serverHost, code.needsServersMachine {
      return "the server runs on \(host), whose files and programs are not seen from here"
    }
    guard code.needsSound else { return nil }
    guard facts.recordings?.isEmpty == false || !facts.unrecorded.isEmpty else {
      return "no input was recorded"
    }
    return facts.unrecorded.isEmpty
      ? nil : "nothing could be recorded from \(Words.list(facts.unrecorded))"
  }
}

extension DoctorCheck.Code {
  /// Whether the check needs files and processes of the server's machine.
  var needsServersMachine: Bool {
    [.equalRates, .allowedRates, .otherServer, .cardShared].contains(self)
  }

  /// Whether the check needs recorded sound.
  var needsSound: Bool {
    [.silentInput, .deadChannel, .dualMono, .clippedInput, .offsetInput].contains(self)
  }
}
