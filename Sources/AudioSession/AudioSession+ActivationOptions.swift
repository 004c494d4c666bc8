extension AudioSession {
  /// Options of `setAudioMode`, `setActive` and `hold`.
  public struct ActivationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Wraps bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Takes the session over from another process that holds it, unless the machine cannot meet the
    /// mode. That process is interrupted, and applies its own mode again when this session closes or
    /// its process ends.
    public static let takeOver = ActivationOptions(rawValue: 1)
    /// Waits, as `watch` does, for conditions that may end by themselves, instead of throwing: a
    /// server that does not run or does not answer in time, a missing device, another holder. A
    /// refused step is tried again five times. Cancelling the task ends the wait (`cancelled`), and
    /// so does a later call.
    public static let waits = ActivationOptions(rawValue: 4)
    /// Accepted for AVAudioSession's sake: streams that were silenced or ducked are always restored
    /// at once.
    public static let notifyOthersOnDeactivation = ActivationOptions(rawValue: 2)
  }
}
