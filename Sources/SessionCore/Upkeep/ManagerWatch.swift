package import PulseTypes

/// Notices a restart of PipeWire's session manager: for a while it then restores its stored values,
/// including ports and volumes. Time is a parameter.
package struct ManagerWatch: Sendable {
  private var manager: Index<Client>?
  private var since: Duration?

  /// Notes the session manager of a snapshot; nil if there is none.
  package mutating func note(_ manager: Index<Client>?, at now: Duration) {
    guard let manager else { return }
    if let former = self.manager, former != manager { since = now }
    self.manager = manager
  }

  /// Notes a restart of the server and its session manager; indexes start again, too.
  package mutating func noteReset(at now: Duration) { since = now }

  /// Whether it was started a short while ago.
  package func isNew(at now: Duration) -> Bool {
    since.map { now - $0 < Charges.settling } ?? false
  }
}
