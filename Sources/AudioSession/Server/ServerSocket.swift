import POSIX

/// A server's Unix socket, checked without libpulse, which reports a full backlog as a refusal.
package struct ServerSocket {
  private let address: UnixAddress

  /// - Parameter address: the server's address; nil if it is not a Unix socket, or too long for
  ///   one.
  init?(_ address: String?) {
    guard let address else { return nil }
    let canonical = SessionStore.canonical(address)
    guard canonical.hasPrefix("unix:"), let address = UnixAddress(String(canonical.dropFirst(5)))
    else { return nil }
    self.address = address
  }

  /// Whether a process listens, even with a full backlog.
  var hasListener: Bool { address.hasListener }

  /// Whether a process listens at an address (nil: the environment's), even with a full backlog.
  package static func hasListener(_ address: String?) -> Bool {
    Self(address ?? SessionStore.environmentAddress())?.hasListener ?? false
  }
}
