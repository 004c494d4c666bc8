/// How a synthesizer sounds, and how soon.
public struct SynthesizerConfiguration: Sendable, Hashable {
  /// The output's name; nil follows the default, which is the session's.
  public var device: String?
  /// How much sound waits on the server: the delay from a note to its sound, and what the machine
  /// may be late by before it is heard. 256 frames at 44.1 kHz.
  public var bufferDuration: Duration = .microseconds(5805)
  /// The volume of the mix. Eight notes at full velocity are 2.4 of it; the limiter bends what is
  /// above 0.8 so that it stays below 1.
  public var master = 0.3
  /// The time from silence to a note's full level.
  public var attack: Duration = .milliseconds(10)
  /// The time from the full level to `sustain`.
  public var decay: Duration = .zero
  /// The part of the full level at which a note stays.
  public var sustain = 1.0
  /// The longest release; a short note's is three tenths of its duration.
  public var longestRelease: Duration = .milliseconds(150)
  /// Where the low-pass is 3 dB down, Hz.
  public var cutoff = 2000.0

  /// Makes a configuration with the usual values.
  public init(device: String? = nil) { self.device = device }
}
