/// The state of a device (libpulse: `pa_sink_state_t`, `pa_source_state_t`).
public enum DeviceState: String, Sendable, Hashable, Codable {
  case running, idle, suspended, unknown
}
