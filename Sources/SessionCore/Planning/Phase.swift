/// The documented order. Devices are resolved before all phases, by reading alone.
public enum Phase: Int, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// Category, mode and options select the card profile first, because everything else depends on
  /// the devices that the profile creates: a later change would undo the rest.
  case category = 1
  /// The rate before any stream of the session or chain is on the device: a device switches only
  /// while nothing runs on it.
  case sampleRate
  /// The buffer after the rate, because its length in bytes depends on it.
  case ioBufferDuration
  /// The default devices after the profile has created them. If a chain is built, the default is
  /// written once, at the chain's end, so that streams move once. A device that is not in use yet
  /// gets its port and its levels first: no program plays or records with the levels that it had.
  case preferredDevices
  /// The port after the device is chosen; the polar pattern depends on it.
  case port
  /// The chain last of everything that moves sound: it is built on the port's channels and keeps
  /// the device running, which would block the rate.
  case channelMap
  /// Gain, mute, volume and latency offset after the port, because servers restore them when a port
  /// changes.
  case levels

  /// Orders as applied.
  public static func < (a: Phase, b: Phase) -> Bool { a.rawValue < b.rawValue }

  package var title: String {
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
