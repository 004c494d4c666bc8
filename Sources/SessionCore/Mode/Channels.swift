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

/// The directivity of a microphone, like AVAudioSession's polar pattern.
public enum PolarPattern: String, Sendable, Hashable, Codable, CaseIterable {
  /// Two distinct channels; never one channel twice.
  case stereo
  /// All channels mixed to one.
  case omnidirectional
  /// Only the front channel.
  case cardioid
  /// Not available from a channel map; always an error.
  case subcardioid
}

/// How the user holds the device, relative to landscape-left, like AVAudioSession's stereo
/// orientation.
public enum Orientation: String, Sendable, Hashable, Codable, CaseIterable {
  /// Not rotated.
  case none
  /// A quarter turn.
  case portrait
  /// Three quarter turns.
  case portraitUpsideDown = "portrait-upside-down"
  /// Not rotated.
  case landscapeLeft = "landscape-left"
  /// A half turn.
  case landscapeRight = "landscape-right"

  /// The turn in quarters, 0-3.
  package var quarterTurns: Int {
    switch self {
    case .none, .landscapeLeft: 0
    case .portrait: 1
    case .landscapeRight: 2
    case .portraitUpsideDown: 3
    }
  }
}
