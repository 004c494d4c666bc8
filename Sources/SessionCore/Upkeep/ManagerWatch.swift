public import PulseTypes

/// Notices that PipeWire's session manager was started anew: for a while it then restores what it
/// remembers, ports and volumes too. Time is a parameter.
public struct ManagerWatch: Sendable {
  /// How long it restores.
  static let settling = Duration.seconds(5)

  private var manager: Index<Client>?
  private var since: Duration?

  /// Makes a watch that has seen none.
  public init() {}

  /// Notes the manager that a snapshot has; nil while there is none.
  public mutating func note(_ manager: Index<Client>?, at now: Duration) {
    guard let manager else { return }
    if let former = self.manager, former != manager { since = now }
    self.manager = manager
  }

  /// Notes that the server was started anew, and its manager with it: numbers begin anew, too.
  public mutating func noteReset(at now: Duration) { since = now }

  /// Whether it was started a short while ago.
  public func isNew(at now: Duration) -> Bool {
    since.map { now - $0 < Self.settling } ?? false
  }
}
