import PulseTypes
import SessionCore

/// What the last run learned from the server, for the next plan, and for the reports of other processes.
struct Learned: Sendable, Codable {
  var refusals: [Setting: String] = [:]
  var capabilities: Capabilities?
  /// The run of the server of which it was learned.
  var serverCookie: UInt32?

  init() {}

  init(_ run: Reconciler) {
    refusals = run.input.refusals
    capabilities = run.input.capabilities
    serverCookie = run.input.snapshot.server.cookie
  }
}
