import POSIX
import SessionCore

/// The right to route this program's streams on a server; one session of a process can have it.
///
/// It ends with the process; every process has a separate one.
final class ApplicationClaim: Sendable {
  private let address: String

  /// Throws `isBusy` if another session of this process has it.
  init(address: String) throws(SessionError) {
    let isFree = Self.taken.withLock { $0.insert(address).inserted }
    guard isFree else {
      throw SessionError(
        .isBusy, stage: .session,
        "another session of this program has scope \"application\" on this server; "
          + "use that one, or close it",
        property: .scope, value: "application")
    }
    self.address = address
  }

  deinit { _ = Self.taken.withLock { $0.remove(address) } }

  /// The servers' addresses.
  private static let taken = Guarded<Set<String>>([])
}
