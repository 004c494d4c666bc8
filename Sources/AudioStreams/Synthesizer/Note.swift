internal import CAudioKernel

/// A note to be played.
public struct Note: Sendable, Hashable {
  /// The MIDI note number, 0 to 127; 69 is A4, 440 Hz.
  public var pitch: Int
  /// The loudness.
  public var velocity: Velocity
  /// The time from its start to silence, including the release; nil sounds until it is released.
  public var duration: Duration?

  /// Makes a note.
  public init(pitch: Int, velocity: Velocity = .normal, duration: Duration? = nil) {
    self.pitch = pitch
    self.velocity = velocity
    self.duration = duration
  }

  /// The frequency in equal temperament, with A4 at 440 Hz; 0 for an invalid pitch.
  public var frequency: Double {
    (0...127).contains(pitch) ? ak_pitch_frequency(UInt8(pitch)) : 0
  }
}
