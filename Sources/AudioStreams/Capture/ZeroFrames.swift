/// Zeros in place of sound, for longer than a quarter of a second, that the server does not explain.
///
/// They begin and end amid sound, on all channels, and the server reported no mute and no other change
/// of the input at that time. Either the sound was lost, or the device itself was muted, by a switch
/// that no server knows of.
public struct ZeroFrames: Sendable, Hashable, Codable {
  /// The position of the first one.
  public var position: Int64
  /// The number of frames, at the capture's rate.
  public var frames: Int
}
