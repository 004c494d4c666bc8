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
