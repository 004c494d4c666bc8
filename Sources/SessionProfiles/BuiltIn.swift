/// The built-in profiles, from the folder `profiles/`.
enum BuiltIn {
  /// The files; a test compares them with the folder.
  private static let files: [String: [UInt8]] = [
    "headset": PackageResources.headset_toml,
    "high-quality-stereo": PackageResources.high_quality_stereo_toml,
    "measurement": PackageResources.measurement_toml,
    "music-low-latency": PackageResources.music_low_latency_toml,
    "podcast": PackageResources.podcast_toml,
    "presentation": PackageResources.presentation_toml,
    "speech-recognition": PackageResources.speech_recognition_toml,
    "voice-chat": PackageResources.voice_chat_toml,
  ]

  static var names: [String] { files.keys.sorted() }

  static func text(_ name: String) -> String? {
    files[name].map { String(decoding: $0, as: UTF8.self) }
  }
}
