/// The capabilities of a device, from its driver (libpulse: `pa_sink_flags_t`,
/// `pa_source_flags_t`).
public struct DeviceFlags: OptionSet, Sendable, Hashable, Codable {
  /// The server's bits.
  public let rawValue: UInt32

  /// Wraps the server's bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The hardware controls the volume.
  public static let hardwareVolume = DeviceFlags(rawValue: 0x0001)
  /// It is hardware, not a virtual device.
  public static let hardware = DeviceFlags(rawValue: 0x0004)
  /// It is connected over a network.
  public static let network = DeviceFlags(rawValue: 0x0008)

  /// Its buffer follows what its streams request (`PA_SOURCE_DYNAMIC_LATENCY`, `PA_SINK_DYNAMIC_LATENCY`).
  package static func dynamicLatency(_ direction: Direction) -> DeviceFlags {
    DeviceFlags(rawValue: direction == .input ? 0x0040 : 0x0080)
  }
}
