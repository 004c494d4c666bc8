import POSIX

/// A server's Unix socket, checked without libpulse, which reports a full backlog as a refusal.
package enum ServerSocket {
  /// Whether a process listens at an address (nil: the environment's), even with a full backlog;
  /// false if the address is not that of a Unix socket, or too long for one.
  package static func hasListener(_ address: String?) -> Bool {
    let canonical = SessionStore.canonical(address ?? SessionStore.environmentAddress())
    guard canonical.hasPrefix("unix:") else { return false }
    return UnixAddress(String(canonical.dropFirst(5)))?.hasListener ?? false
  }
}
