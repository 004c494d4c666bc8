/// Whether something is plugged into a port (libpulse: `pa_port_available_t`).
public enum PortAvailability: String, Sendable, Hashable, Codable {
  /// The hardware cannot detect it; counts as available.
  case unknown
  /// Nothing is plugged in.
  case no
  /// Something is plugged in.
  case yes

  /// Whether the port may be chosen: yes or unknown.
  package var isUsable: Bool { self != .no }
}
