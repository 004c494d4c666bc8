/// The sound and the latency of a synthesizer.
public struct SynthesizerConfiguration: Sendable, Hashable {
  /// The output's name; nil follows the default, which is the session's.
  public var device: String?
  /// How much sound is buffered on the server: the delay from a note to its sound, and how late the
  /// machine may be without a gap. 256 frames at 44.1 kHz.
  public var bufferDuration: Duration = .microseconds(5805)
  /// The volume of the mix. Eight notes at full velocity add up to 2.4; the limiter compresses
  /// values above 0.8 so that they stay below 1.
  public var master = 0.3
  /// The time from silence to a note's full level.
  public var attack: Duration = .milliseconds(10)
  /// The time from the full level to `sustain`.
  public var decay: Duration = .zero
  /// The fraction of the full level at which a note stays.
  public var sustain = 1.0
  /// The longest release; the release of a short note is three tenths of its duration.
  public var longestRelease: Duration = .milliseconds(150)
  /// The frequency at which the low-pass is at -3 dB, in Hz.
  public var cutoff = 2000.0

  /// Throws `invalidValue` for a value that no synthesizer can have.
  func validate() throws(StreamError) {
    let numbers: [(name: String, value: Double, range: ClosedRange<Double>)] = [
      ("master", master, 0...100), ("sustain", sustain, 0...1), ("cutoff", cutoff, 1...1_000_000),
    ]
    for (name, value, range) in numbers where !range.contains(value) {
      throw StreamError(
        .invalidValue,
        "a \(name) of \(value); it can be \(range.lowerBound) to \(range.upperBound)")
    }
    for (name, time) in [("attack", attack), ("decay", decay), ("longestRelease", longestRelease)]
    where time < .zero {
      throw StreamError(.invalidValue, "a negative \(name): \(time)")
    }
    guard bufferDuration > .zero else {
      throw StreamError(.invalidValue, "a buffer of \(bufferDuration); it must be longer than 0")
    }
  }

  /// Makes a configuration with default values.
  public init(device: String? = nil) { self.device = device }
}
