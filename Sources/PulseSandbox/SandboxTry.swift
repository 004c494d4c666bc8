internal import POSIX

/// A further try to start a server that was not complete in time.
package struct SandboxTry: Sendable {
  /// The server's address.
  package let address: String
  /// Its number, from 2.
  package let number: Int
  /// How many tries a start has.
  package let most: Int
  /// What was missing after the last one.
  package let fault: String

  private static let observer = Guarded<(@Sendable (SandboxTry) -> Void)?>(nil)

  /// Calls a function before each such try of this process; it replaces the former function.
  package static func observe(_ observer: @escaping @Sendable (SandboxTry) -> Void) {
    Self.observer.withLock { $0 = observer }
  }

  /// Passes it to the function that observes tries, if there is one.
  func report() {
    let observer = Self.observer.withLock { $0 }
    observer?(self)
  }
}
