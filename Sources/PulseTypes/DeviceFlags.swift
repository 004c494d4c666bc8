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
}
