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
