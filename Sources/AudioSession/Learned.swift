import SessionCore

/// What the last run learned from the server, for the next plan.
struct Learned {
  var refusals: [Setting: String] = [:]
  var capabilities: Capabilities?

  init() {}

  init(_ run: Reconciler) {
    refusals = run.input.refusals
    capabilities = run.input.capabilities
  }
}
