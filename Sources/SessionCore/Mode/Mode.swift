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
