import SessionCore

/// What the last run learned from the server, for the next plan.
struct Learned {
  var refusals: [Setting: String] = [:]
  /// Whether the run continued without hints that the server did not answer in time.
  var hasLateHints = false
  var capabilities: Capabilities?

  init() {}

  init(_ run: Reconciler) {
    refusals = run.input.refusals
    hasLateHints = !run.lateHints.isEmpty
    capabilities = run.input.capabilities
  }
}
