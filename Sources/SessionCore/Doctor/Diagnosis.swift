/// What is wrong with a machine.
public struct Diagnosis: Sendable, Hashable {
  /// What was found, the worst first.
  public var findings: [Finding]
  /// The checks that were made.
  public var checked: [DoctorCheck.Code]
  /// The checks that were not, or not of every input, as there is no server or no sound was recorded.
  public var skipped: [DoctorCheck.Code]

  /// Makes every check that the facts allow.
  public init(_ facts: MachineFacts) {
    (findings, checked, skipped) = ([], [], [])
    for check in DoctorCheck.all {
      let isPossible =
        (!check.needsServer || facts.snapshot != nil)
        && (!check.code.needsSound || facts.heard != nil)
      guard isPossible else {
        skipped.append(check.code)
        continue
      }
      if check.code.needsSound, !facts.unheard.isEmpty {
        skipped.append(check.code)
      } else {
        checked.append(check.code)
      }
      findings += check.findings(facts)
    }
    // Stable: among those of one severity the order of the checks stays.
    findings = Finding.Severity.allCases.flatMap { severity in
      findings.filter { $0.severity == severity }
    }
  }
}

extension DoctorCheck.Code {
  /// Whether the check looks at recorded sound.
  var needsSound: Bool {
    switch self {
    case .silentInput, .deadChannel, .dualMono, .clippedInput, .offsetInput: true
    default: false
    }
  }
}
