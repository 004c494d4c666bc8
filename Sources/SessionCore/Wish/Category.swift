public import PulseTypes

/// What the sound is for, as AVAudioSession's category; raw values are those of profile files.
public enum Category: String, Sendable, Hashable, Codable, CaseIterable {
  /// Sound that is not the point, mixed with others.
  case ambient
  /// Sound that is not the point, alone.
  case soloAmbient = "solo-ambient"
  /// Playback is the point.
  case playback
  /// Recording is the point.
  case record
  /// Both at once, as in a call.
  case playAndRecord = "play-and-record"
  /// Several outputs at once.
  case multiRoute = "multi-route"

  /// The directions without which the category means nothing.
  public var directions: Set<Direction> {
    switch self {
    case .ambient, .soloAmbient, .playback, .multiRoute: [.output]
    case .record: [.input]
    case .playAndRecord: [.input, .output]
    }
  }
}

/// What kind of use it is within the category, as AVAudioSession's mode.
public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
  /// No particular processing.
  case `default`
  /// A call: echo is cancelled.
  case voiceChat = "voice-chat"
  /// A call with a picture: echo is cancelled.
  case videoChat = "video-chat"
  /// Talk within a game.
  case gameChat = "game-chat"
  /// Nothing may touch the signal.
  case measurement
  /// A film.
  case moviePlayback = "movie-playback"
  /// Sound for a picture.
  case videoRecording = "video-recording"
  /// Speech that stops for other speech.
  case spokenAudio = "spoken-audio"
}

/// How the session treats others and which devices it may use, as AVAudioSession's options.
public enum CategoryOption: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// Others play on (the default: a desktop is shared).
  case mixWithOthers = "mix-with-others"
  /// Others are silent while the session is active.
  case silenceOthers = "silence-others"
  /// Others are lowered while the session is active.
  case duckOthers = "duck-others"
  /// Spoken audio of others is silent while the session is active.
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
