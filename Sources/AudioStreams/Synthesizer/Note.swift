internal import CAudioKernel

/// How loud a note is played: 0 is silent, 1 the loudest.
public struct Velocity: Sendable, Hashable, ExpressibleByFloatLiteral {
  /// The amplitude of the note's sine, before the synthesizer's master volume.
  public var amplitude: Double

  /// Makes a velocity; a value outside 0...1 is an error when the note is played.
  public init(_ amplitude: Double) { self.amplitude = amplitude }

  /// Makes a velocity from a number in the source.
  public init(floatLiteral value: Double) { self.init(value) }

  /// An ordinary note: 0.6.
  public static let normal: Velocity = 0.6
  /// An accented note: 1.0.
  public static let accent: Velocity = 1.0
  /// A sustained note: 0.8.
  public static let sustain: Velocity = 0.8
}

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
