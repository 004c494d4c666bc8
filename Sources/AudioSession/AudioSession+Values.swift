public import PulseTypes
import SessionCore

/// Actual values, under their names of AVAudioSession. Each is read from the server now, and throws
/// the errors of `getSessionState()`.
extension AudioSession {
  /// The sample rate of the hardware in Hz; nil if it is unknown. Throws `serverUnreachable`,
  /// `serverLost`, `accessDenied` or `timedOut`.
  public var sampleRate: Int? {
    get async throws(SessionError) { try await getSessionState().sampleRate.actual }
  }

  /// The IO buffer duration; nil if it is unknown. Throws as `sampleRate` does.
  public var ioBufferDuration: Duration? {
    get async throws(SessionError) { try await getSessionState().ioBufferDuration.actual }
  }

  /// The gain of the input that programs get: that of the hardware times that of the session's own devices
  /// before it; nil without an input. Throws as `sampleRate` does.
  public var inputGain: Volume? {
    get async throws(SessionError) { try await getSessionState().inputGain.actual }
  }

  /// The volume of the output, likewise; nil without one. Throws as `sampleRate` does.
  public var outputVolume: Volume? {
    get async throws(SessionError) { try await getSessionState().outputVolume.actual }
  }
}
