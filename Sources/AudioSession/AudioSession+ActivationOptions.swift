extension AudioSession {
  /// Options of `setAudioMode`, `setActive` and `hold`.
  public struct ActivationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Wraps bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Take the session over from another process that holds it: that one is interrupted, and goes
    /// on with its own mode when this one closes or ends.
    public static let takeOver = ActivationOptions(rawValue: 1)
    /// Wait for what may pass by itself, as `watch` does, instead of throwing: a server that is not
    /// there or does not answer in time, a device that is not plugged in, another holder. A refusal is
    /// tried again five times. Cancelling the task ends it (`cancelled`), and so does a later call.
    public static let waits = ActivationOptions(rawValue: 4)
    /// Tell others that they may go on. They always may: what was silenced or ducked is as before
    /// at once, with this option or without.
    public static let notifyOthersOnDeactivation = ActivationOptions(rawValue: 2)
  }
}
