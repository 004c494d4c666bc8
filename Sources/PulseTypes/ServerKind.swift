/// The program that serves the PulseAudio protocol.
public enum ServerKind: String, Sendable, Hashable, Codable {
  case pulseaudio, pipewire
}
