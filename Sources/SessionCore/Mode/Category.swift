package import PulseTypes

/// The purpose of the sound, like AVAudioSession's category; raw values are those of profile files.
public enum Category: String, Sendable, Hashable, Codable, CaseIterable {
  /// Secondary sound, mixed with other programs.
  case ambient
  /// Secondary sound, without other programs.
  case soloAmbient = "solo-ambient"
  /// Playback as the main purpose.
  case playback
  /// Recording as the main purpose.
  case record
  /// Playback and recording at once, as in a call.
  case playAndRecord = "play-and-record"
  /// Several outputs at once.
  case multiRoute = "multi-route"

  package var directions: Set<Direction> {
    switch self {
    case .ambient, .soloAmbient, .playback, .multiRoute: [.output]
    case .record: [.input]
    case .playAndRecord: [.input, .output]
    }
  }
}
