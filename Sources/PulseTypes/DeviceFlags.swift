/// The capabilities of a device, from its driver (libpulse: `pa_sink_flags_t`,
/// `pa_source_flags_t`).
public struct DeviceFlags: OptionSet, Sendable, Hashable, Codable {
  /// The server's bits.
  public let rawValue: UInt32

  /// Wraps the server's bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The hardware controls the volume.
  public static let hardwareVolume = DeviceFlags(rawValue: 0x0001)
  /// The device reports its latency.
  public static let latency = DeviceFlags(rawValue: 0x0002)
  /// It is hardware, not a virtual device.
  public static let hardware = DeviceFlags(rawValue: 0x0004)
  /// It is connected over a network.
  public static let network = DeviceFlags(rawValue: 0x0008)
  /// The hardware controls the mute.
  public static let hardwareMute = DeviceFlags(rawValue: 0x0010)
  /// The latency adapts to the streams' requests.
  public static let dynamicLatency = DeviceFlags(rawValue: 0x0080)
}
