import PulseTypes
import SessionCore

/// What the session has shown last, with which the next state is compared.
struct Shown {
  var route: Route?
  /// The server at the last look.
  var snapshot: ServerSnapshot?
  /// The server when the route was last published.
  var published: ServerSnapshot?
  /// The pending preferences when they were last published.
  var pending: [Unmet] = []
  /// The state that other processes can read.
  var written: SessionState?
  /// Messages about damaged files that were set aside.
  var storeNotes: [String] = []
  /// Whether a state was published.
  var hasPublished = false

  /// Notes the server before the first state: with that the first change is compared, unless it
  /// is the session's own.
  mutating func begin(with snapshot: ServerSnapshot, _ scope: Scope) {
    self.snapshot = snapshot
    guard scope == .server else { return }
    (route, published) = (snapshot.route, snapshot)
  }
}
