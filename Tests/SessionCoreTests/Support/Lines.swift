import PulseTypes

@testable import SessionCore

extension Plan {
  /// The steps as lines: `1 alsa_card.pci profile: off → input:analog-stereo`.
  var lines: [String] {
    steps.map { step in
      "\(step.phase.rawValue) \(step.setting.object) \(step.setting.propertyName): "
        + "\(step.from.map(\.description) ?? "?") → \(step.to)"
        + (step.isDeferred ? " (deferred)" : "")
    }
  }

  /// The unmet preferences as lines: `sampleRate pending: …`.
  var unmetLines: [String] { unmet.map { "\($0.property) \($0.verdict): \($0.reason)" } }
}

extension SimulatedServer {
  /// The plan for a mode here; further input is set by the closure.
  func plan(
    _ mode: AudioMode, _ more: (inout PlanInput) -> Void = { _ in }
  ) throws(SessionError) -> Plan {
    var input = PlanInput(mode: mode, snapshot: snapshot)
    more(&input)
    return try Plan.make(input)
  }

  /// The error that a plan ends with, or nil.
  func failure(_ mode: AudioMode) -> SessionError? {
    do throws(SessionError) {
      _ = try plan(mode)
      return nil
    } catch {
      return error
    }
  }

  /// The reports of every property here.
  func reports(
    _ mode: AudioMode, _ more: (inout PlanInput) -> Void = { _ in }
  ) -> [Property: PropertyReport] {
    var input = PlanInput(mode: mode, snapshot: snapshot)
    more(&input)
    return SessionState(input: input, mode: mode, server: nil, profile: nil, active: true)
      .properties
  }
}

/// A mode, written as its changes to the empty one.
func preferring(_ change: (inout AudioMode) -> Void) -> AudioMode {
  var mode = AudioMode()
  change(&mode)
  return mode
}
