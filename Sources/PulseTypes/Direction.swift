/// The direction of sound: into the machine or out of it.
public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
  /// Recording: sources, and the streams that read from them (source outputs).
  case input
  /// Playback: sinks, and the streams that write to them (sink inputs).
  case output
}
