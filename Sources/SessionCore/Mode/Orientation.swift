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
