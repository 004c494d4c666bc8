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

  /// The directions that the category requires.
  package var directions: Set<Direction> {
    switch self {
    case .ambient, .soloAmbient, .playback, .multiRoute: [.output]
    case .record: [.input]
    case .playAndRecord: [.input, .output]
    }
  }
}

/// The kind of use within the category, like AVAudioSession's mode.
public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
  /// No particular processing.
  case `default`
  /// A call: echo is cancelled.
  case voiceChat = "voice-chat"
  /// A video call: echo is cancelled.
  case videoChat = "video-chat"
  /// Voice chat in a game.
  case gameChat = "game-chat"
  /// Measurement: no processing may change the signal.
  case measurement
  /// Playback of a film.
  case moviePlayback = "movie-playback"
  /// Recording sound for a video.
  case videoRecording = "video-recording"
  /// Speech that pauses for other speech.
  case spokenAudio = "spoken-audio"
}

/// How the session treats other programs and which devices it may use, like AVAudioSession's
/// options.
public enum CategoryOption: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// Other programs keep playing (the default: a desktop is shared).
  case mixWithOthers = "mix-with-others"
  /// Other programs are silenced while the session is active.
  case silenceOthers = "silence-others"
  /// Other programs are lowered while the session is active.
  case duckOthers = "duck-others"
  /// Other programs' speech is silenced while the session is active.
  case interruptSpokenAudio = "interrupt-spoken-audio"
  /// A Bluetooth headset may be switched to its microphone profile.
  case allowBluetoothHFP = "allow-bluetooth-hfp"
  /// Bluetooth headphones may be used for playback.
  case allowBluetoothA2DP = "allow-bluetooth-a2dp"
  /// Network sinks may be used.
  case allowAirPlay = "allow-airplay"
  /// Play-and-record plays through the speaker.
  case defaultToSpeaker = "default-to-speaker"

  /// Orders as written in profile files.
  public static func < (a: CategoryOption, b: CategoryOption) -> Bool { a.rawValue < b.rawValue }
}
