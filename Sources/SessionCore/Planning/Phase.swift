/// The documented order. Devices are resolved before all of them, by reading alone.
public enum Phase: Int, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// Category, mode and options become the card profile first, because everything else hangs on the
  /// devices that the profile makes: changing it later would throw the rest away.
  case category = 1
  /// The rate before any stream of ours or chain is on the device: a device switches only while
  /// nothing runs on it.
  case sampleRate
  /// The buffer after the rate, because its length in bytes depends on it.
  case ioBufferDuration
  /// The default devices after the profile made them. Where a chain is built the default is written
  /// once, at the chain's end, so that streams move once. A device that is not in use yet gets its port
  /// and its levels first: nothing is heard or recorded at the levels that it came with.
  case preferredDevices
  /// The port after the device is chosen; the polar pattern needs to know which one it is.
  case port
  /// The chain last of all that moves sound: it is built on the port's channels and keeps the device
  /// running, which would block the rate.
  case channelMap
  /// Gain, mute, volume and latency offset, which servers restore when a port changes: after it.
  case levels

  /// Orders as applied.
  public static func < (a: Phase, b: Phase) -> Bool { a.rawValue < b.rawValue }

  /// The description for users.
  public var title: String {
    switch self {
    case .category: "category, mode, options"
    case .sampleRate: "sample rate"
    case .ioBufferDuration: "IO buffer duration"
    case .preferredDevices: "preferred input and output"
    case .port: "port"
    case .channelMap: "channel map, orientation"
    case .levels: "gain, mute, volume, latency offset"
    }
  }
}
