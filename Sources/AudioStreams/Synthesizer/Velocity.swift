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
