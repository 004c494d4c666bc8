import Pulse
import SessionCore

/// The right to say where this program's streams on a server go: one session of a process has it.
///
/// It ends with the process; other processes have their own.
final class ApplicationClaim: Sendable {
  private let address: String

  /// Throws `isBusy` where another session of this process has it.
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

  private static let taken = Claims()

  /// The servers' addresses.
  private final class Claims: @unchecked Sendable {  // everything is behind `lock`
    private let lock = Lock()
    private var addresses: Set<String> = []

    func withLock<Result>(_ body: (inout Set<String>) -> Result) -> Result {
      lock.withLock { body(&addresses) }
    }
  }
}
