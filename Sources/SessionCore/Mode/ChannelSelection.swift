public import PulseTypes

/// The hardware channels that become the channels of the standard layout.
public enum ChannelSelection: Sendable, Hashable, Codable {
  /// Entry *i* names the hardware channel that becomes channel *i* of the standard layout.
  case positions([ChannelPosition])
  /// All channels mixed to one.
  case mono
  /// Only the left channel.
  case left
  /// Only the right channel.
  case right
  /// Left and right exchanged.
  case swap

  /// The hardware channels, in the order of the standard layout.
  var positions: [ChannelPosition] {
    switch self {
    case .positions(let positions): positions
    case .mono: [.mono]
    case .left: [.frontLeft]
    case .right: [.frontRight]
    case .swap: [.frontRight, .frontLeft]
    }
  }
}
